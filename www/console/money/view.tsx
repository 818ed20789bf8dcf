// The view of money and limits: the balance, the price of a certificate, deposits, and a statement for each month. Without payments, it shows limits.
import { fromUnits } from '/client/index.js';
import type { Account, Ticker } from '/client/index.js';
import { shownTokens } from '/lib/amounts.ts';
import { noteAccount } from '/lib/balance.ts';
import { download } from '/lib/page.ts';
import { explained } from '/lib/signer.ts';
import { writeTable } from '/lib/tables.ts';
import { dayText, locale, momentText, say } from '/lib/texts.ts';
import { Refusal, own } from '/view/json.ts';
import { busy, refusal } from '/components/answer.ts';
import { useEffect, useReducer, useState } from 'preact/hooks';
import { fragmentOf } from '../address.ts';
import { LISTED, type ViewProperties } from '../views.ts';
import { type Action, type Limits, type State, aroundMonth, centsIn, moneyOf, monthsUpTo, reduce, startOf, sumsOf } from './state.ts';

interface PartProperties extends ViewProperties {
  readonly state: State;
  readonly dispatch: (action: Action) => void;
}

/** The maximum number of deposits that are shown. */
const MAX_DEPOSITS = 5;

/** The costs that are shown. */
const COSTS = ['assetCreateCost', 'assetUpdateCost', 'assetDestroyCost', 'setAbilitiesCost', 'assetDeployCost'] as const;

export function View(properties: ViewProperties) {
  const { session, answered } = properties;
  const [now] = useState(Date.now);
  const [state, dispatch] = useReducer(reduce, null, () => startOf(monthsUpTo(now, null)[0] ?? ''));
  const given: PartProperties = { ...properties, state, dispatch };
  const refuse = (error: unknown) => answered(refusal(explained(error)));
  const { account, month } = state;
  useEffect(() => {
    Promise.all([readAccount(given), readLimits(given)]).catch(refuse);
  }, [session]);
  useEffect(() => {
    readMonth(given, month).catch(refuse);
  }, [session, month]);
  return (
    <div id="money">
      {account === null ? <p role="status">{say('console.loading')}</p> : account.isPaymentRequired ? <Balance {...given} account={account} /> : <p class="lead">{say('money.free')}</p>}
      <LimitsPart {...given} />
      <Statement {...given} months={monthsUpTo(now, account?.createdAt ?? null)} />
    </div>
  );
}

async function readAccount({ session, dispatch }: PartProperties) {
  const { client } = session;
  const { data: account } = await client.getAccount();
  const { data: prices } = await client.getTickerStats({ limit: 1 });
  const { data: deposits } = account.isPaymentRequired ? await client.getDeposits({ limit: MAX_DEPOSITS }) : { data: [] };
  noteAccount(session, account);
  dispatch({ type: 'accountRead', account, price: prices[0] ?? null, deposits });
}

async function readLimits({ session: { client }, dispatch }: PartProperties) {
  const answer = await fetch('/health', { headers: { accept: 'application/json' } });
  const stated = own(own(await answer.json(), 'data'), 'rateLimits');
  const { data } = await client.getTrafficStats({ limit: 1 });
  const isToday = data[0]?.date === new Date().toISOString().slice(0, 10);
  const limits: Limits = { account: textIn(stated, 'account'), address: textIn(stated, 'address') };
  dispatch({ type: 'limitsRead', limits, today: isToday ? (data[0] ?? null) : null });
}

function textIn(value: unknown, name: string): string | null {
  const text = own(value, name);
  return typeof text === 'string' ? text : null;
}

async function readMonth({ session: { client }, dispatch }: PartProperties, month: string) {
  const { data } = await client.getCostsStats({ ...aroundMonth(month), limit: 100 });
  dispatch({ type: 'monthRead', month, days: data });
}

function Balance({ account, ...properties }: PartProperties & { readonly account: Account }) {
  const {
    state: { price, deposits, isBusy },
    session,
    dispatch,
    answered,
  } = properties;
  // The view in which the balance was too low.
  const [from, ...rest] = properties.parts;
  const back = LISTED.find(({ name }) => name === from);
  const [amount, setAmount] = useState('');
  const deposit = async (event: Event) => {
    event.preventDefault();
    dispatch({ type: 'busy', isBusy: true });
    answered(busy(say('money.sending')));
    try {
      const cents = centsIn(amount);
      if (cents === null) {
        throw Refusal.of('money.amountWrong');
      }
      const { data } = await session.client.createDeposit(cents, { checkout: true });
      await readAccount(properties);
      if (data.checkoutUrl !== null) {
        answered(busy(say('money.opening')));
        location.assign(data.checkoutUrl);
        return;
      }
      answered(data.status === 'succeeded' ? { kind: 'valid', text: say('money.paid', { tokens: shownTokens(data.tokens) }) } : null);
    } catch (error) {
      answered(refusal(explained(error)));
    } finally {
      dispatch({ type: 'busy', isBusy: false });
    }
  };
  return (
    <>
      <p class="lead" id="balance" title={exactly(account.balance)}>
        {say('money.balance', { balance: priced(BigInt(account.balance), price) })}
      </p>
      <dl class="facts" id="prices">
        {COSTS.map((name) => (
          <div>
            <dt>{say(`money.costs.${name}`)}</dt>
            <dd title={exactly(account.payment[name])}>{priced(BigInt(account.payment[name]), price)}</dd>
          </div>
        ))}
      </dl>
      <form onSubmit={deposit}>
        <p>
          <label for="deposit">{say('money.amount')}</label>
          <input id="deposit" inputMode="decimal" maxLength={10} autocomplete="off" value={amount} onInput={({ currentTarget }) => setAmount(currentTarget.value)} />
        </p>
        <p class="actions">
          <button type="submit" id="deposit-begin" disabled={isBusy || amount.trim() === ''}>
            {say('money.topUp')}
          </button>
        </p>
      </form>
      {back !== undefined && (
        <p id="money-back">
          <a href={fragmentOf(back.name, ...rest)}>{say('money.back', { view: say(`console.views.${back.name}`) })}</a>
        </p>
      )}
      {deposits.length > 0 && (
        <>
          <h3 id="deposits-title">{say('money.deposits')}</h3>
          <ul class="entries" id="deposits" aria-labelledby="deposits-title">
            {deposits.map(({ amount: cents, status, checkoutUrl, createdAt }) => (
              <li>
                <b>{new Intl.NumberFormat(locale, { style: 'currency', currency: 'EUR' }).format(cents / 100)}</b> <span class="hint">{momentText(new Date(createdAt))}</span>{' '}
                {say(`money.statuses.${status}`)} {checkoutUrl !== null && <a href={checkoutUrl}>{say('money.pay')}</a>}
              </li>
            ))}
          </ul>
        </>
      )}
    </>
  );
}

/** Returns an amount of base units in tokens, with all decimals. */
const exactly = (units: bigint | string) => say('money.tokens', { tokens: fromUnits(units) });

/** Returns an amount of tokens, and what they cost if the service states a price. */
function priced(units: bigint, price: Ticker | null): string {
  const tokens = say('money.tokens', { tokens: shownTokens(units) });
  return price === null ? tokens : `${tokens} (≈ ${new Intl.NumberFormat(locale, { style: 'currency', currency: price.quote, maximumSignificantDigits: 4 }).format(moneyOf(units, price))})`;
}

function LimitsPart({ state: { limits, today } }: PartProperties) {
  const textOf = (limit: string | null) => {
    const [count = '', seconds = ''] = limit?.split('/') ?? [];
    return limit === null ? say('money.noLimit') : say('money.rate', { requests: count, seconds });
  };
  return (
    <section aria-labelledby="limits-title" id="limits">
      <h3 id="limits-title">{say('money.limits')}</h3>
      {limits !== null && (
        <dl class="facts">
          <div>
            <dt>{say('money.ofAccount')}</dt>
            <dd>{textOf(limits.account)}</dd>
          </div>
          <div>
            <dt>{say('money.ofAddress')}</dt>
            <dd>{textOf(limits.address)}</dd>
          </div>
          <div>
            <dt>{say('money.stored')}</dt>
            <dd>{say('money.storedHint')}</dd>
          </div>
          {today !== null && (
            <div>
              <dt>{say('money.today')}</dt>
              <dd>{say('money.todayRequests', { count: today.requests, failures: today.failures })}</dd>
            </div>
          )}
        </dl>
      )}
    </section>
  );
}

function Statement({ state: { days, month }, dispatch, answered, months }: PartProperties & { readonly months: readonly string[] }) {
  const sums = sumsOf(days ?? []);
  const columns = ['date', 'orders', 'deployments', 'approvals', 'actions', 'amount'] as const;
  const save = async () => {
    try {
      const header = columns.map((name) => say(`money.columns.${name}`));
      const lines = (days ?? []).map((day) => [day.date, ...[day.orders, day.deployments, day.approvals, day.actions].map(String), fromUnits(day.amount)]);
      download(`statement-${month}.csv`, await writeTable([header, ...lines], ','), 'text/csv');
    } catch (error) {
      answered(refusal(explained(error)));
    }
  };
  return (
    <section aria-labelledby="statement-title" id="statement">
      <h3 id="statement-title">{say('money.statement')}</h3>
      <p>
        <label for="month">{say('money.month')}</label>
        <select id="month" value={month} onChange={({ currentTarget }) => dispatch({ type: 'monthChosen', month: currentTarget.value })}>
          {months.map((one) => (
            <option value={one}>{new Intl.DateTimeFormat(locale, { month: 'long', year: 'numeric', timeZone: 'UTC' }).format(new Date(`${one}-01`))}</option>
          ))}
        </select>
      </p>
      <p id="month-sum" role="status">
        {days === null ? say('console.loading') : say('money.sum', { orders: sums.orders, actions: sums.actions, tokens: shownTokens(sums.amount) })}
      </p>
      <p class="hint">{say('money.feesOnly')}</p>
      {days !== null && days.length > 0 && (
        <table>
          <thead>
            <tr>
              {columns.map((name) => (
                <th scope="col">{say(`money.columns.${name}`)}</th>
              ))}
            </tr>
          </thead>
          <tbody>
            {days.map(({ date, orders, deployments, approvals, actions, amount }) => (
              <tr>
                <th scope="row">{dayText(date)}</th>
                <td data-name={say('money.columns.orders')}>{orders}</td>
                <td data-name={say('money.columns.deployments')}>{deployments}</td>
                <td data-name={say('money.columns.approvals')}>{approvals}</td>
                <td data-name={say('money.columns.actions')}>{actions}</td>
                <td data-name={say('money.columns.amount')} title={exactly(amount)}>
                  {shownTokens(amount)}
                </td>
              </tr>
            ))}
          </tbody>
        </table>
      )}
      <p class="actions">
        <button type="button" id="statement-save" disabled={days === null || days.length === 0} onClick={save}>
          {say('money.save')}
        </button>
      </p>
    </section>
  );
}
