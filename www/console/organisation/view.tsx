// The view of the organisation: its domain with the live state, the text for the webmaster, its name, logo and contact, and its badge keys.
import { keepOrganisation, readOrganisation } from '/lib/organisation.ts';
import { byId } from '/lib/page.ts';
import { explained } from '/lib/signer.ts';
import { momentText, say } from '/lib/texts.ts';
import { busy, refusal } from '/components/answer.ts';
import { DomainField } from '/components/domain-field.tsx';
import { type DomainDispatch, checkDomain } from '/components/domain.ts';
import { Certified } from '/components/text.tsx';
import type { IssuerDomain } from '/client/index.js';
import type { ComponentChildren } from 'preact';
import { useEffect, useLayoutEffect, useReducer, useState } from 'preact/hooks';
import { fragmentOf } from '../address.ts';
import { Cause } from '../causes.tsx';
import type { ViewProperties } from '../views.ts';
import { type Alarm, alarmOf, reduce, standingOf, startOf } from './state.ts';

/** The time between two looks at a check that is in progress, in milliseconds, and the maximum number of looks. */
const PAUSE = 2000;
const MAX_LOOKS = 15;

export function View({ session, answered, confirmationFound = () => {} }: ViewProperties) {
  const [state, dispatch] = useReducer(reduce, null, () => startOf(session, readOrganisation()));
  /** Whether the person changes what the file says. */
  const [isChanging, setChanging] = useState(false);
  const { known, webhook, domain } = state;
  const { organisation, logo, contact } = domain;
  const refuse = (error: unknown) => answered(refusal(explained(error)));
  const isNamed = known !== null && known.domain !== null;
  const dispatchDomain = (action: Parameters<DomainDispatch>[0]) => (action.type === 'answered' ? answered(action.answer) : dispatch(action));
  const show = (known: IssuerDomain) => {
    dispatch({ type: 'read', known });
    confirmationFound(known.state === 'confirmed');
  };
  const read = async () => show((await session.client.getDomain()).data);
  useEffect(() => {
    read().catch(refuse);
    // The field below may have set the domain.
  }, [session, domain.summary]);
  useEffect(() => {
    session.client.getAccountWebhook().then(({ data }) => dispatch({ type: 'webhookRead', webhook: data }), refuse);
  }, [session]);
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
      show(data);
      answered(null);
    } catch (error) {
      refuse(error);
    }
  };
  const change = async () => {
    if (known !== null && known.domain !== null) {
      setChanging(false);
      answered(busy(say('issue.domainChecking')));
      // The file as the website has it now.
      await checkDomain(session, { ...domain, name: known.domain }, dispatchDomain);
      answered(null);
      setChanging(true);
    }
  };
  useLayoutEffect(() => {
    if (isChanging) {
      // A file with the entries of others has no fields here.
      (document.getElementById('organisation') ?? byId('domain-state')).focus();
    }
  }, [isChanging]);
  const remove = async () => {
    if (known === null || !confirm(say('organisation.removeSure', { domain: known.displayDomain ?? '' }))) {
      return;
    }
    try {
      const { data } = await session.client.deleteDomain();
      setChanging(false);
      dispatch({ type: 'removed', known: data });
      confirmationFound(false);
      answered({ kind: 'valid', isResult: true, text: say('organisation.removed') });
    } catch (error) {
      refuse(error);
    }
  };
  return (
    <div id="organisation-view">
      <p class="lead">{say('organisation.lead')}</p>
      {known === null ? <p role="status">{say('console.loading')}</p> : <Standing known={known} check={check} change={change} remove={remove} />}
      {isNamed && webhook !== null && <AlarmLine alarm={alarmOf(webhook)} />}
      <h3>{say('organisation.change')}</h3>
      <p class="hint">{say('organisation.changeHint')}</p>
      <DomainField session={session} domain={{ ...domain, summary: domain.summary || (known === null ? '' : summaryOf(known)) }} dispatch={dispatchDomain} isOpen={isChanging} />
    </div>
  );
}

/** Returns the sentence about the domain, as the field of the pages that issue says it. */
const summaryOf = ({ domain, displayDomain, state }: IssuerDomain): string =>
  domain === null ? '' : say(state === 'confirmed' ? 'issue.domainConfirmed' : 'issue.domainUnconfirmed', { domain: displayDomain });

const KIND_OF_STANDING: { readonly [standing: string]: string } = { confirmed: 'valid', failing: 'unchecked' };

/** Says whether the account is told before its domain no longer confirms it. */
function AlarmLine({ alarm }: { readonly alarm: Alarm }) {
  return (
    <p id="alarm" data-alarm={alarm}>
      <b>{say('organisation.alarm.title')}:</b> {say(`organisation.alarm.${alarm}`)} {alarm !== 'on' && <a href={fragmentOf('developers')}>{say('organisation.alarm.link')}</a>}
    </p>
  );
}

interface StandingProperties {
  readonly known: IssuerDomain;
  readonly check: () => void;
  readonly change: () => void;
  readonly remove: () => void;
}

function Standing({ known, check, change, remove }: StandingProperties) {
  const standing = standingOf(known);
  const { displayDomain, name, firstSeen, lastSeen, confirmedUntil, checkedAt, nextCheckAt, reason, message, earlier } = known;
  return (
    <section aria-label={say('organisation.domain')} id="standing" data-standing={standing}>
      <p class="answer" data-kind={KIND_OF_STANDING[standing] ?? 'untrusted'}>
        {say(`organisation.standings.${standing}`, { domain: displayDomain ?? '', date: confirmedUntil === null ? '' : momentText(new Date(confirmedUntil)) })}
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
            </button>{' '}
            <button type="button" id="change-organisation" onClick={change}>
              {say('issue.domainChange')}
            </button>{' '}
            <button type="button" id="remove-domain" onClick={remove}>
              {say('organisation.remove')}
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
