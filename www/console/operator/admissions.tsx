// Requests for admission: who asks to issue, and the decision.
import type { AdmissionRequest, AdmissionStatus } from '/client/index.js';
import { momentText, say } from '/lib/texts.ts';
import { Certified } from '/components/text.tsx';
import { useState } from 'preact/hooks';
import { Deciding } from './deciding.tsx';
import { useList } from './list.ts';
import { More } from './parts.tsx';
import type { PartProperties } from './view.tsx';

const STATUSES = ['waiting', 'approved', 'declined'] as const satisfies readonly AdmissionStatus[];

export function Admissions(properties: PartProperties) {
  const { session } = properties;
  const [status, setStatus] = useState<AdmissionStatus | null>('waiting');
  const list = useList(properties, 'admissions', status);
  const decide = (ref: string, decision: 'approve' | 'decline') => async (reason: string) => {
    const { data } = await session.client.adminDecide('admissions', ref, decision, reason);
    // A request leaves a list of another status.
    list.replace((one) => one.ref === ref, status === null || data.status === status ? data : null);
  };
  return (
    <>
      <p class="hint">{say('operate.admissions.hint')}</p>
      <p>
        <label for="admission-status">{say('operate.admissions.status')}</label>
        <select id="admission-status" value={status ?? ''} onChange={({ currentTarget: { value } }) => setStatus(STATUSES.find((one) => one === value) ?? null)}>
          {STATUSES.map((one) => (
            <option value={one}>{say(`operate.admissions.statuses.${one}`)}</option>
          ))}
          <option value="">{say('operate.admissions.all')}</option>
        </select>
      </p>
      <ul class="entries" id="admission-list">
        {list.items?.map((request) => (
          <li key={request.ref}>
            <Facts request={request} />
            <div class="actions">
              {request.status !== 'approved' && (
                <Deciding
                  {...properties}
                  id={`approve-${request.ref}`}
                  text={say('operate.admissions.approve')}
                  label={say('operate.admissions.approveOne', { name: request.organisation ?? request.accountId })}
                  reason={say('operate.admissions.approveReason')}
                  send={decide(request.ref, 'approve')}
                />
              )}{' '}
              {request.status !== 'declined' && (
                <Deciding
                  {...properties}
                  id={`decline-${request.ref}`}
                  text={say(request.status === 'approved' ? 'operate.admissions.takeBack' : 'operate.admissions.decline')}
                  label={say('operate.admissions.declineOne', { name: request.organisation ?? request.accountId })}
                  reason=""
                  send={decide(request.ref, 'decline')}
                />
              )}
            </div>
          </li>
        ))}
      </ul>
      <More list={list} />
    </>
  );
}

function Facts({ request: { organisation, contact, text, domain, accountId, status, createdAt, decidedAt, decidedBy } }: { readonly request: AdmissionRequest }) {
  return (
    <>
      <h4>{organisation === null ? say('operate.admissions.erased') : <Certified text={organisation} />}</h4>
      <p>
        {domain === null ? (
          say('operate.admissions.noDomain')
        ) : (
          <>
            {say('operate.admissions.domain')} <Certified text={domain} />
          </>
        )}
      </p>
      {contact !== null && (
        <p>
          {say('operate.admissions.contact')} <Certified text={contact} />
        </p>
      )}
      {text !== null && text !== '' && (
        <blockquote class="given">
          <Certified text={text} />
        </blockquote>
      )}
      <p class="hint">
        <code class="long">{accountId}</code> · {momentText(new Date(createdAt))} · {say(`operate.admissions.statuses.${status}`)}
        {decidedAt !== null && ` ${momentText(new Date(decidedAt))}`}
        {decidedBy !== null && (
          <>
            {' · '}
            <code class="long">{decidedBy}</code>
          </>
        )}
      </p>
    </>
  );
}
