// The step that needs an account: signing and issuing. Loaded with the first template, with the client of the API.
import { say } from '/lib/texts.ts';
import { CostsLine, LedgerField } from '/components/ledger-choice.tsx';
import { DomainField } from '/components/domain-field.tsx';
import { findDomain } from '/components/domain.ts';
import { chosenLedger } from '/components/ledger-state.ts';
import { ReviewerField } from '/components/reviewer-field.tsx';
import { SignIn } from '/components/sign-in.tsx';
import { useEffect, useLayoutEffect } from 'preact/hooks';
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
  // Before anybody can press the button, which waits for the search.
  useLayoutEffect(() => {
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
        <LedgerField session={session} choice={ledgers} isBusy={step !== null} dispatch={dispatch} />
        <ReviewerField
          session={session}
          ledger={chosenLedger(ledgers)}
          reviewer={state.reviewer}
          isBusy={step !== null}
          hint={say('issue.reviewerHint')}
          chosen={(account) => dispatch({ type: 'reviewerChosen', account })}
        />
        <CostsLine session={session} choice={ledgers} certificates={1} />
        <p class="actions">
          <button type="button" class="primary" id="issue" disabled={isIssuing || ledgers.search !== null} onClick={() => issue(state, dispatch)}>
            {say('issue.issue')}
          </button>
        </p>
      </div>
      <Progress step={step} />
    </section>
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
