// A row of the list of certificates.
import { dayText, say } from '/lib/texts.ts';
import { Certified } from '/components/text.tsx';
import type { OwnLedger } from '/lib/issuing.ts';
import { type Dispatch, byText, textsOf } from './listing.ts';
import { type Certificate, type State, keyOf } from './state.ts';

interface Properties {
  readonly certificate: Certificate;
  /** The number of the row in the table, from 1. */
  readonly number: number;
  readonly account: string;
  readonly registers: readonly OwnLedger[];
  readonly state: State;
  readonly dispatch: Dispatch;
  readonly address: string;
}

export function Row({ certificate, number, account, registers, state, dispatch, address }: Properties) {
  const { id, date, by, asset } = certificate;
  const key = keyOf(certificate);
  const { holder, title, status } = textsOf(certificate, state, registers);
  const named = holder === '' ? say('certificates.noHolder') : holder;
  return (
    <tr class="row" aria-rowindex={number}>
      <td class="tick">
        <input
          type="checkbox"
          aria-label={say('certificates.tick', { holder: named, title, number: id.slice(-4) })}
          disabled={asset === null}
          checked={state.ticked.has(key)}
          onChange={({ currentTarget }) => dispatch({ type: 'ticked', key, isTicked: currentTarget.checked })}
        />
      </td>
      <th scope="row" class="holder">
        <a href={address} title={holder}>
          {holder === '' ? <i>{named}</i> : <Certified text={holder} />}
        </a>
      </th>
      <td class="title" title={title}>
        <Certified text={title} />
      </td>
      <td class="number">
        <span title={id}>…{id.slice(-4)}</span>
      </td>
      <td class="date">{date === '' ? '' : dayText(date)}</td>
      <td class="by" title={byText(by, account)}>
        {byText(by, account)}
      </td>
      <td class="state" data-state={status}>
        {status === 'unknown' && state.isLooking ? '' : say(`certificates.statuses.${status}`)}
      </td>
    </tr>
  );
}
