// What leads on while something is missing: the steps to the first certificate, and what strangers see without a confirmed domain.
import { fromUnits } from '/client/index.js';
import { say } from '/lib/texts.ts';
import { refusal } from '/components/answer.ts';
import { usePart } from '/components/part.ts';
import type { SignedIn } from '/lib/sign-in.ts';
import { useState } from 'preact/hooks';
import { fragmentOf } from './address.ts';
import type { Dispatch } from './knowing.ts';
import type { State } from './state.ts';

/** The four steps to the first certificate, for an account that has no register. */
export function FirstSteps({ session, isConfirmed, dispatch }: { readonly session: SignedIn; readonly isConfirmed: boolean; readonly dispatch: Dispatch }) {
  const { mayDeploy, costs } = session;
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
          {costs !== null && <p>{say('console.first.balance', { balance: fromUnits(BigInt(costs.balance)) })}</p>}
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

/** What strangers see while no domain confirms the account, and how to change it. */
export function Strangers({ state: { session, domain }, dispatch }: { readonly state: State; readonly dispatch: Dispatch }) {
  const [isWanted, setWanted] = useState(false);
  const field = usePart(
    isWanted,
    () => import('/components/domain-field.tsx'),
    (error) => dispatch({ type: 'answered', answer: refusal(error) }),
  );
  return (
    <section id="strangers" aria-labelledby="strangers-title">
      <h2 id="strangers-title">{say('console.strangers.title')}</h2>
      <blockquote class="answer" data-kind="untrusted">
        <p>
          <b>{say('headline.issuer-not-confirmed')}</b>
        </p>
        <p>{say('explain.issuer-not-confirmed')}</p>
      </blockquote>
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
