// The view of the organisation: its domain with the live state, the text for the webmaster, its name, logo and contact, and its badge keys.
import { keepOrganisation, readOrganisation } from '/lib/organisation.ts';
import { explained } from '/lib/signer.ts';
import { momentText, say } from '/lib/texts.ts';
import { busy, refusal } from '/components/answer.ts';
import { DomainField } from '/components/domain-field.tsx';
import { Certified } from '/components/text.tsx';
import type { IssuerDomain } from '/client/index.js';
import type { ComponentChildren } from 'preact';
import { useEffect, useReducer } from 'preact/hooks';
import { Cause } from '../causes.tsx';
import type { ViewProperties } from '../views.ts';
import { reduce, standingOf, startOf } from './state.ts';

/** The time between two looks at a check that is in progress, in milliseconds, and the maximum number of looks. */
const PAUSE = 2000;
const MAX_LOOKS = 15;

export function View({ session, answered }: ViewProperties) {
  const [state, dispatch] = useReducer(reduce, null, () => startOf(session, readOrganisation()));
  const { known, domain } = state;
  const { organisation, logo, contact } = domain;
  const refuse = (error: unknown) => answered(refusal(explained(error)));
  const read = async () => dispatch({ type: 'read', known: (await session.client.getDomain()).data });
  useEffect(() => {
    read().catch(refuse);
    // The field below may have set the domain.
  }, [session, domain.summary]);
  useEffect(() => {
    if (organisation !== '' || logo !== '' || contact !== '') {
      keepOrganisation({ organisation, logo, contact });
    }
  }, [organisation, logo, contact]);
  const check = async () => {
    if (known === null || known.domain === null) {
      return;
    }
    answered(busy(say('issue.domainChecking')));
    try {
      // Setting the domain again requests another check.
      let { data } = await session.client.setDomain(known.domain);
      for (let left = MAX_LOOKS; left > 0 && data.isBeingChecked; left -= 1) {
        await new Promise((resolve) => setTimeout(resolve, PAUSE));
        data = (await session.client.getDomain()).data;
      }
      dispatch({ type: 'read', known: data });
      answered(null);
    } catch (error) {
      refuse(error);
    }
  };
  return (
    <div id="organisation-view">
      <p class="lead">{say('organisation.lead')}</p>
      {known === null ? <p role="status">{say('console.loading')}</p> : <Standing known={known} check={check} />}
      <h3>{say('organisation.change')}</h3>
      <p class="hint">{say('organisation.changeHint')}</p>
      <DomainField session={session} domain={domain} dispatch={(action) => (action.type === 'answered' ? answered(action.answer) : dispatch(action))} />
    </div>
  );
}

function Standing({ known, check }: { readonly known: IssuerDomain; readonly check: () => void }) {
  const standing = standingOf(known);
  const { displayDomain, name, firstSeen, lastSeen, checkedAt, nextCheckAt, reason, message, earlier } = known;
  return (
    <section aria-label={say('organisation.domain')} id="standing" data-standing={standing}>
      <p class="answer" data-kind={standing === 'confirmed' ? 'valid' : 'untrusted'}>
        {say(`organisation.standings.${standing}`, { domain: displayDomain ?? '' })}
      </p>
      <Cause reason={reason} message={message ?? ''} />
      {standing !== 'none' && (
        <>
          <dl class="facts">
            {name !== null && (
              <Fact name="name">
                <Certified text={name} />
              </Fact>
            )}
            {firstSeen !== null && <Fact name="since">{momentText(new Date(firstSeen))}</Fact>}
            {lastSeen !== null && <Fact name="lastSeen">{momentText(new Date(lastSeen))}</Fact>}
            {checkedAt !== null && <Fact name="checked">{momentText(new Date(checkedAt))}</Fact>}
            {nextCheckAt !== null && <Fact name="next">{momentText(new Date(nextCheckAt))}</Fact>}
            {earlier.length > 0 && <Fact name="earlier">{say('organisation.periods', { count: earlier.length })}</Fact>}
          </dl>
          <p class="actions">
            <button type="button" id="check-again" onClick={check}>
              {say('organisation.again')}
            </button>
          </p>
        </>
      )}
    </section>
  );
}

function Fact({ name, children }: { readonly name: string; readonly children: ComponentChildren }) {
  return (
    <div>
      <dt>{say(`organisation.facts.${name}`)}</dt>
      <dd>{children}</dd>
    </div>
  );
}
