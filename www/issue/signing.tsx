// The step that needs an account: signing and issuing. Loaded with the first template, with the client of the API.
import { readNames } from '/lib/contacts.ts';
import { say } from '/lib/texts.ts';
import { CostsLine, LedgerField } from '/components/ledger-choice.tsx';
import { DomainField } from '/components/domain-field.tsx';
import { findDomain } from '/components/domain.ts';
import { SignIn } from '/components/sign-in.tsx';
import { useEffect } from 'preact/hooks';
import { findLedgers, issue } from './issuing.ts';
import type { Dispatch } from './making.ts';
import { STEPS, type State, type Step } from './state.ts';

export { Done } from './done.tsx';

interface Properties {
  readonly state: State;
  readonly dispatch: Dispatch;
}

/** `isGiven` says that the session is the one of the console. */
export function SignStep({ state, dispatch, isGiven }: Properties & { readonly isGiven: boolean }) {
  const { template, session, ledgers, isIssuing, step } = state;
  useEffect(() => {
    findLedgers(state, dispatch);
  }, [template, session]);
  useEffect(() => {
    findDomain(session, dispatch);
  }, [session]);
  return (
    <section id="signing" aria-labelledby="signing-title" hidden={template === null}>
      <h2 id="signing-title">{say('issue.signTitle')}</h2>
      {state.operator === null && !isGiven && <SignIn changed={(session) => dispatch({ type: 'signedIn', session })} canDraw isInert={step !== null} />}
      <div id="signed" hidden={session === null}>
        <DomainField session={session} domain={state.domain} dispatch={dispatch} />
        <LedgerField choice={ledgers} isBusy={step !== null} dispatch={dispatch} />
        <ReviewerField state={state} dispatch={dispatch} />
        <CostsLine costs={session?.costs ?? null} choice={ledgers} certificates={1} />
        <p class="actions">
          <button type="button" class="primary" id="issue" disabled={isIssuing} onClick={() => issue(state, dispatch)}>
            {say('issue.issue')}
          </button>
        </p>
      </div>
      <Progress step={step} />
    </section>
  );
}

/** Lets a colleague of this browser's address list sign too. */
function ReviewerField({ state: { session, reviewer, step }, dispatch }: Properties) {
  const colleagues = [...readNames()].filter(([account]) => account !== session?.account.toLowerCase());
  if (colleagues.length === 0) {
    return null;
  }
  return (
    <>
      <p>
        <label for="reviewer">{say('issue.reviewer')}</label>{' '}
        <select
          id="reviewer"
          aria-describedby="reviewer-hint"
          disabled={step !== null}
          value={reviewer}
          onChange={({ currentTarget }) => dispatch({ type: 'reviewerChosen', account: currentTarget.value })}
        >
          <option value="">{say('issue.reviewerNone')}</option>
          {colleagues.map(([account, name]) => (
            <option value={account}>{name}</option>
          ))}
        </select>
      </p>
      <p class="hint" id="reviewer-hint">
        {say('issue.reviewerHint')}
      </p>
    </>
  );
}

/** Shows the steps of issuing. */
function Progress({ step: current }: { readonly step: Step | null }) {
  const at = current === null ? -1 : STEPS.indexOf(current);
  return (
    <ol class="progress" id="progress" hidden={current === null}>
      {STEPS.map((step, index) => (
        <li data-state={index < at ? 'done' : index === at ? 'busy' : 'waiting'} aria-current={index === at ? 'step' : undefined}>
          {say(`issue.step.${step}`)}
        </li>
      ))}
    </ol>
  );
}
