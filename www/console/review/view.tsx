// The view of orders that wait for the account's signature: a second person looks at each certificate, and signs or declines.
import { ask } from '/lib/beside.ts';
import { type Entry, factOf, idOf, readEntries } from '/lib/book.ts';
import { readNames } from '/lib/contacts.ts';
import { fromFragment } from '/lib/file.ts';
import { explained } from '/lib/signer.ts';
import type { SignedIn } from '/lib/sign-in.ts';
import { momentText, say } from '/lib/texts.ts';
import { Refusal, visible } from '/view/json.ts';
import type { JsonObject } from '/view/json.ts';
import { busy, refusal } from '/components/answer.ts';
import { titleOf } from '/components/ledger-choice.tsx';
import { Paper } from '/components/paper.tsx';
import { wholeOf } from '/components/public-part.ts';
import { Certified } from '/components/text.tsx';
import { RequestStatus } from '/client/index.js';
import type { OwnLedger } from '/lib/issuing.ts';
import { useEffect, useMemo, useReducer, useState } from 'preact/hooks';
import type { ViewProperties } from '../views.ts';
import { type Action, type Proposal, START, type State, proposalOf, reduce } from './state.ts';

type Dispatch = (action: Action) => void;

/** The maximum number of orders that are read, the newest first. Anybody can ask for a signature. */
const MAX_ORDERS = 100;
/** The maximum number of certificates of an order that are named. */
const MAX_NAMED = 20;

export function View({ session, registers, parts: [ref, fragment], answered }: ViewProperties) {
  const [state, dispatch] = useReducer(reduce, START);
  const [book, setBook] = useState<ReadonlyMap<string, Entry>>(new Map());
  const { proposals, opened } = state;
  const refuse = (error: unknown) => answered(refusal(explained(error)));
  useEffect(() => {
    readEntries().then(setBook, refuse);
    find(session, registers, dispatch).catch(refuse);
  }, []);
  const linked = proposals?.find(({ order }) => order.ref === ref);
  useEffect(() => {
    if (linked !== undefined && fragment !== undefined && fragment !== '') {
      open(linked, fragment, registers, dispatch).catch(refuse);
    }
  }, [linked?.order.ref, fragment]);
  const act = async (proposal: Proposal, isSigning: boolean) => {
    dispatch({ type: 'busy', isBusy: true });
    answered(busy(say(session.isWallet ? 'signIn.inWallet' : 'review.working')));
    try {
      await decide(session, proposal, isSigning);
      dispatch({ type: 'ended', ref: proposal.order.ref });
      answered({ kind: isSigning ? 'valid' : 'withdrawn', isResult: true, text: say(isSigning ? 'review.signed' : 'review.declined') });
    } catch (error) {
      refuse(error);
    } finally {
      dispatch({ type: 'busy', isBusy: false });
    }
  };
  return (
    <div id="review-view">
      <p class="lead">{say('review.lead')}</p>
      {proposals === null && <p role="status">{say('console.loading')}</p>}
      {proposals !== null && <p id="review-count">{say('review.count', { count: proposals.length })}</p>}
      {ref !== undefined && proposals !== null && linked === undefined && opened === null && <p id="review-gone">{say('review.gone')}</p>}
      <ul class="entries" id="review-list">
        {(proposals ?? []).map((proposal) => (
          <li key={proposal.order.ref}>
            <OneProposal proposal={proposal} registers={registers} book={book} state={state} act={act} />
          </li>
        ))}
      </ul>
    </div>
  );
}

/** Reads the orders that wait for the account's signature. */
async function find({ client, account }: SignedIn, registers: readonly OwnLedger[], dispatch: Dispatch): Promise<void> {
  const { data } = await client.getOrders({ roles: ['invited'], statuses: [RequestStatus.INITIALIZED], limit: MAX_ORDERS });
  const ids = new Set(registers.map(({ id }) => id.toLowerCase()));
  dispatch({ type: 'read', proposals: data.flatMap((order) => proposalOf(order, account, ids, Date.now()) ?? []) });
}

/** Opens the certificate in the link, and checks that the order issues exactly this one: the imprint in the order proves every value. */
async function open({ order, certificates }: Proposal, fragment: string, registers: readonly OwnLedger[], dispatch: Dispatch): Promise<void> {
  const { schema, document, evidence } = await fromFragment(fragment);
  const [certificate] = certificates;
  const register = registers.find(({ id }) => id.toLowerCase() === certificate?.ledgerId.toLowerCase());
  if (certificate === undefined || register === undefined || document === null || certificates.length > 1) {
    throw Refusal.of('review.other');
  }
  const record = { ledger: register, asset: { id: certificate.id, imprint: certificate.imprint } };
  const { integrity } = await ask('certificate', { schema, document, evidence, record });
  dispatch({ type: 'opened', opened: { ref: order.ref, isIt: integrity === 'unchanged', schema, document } });
}

/** Signs exactly the order that was shown, or cancels it. */
async function decide({ client }: SignedIn, { order }: Proposal, isSigning: boolean): Promise<void> {
  if (isSigning) {
    await client.signOrder(order.ref, { reviewed: order });
  } else {
    await client.cancelOrder(order.ref);
  }
}

interface Properties {
  readonly proposal: Proposal;
  readonly registers: readonly OwnLedger[];
  readonly book: ReadonlyMap<string, Entry>;
  readonly state: State;
  readonly act: (proposal: Proposal, isSigning: boolean) => void;
}

function OneProposal({ proposal, registers, book, state: { opened, isBusy }, act }: Properties) {
  const { order, certificates, isPlain } = proposal;
  const mine = opened?.ref === order.ref ? opened : null;
  const paper = useMemo(() => (mine === null || !mine.isIt ? null : wholeOf(mine.schema as JsonObject, mine.document as JsonObject)), [mine]);
  const name = readNames().get(order.creatorId.toLowerCase());
  return (
    <article>
      <p>
        {say('review.from', { date: momentText(new Date(order.createdAt)) })} {name === undefined ? <code class="long">{order.creatorId}</code> : <Certified text={name} />}
      </p>
      <ul class="named">
        {certificates.slice(0, MAX_NAMED).map(({ ledgerId, id }) => (
          <li>
            <Described ledgerId={ledgerId} id={id} registers={registers} book={book} />
          </li>
        ))}
      </ul>
      {certificates.length > MAX_NAMED && <p>{say('review.more', { count: certificates.length - MAX_NAMED })}</p>}
      {!isPlain && <p class="problem">{say('review.unusual')}</p>}
      {isPlain && mine === null && <p class="hint">{say('review.openLink')}</p>}
      {mine !== null && !mine.isIt && (
        <p class="problem" id="review-other">
          {say('review.other')}
        </p>
      )}
      {paper !== null && (
        <>
          <p id="review-proven">{say('review.proven')}</p>
          <Paper id="review-paper" certificate={paper} hidden={[]} level={3} />
        </>
      )}
      <p class="actions">
        <button type="button" class="primary" disabled={isBusy || !isPlain || mine?.isIt !== true} onClick={() => act(proposal, true)}>
          {say('review.sign')}
        </button>{' '}
        <button type="button" disabled={isBusy} onClick={() => act(proposal, false)}>
          {say('review.decline')}
        </button>
      </p>
    </article>
  );
}

/** The number of a certificate, its register, and what the book of this browser says about it. The book may be wrong: only the link's content is proven. */
function Described({ ledgerId, id, registers, book }: { readonly ledgerId: string; readonly id: string } & Pick<Properties, 'registers' | 'book'>) {
  const entry = book.get(idOf({ ledger: ledgerId, asset: id }));
  const register = registers.find((one) => one.id.toLowerCase() === ledgerId.toLowerCase());
  const texts = [factOf(entry, 'holder'), factOf(entry, 'title'), register === undefined ? ledgerId : titleOf(register)].filter((text) => text !== '');
  return (
    <>
      <Certified text={visible(texts.join(', '))} />, <code class="long">{id}</code>
    </>
  );
}
