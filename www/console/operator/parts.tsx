// The parts of the operator's view without files of their own: the pause, blocks, stuck work, tokens and quotas, and the audit log.
import { toUnits } from '/client/index.js';
import { isAccount } from '/lib/contacts.ts';
import { momentText, say } from '/lib/texts.ts';
import { Certified } from '/components/text.tsx';
import { Refusal } from '/view/json.ts';
import { useEffect, useState } from 'preact/hooks';
import { tokensIn } from '../people/state.ts';
import { Deciding } from './deciding.tsx';
import { type Reading, useList } from './list.ts';
import { ACTION_NAMES, type AuditFilter, MAX_REASON, actionIn, factorIn, isShown, reasonIn } from './state.ts';
import type { PartProperties } from './view.tsx';

/** What follows a list: whether it is empty, and the way to read on. */
export function More({ list: { items, next, more } }: { readonly list: Pick<Reading<unknown>, 'items' | 'next' | 'more'> }) {
  return (
    <>
      <p role="status">{items === null ? say('console.loading') : items.length === 0 && say('operate.none')}</p>
      {next !== null && (
        <p class="actions">
          <button type="button" onClick={more}>
            {say('issued.more')}
          </button>
        </p>
      )}
    </>
  );
}

interface EntryProperties {
  readonly id: string;
  readonly label: string;
  readonly value: string;
  readonly changed: (text: string) => void;
  readonly most: number;
}

/** A field of a form, with its label. */
export const Entry = ({ id, label, value, changed, most }: EntryProperties) => (
  <p>
    <label for={id}>{label}</label>
    <input id={id} maxLength={most} autocomplete="off" spellcheck={false} autocapitalize="off" value={value} onInput={({ currentTarget }) => changed(currentTarget.value)} />
  </p>
);

/** The maximum length of an entered address or number, in characters. */
export const MAX_ENTRY = 60;

/** Returns the address of an account or a register, or refuses. */
export function addressIn(text: string): string {
  if (!isAccount(text.trim())) {
    throw Refusal.of('operate.addressWrong');
  }
  return text.trim();
}

export function PausePart(properties: PartProperties) {
  const {
    session: { client },
    state: { pause },
    dispatch,
  } = properties;
  const [message, setMessage] = useState('');
  const begin = async (reason: string) => {
    const text = reasonIn(message);
    if (text === null) {
      throw Refusal.of('operate.messageWrong', { most: MAX_REASON });
    }
    dispatch({ type: 'allowed', pause: (await client.adminChange('pause', { message: text, reason })).data });
  };
  const end = async (reason: string) => dispatch({ type: 'allowed', pause: (await client.adminChange('resume', { reason })).data });
  const isPaused = pause !== null && pause.pausedAt !== null;
  return (
    <>
      <p id="pause-state">{isPaused && pause.pausedAt !== null ? say('operate.pause.isPaused', { date: momentText(new Date(pause.pausedAt)) }) : say('operate.pause.isOpen')}</p>
      {isPaused && (
        <blockquote class="given">
          <Certified text={pause.message ?? ''} />
        </blockquote>
      )}
      <p class="hint">{say('operate.pause.hint')}</p>
      {isPaused ? (
        <Deciding {...properties} id="resume" text={say('operate.pause.end')} reason={say('operate.pause.endReason')} send={end} />
      ) : (
        <Deciding {...properties} id="pause" text={say('operate.pause.begin')} reason="" send={begin}>
          <Entry id="pause-message" label={say('operate.pause.message')} value={message} changed={setMessage} most={MAX_REASON} />
        </Deciding>
      )}
    </>
  );
}

export function Blocks(properties: PartProperties) {
  const { client } = properties.session;
  const list = useList(properties, 'blocks');
  const [address, setAddress] = useState('');
  const block = async (reason: string) => {
    const blocked = addressIn(address);
    if (blocked.toLowerCase() === properties.session.account.toLowerCase()) {
      throw Refusal.of('operate.blocks.own');
    }
    await client.adminChange('blocks', { address: blocked, reason });
    setAddress('');
    list.again();
  };
  const unblock = (address: string) => async (reason: string) => {
    await client.adminChange('unblock', { address, reason });
    list.replace((one) => one.address === address, null);
  };
  return (
    <>
      <p class="hint">{say('operate.blocks.hint')}</p>
      <Deciding {...properties} id="block" text={say('operate.blocks.block')} reason="" send={block}>
        <Entry id="block-address" label={say('operate.address')} value={address} changed={setAddress} most={MAX_ENTRY} />
      </Deciding>
      <ul class="entries" id="block-list">
        {list.items?.map(({ address, reason, blockedAt }) => (
          <li key={address}>
            <code class="long">{address}</code> <Certified text={reason ?? ''} />
            <p class="hint">{blockedAt !== null && momentText(new Date(blockedAt))}</p>
            <Deciding {...properties} id={`unblock-${address}`} text={say('operate.blocks.unblock')} label={say('operate.blocks.unblockOne', { address })} reason="" send={unblock(address)} />
          </li>
        ))}
      </ul>
      <More list={list} />
    </>
  );
}

/** The kinds of records, by their numbers. */
const RECORDS = ['order', 'deployment', 'approval'] as const;

export function Stuck(properties: PartProperties) {
  const { client } = properties.session;
  const records = useList(properties, 'records');
  const letters = useList(properties, 'dead-letters');
  const retryRecord = (ref: string) => async (reason: string) => {
    const { data } = await client.adminDecide('records', ref, 'retry', reason);
    records.replace((one) => one.ref === ref, data);
  };
  const retryLetter = (ref: string) => async (reason: string) => {
    const { data } = await client.adminDecide('dead-letters', ref, 'retry', reason);
    letters.replace((one) => one.ref === ref, data);
  };
  const retry = { text: say('operate.stuck.retry'), reason: say('operate.stuck.retryReason') };
  return (
    <>
      <p class="hint">{say('operate.stuck.hint')}</p>
      <h4>{say('operate.stuck.records')}</h4>
      <ul class="entries" id="record-list">
        {records.items?.map(({ ref, kind, creatorId, faults, retryAt, createdAt }) => (
          <li key={ref}>
            <b>{say(`operate.stuck.kinds.${RECORDS[kind] ?? 'order'}`)}</b> <code class="long">{ref}</code>
            <p>{say('operate.stuck.faults', { count: faults, date: momentText(new Date(retryAt)) })}</p>
            <p class="hint">
              <code class="long">{creatorId}</code> · {momentText(new Date(createdAt))}
            </p>
            <Deciding {...properties} {...retry} id={`record-${ref}`} label={say('operate.stuck.retryOne', { ref })} send={retryRecord(ref)} />
          </li>
        ))}
      </ul>
      <More list={records} />
      <h4>{say('operate.stuck.letters')}</h4>
      <ul class="entries" id="letter-list">
        {letters.items?.map(({ ref, body, receivedAt, retriedAt }) => (
          <li key={ref}>
            <code class="long">{body}</code>
            <p class="hint">
              {momentText(new Date(receivedAt))}
              {retriedAt !== null && ` · ${say('operate.stuck.retried', { date: momentText(new Date(retriedAt)) })}`}
            </p>
            <Deciding {...properties} {...retry} id={`letter-${ref}`} label={say('operate.stuck.retryOne', { ref })} send={retryLetter(ref)} />
          </li>
        ))}
      </ul>
      <More list={letters} />
    </>
  );
}

export function Tokens(properties: PartProperties) {
  const { client } = properties.session;
  const [address, setAddress] = useState('');
  const [tokens, setTokens] = useState('');
  const [factor, setFactor] = useState('');
  const grant = async (reason: string) => {
    const amount = tokensIn(tokens);
    if (amount === null || amount === '') {
      throw Refusal.of('operate.tokens.amountWrong');
    }
    await client.adminChange('grants', { address: addressIn(address), amount: String(toUnits(amount)), reason });
    // A second grant of the same tokens is entered again.
    setTokens('');
  };
  const raise = async (reason: string) => {
    const number = factorIn(factor);
    if (number === null) {
      throw Refusal.of('operate.tokens.factorWrong');
    }
    await client.adminChange('quotas', { address: addressIn(address), factor: number, reason });
  };
  return (
    <>
      <Entry id="token-account" label={say('operate.tokens.account')} value={address} changed={setAddress} most={MAX_ENTRY} />
      <p class="hint">{say('operate.tokens.grantHint')}</p>
      <Deciding {...properties} id="grant" text={say('operate.tokens.grant')} reason="" send={grant}>
        <Entry id="grant-tokens" label={say('operate.tokens.amount')} value={tokens} changed={setTokens} most={MAX_ENTRY} />
      </Deciding>
      <p class="hint">{say('operate.tokens.quotaHint')}</p>
      <Deciding {...properties} id="quota" text={say('operate.tokens.quota')} reason="" send={raise}>
        <Entry id="quota-factor" label={say('operate.tokens.factor')} value={factor} changed={setFactor} most={MAX_ENTRY} />
      </Deciding>
    </>
  );
}

/** The number of entries in which a filter searches by itself, and the number of found ones with which it stops. */
const MAX_SEARCHED = 1000;
const MIN_FOUND = 10;

export function AuditLog(properties: PartProperties) {
  const list = useList(properties, 'audit');
  const admissions = useList(properties, 'admissions');
  const [filter, setFilter] = useState<AuditFilter>({ name: '', account: '', isAll: false });
  const change = (changed: Partial<AuditFilter>) => setFilter({ ...filter, ...changed });
  // A request for admission is found by its account.
  const entries = list.items?.map((entry) => ({ entry, asked: admissions.items?.find((one) => one.ref === entry.subject) }));
  const shown = entries?.filter(({ entry, asked }) => isShown({ ...entry, subject: asked?.accountId ?? entry.subject }, filter));
  const isFiltered = filter.name !== '' || filter.account.trim() !== '';
  useEffect(() => {
    if (isFiltered && list.items !== null && list.next !== null && list.items.length < MAX_SEARCHED && (shown ?? []).length < MIN_FOUND) {
      list.more();
    }
  }, [filter, list.items]);
  return (
    <>
      <p class="hint">{say('operate.auditHint')}</p>
      <p>
        <label for="audit-action">{say('operate.auditAction')}</label>
        <select id="audit-action" value={filter.name} onChange={({ currentTarget: { value } }) => change({ name: value })}>
          <option value="">{say('operate.auditActions')}</option>
          {ACTION_NAMES.map((name) => (
            <option value={name}>{say(`operate.actions.${name}`)}</option>
          ))}
        </select>
      </p>
      <Entry id="audit-account" label={say('operate.auditAccount')} value={filter.account} changed={(account) => change({ account })} most={MAX_ENTRY} />
      <p hidden={filter.name !== ''}>
        <label>
          <input type="checkbox" id="audit-looks" checked={filter.isAll} onChange={({ currentTarget }) => change({ isAll: currentTarget.checked })} /> {say('operate.auditLooks')}
        </label>
      </p>
      <p class="hint" role="status">
        {isFiltered && list.items !== null && say('operate.auditFound', { count: (shown ?? []).length, entries: list.items.length })}
      </p>
      <ol class="entries" id="audit-list">
        {shown?.map(({ entry: { ref, accountId, action, subject, detail, reason, createdAt }, asked }) => {
          const name = actionIn(action);
          return (
            <li key={ref}>
              {name === null ? <code class="long">{action}</code> : <b>{say(`operate.actions.${name}`)}</b>} {reason !== null && <Certified text={reason} />}
              {asked?.organisation && (
                <p>
                  <Certified text={asked.organisation} />
                </p>
              )}
              {subject !== null && (
                <p>
                  <code class="long">{asked?.accountId ?? subject}</code>
                </p>
              )}
              {detail !== null && (
                <p>
                  <code class="long">{detail}</code>
                </p>
              )}
              <p class="hint">
                {say('operate.by')} <code class="long">{accountId}</code> · {momentText(new Date(createdAt))}
              </p>
            </li>
          );
        })}
      </ol>
      <More list={list} />
    </>
  );
}
