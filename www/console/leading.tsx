// What leads on while something is missing: the steps to the first certificate, and what strangers see without a confirmed domain.
import { say } from '/lib/texts.ts';
import { refusal } from '/components/answer.ts';
import { useCosts } from '/components/balance.ts';
import { Tokens } from '/components/tokens.tsx';
import { usePart } from '/components/part.ts';
import type { SignedIn } from '/lib/sign-in.ts';
import { useState } from 'preact/hooks';
import { fragmentOf } from './address.ts';
import type { Dispatch } from './knowing.ts';
import type { State } from './state.ts';

/** The four steps to the first certificate, for an account that has no register. */
export function FirstSteps({ session, isConfirmed, dispatch }: { readonly session: SignedIn; readonly isConfirmed: boolean; readonly dispatch: Dispatch }) {
  const { mayDeploy } = session;
  const costs = useCosts(session);
  // Only services with chosen accounts have accounts that may not deploy.
  const admission = usePart(
    !mayDeploy,
    () => import('/components/admission.tsx'),
    (error) => dispatch({ type: 'answered', answer: refusal(error) }),
  );
  return (
    <div id="first-steps">
      <p class="lead">{say('console.first.lead')}</p>
      <ol class="steps">
        <li>
          <h3>{say('console.first.allowed')}</h3>
          <p>{say(mayDeploy ? 'console.first.may' : 'console.first.mayNot')}</p>
          {costs !== null && (
            <p>
              <Tokens text="console.first.balance" values={{ balance: costs.balance }} />
            </p>
          )}
          {!mayDeploy && admission !== null && <admission.AdmissionForm session={session} />}
          {!mayDeploy && (
            <p>
              <a href="/operator">{say('operator.title')}</a>
            </p>
          )}
        </li>
        <li>
          <h3>{say('console.first.named')}</h3>
          <p>{say(isConfirmed ? 'console.first.isNamed' : 'console.first.isUnnamed')}</p>
        </li>
        <li>
          <h3>{say('console.first.issue')}</h3>
          <p>{say('console.first.issueHint')}</p>
          <p class="actions">
            <a class="button primary" href={fragmentOf('issue')}>
              {say('many.single')}
            </a>{' '}
            <a class="button" href={fragmentOf('many')}>
              {say('issued.many')}
            </a>
          </p>
        </li>
        <li>
          <h3>{say('console.first.look')}</h3>
          <p>{say('console.first.lookHint')}</p>
        </li>
      </ol>
    </div>
  );
}

interface StrangersProperties {
  readonly state: State;
  readonly session: SignedIn;
  readonly dispatch: Dispatch;
}

/** What strangers see while no domain confirms the account, and how to change it. An account that owns no register does not need a domain for those of others. */
export function Strangers({ state: { domain, registers }, session, dispatch }: StrangersProperties) {
  const [isWanted, setWanted] = useState(false);
  const others = (registers ?? []).filter(({ ownerId }) => ownerId.toLowerCase() !== session.account.toLowerCase());
  const areOthers = others.length > 0 && others.length === registers?.length;
  const seen = usePart(
    areOthers,
    () => import('./others-seen.tsx'),
    (error) => dispatch({ type: 'answered', answer: refusal(error) }),
  );
  const field = usePart(
    isWanted,
    () => import('/components/domain-field.tsx'),
    (error) => dispatch({ type: 'answered', answer: refusal(error) }),
  );
  if (areOthers) {
    return seen === null ? null : <seen.OthersSeen session={session} registers={others} dispatch={dispatch} />;
  }
  return (
    <section id="strangers" aria-labelledby="strangers-title">
      <h2 id="strangers-title">{say('console.strangers.title')}</h2>
      <blockquote class="answer" data-kind="untrusted">
        <p>
          <b>{say('headline.issuer-not-confirmed')}</b>
        </p>
        <p>{say('explain.issuer-not-confirmed')}</p>
      </blockquote>
      {others.length > 0 && <p class="hint">{say('console.strangers.own')}</p>}
      {field === null ? (
        <p class="actions">
          <button type="button" id="confirm-domain" aria-expanded={isWanted} onClick={() => setWanted(true)}>
            {say('issue.domainNone')}
          </button>
        </p>
      ) : (
        <field.DomainField session={session} domain={domain} dispatch={dispatch} />
      )}
    </section>
  );
}
