// The view of orders that wait for the account's signature: a second person looks at each certificate, and signs or declines.
import { ask } from '/lib/beside.ts';
import { type Entry, factOf, idOf, readEntries } from '/lib/book.ts';
import { readNames } from '/lib/contacts.ts';
import { type Copy, fromFragment } from '/lib/file.ts';
import { hiddenName } from '/lib/paper.ts';
import { personIn } from '/lib/people.ts';
import { MAX_REVIEW, readReview } from '/lib/review.ts';
import { explained } from '/lib/signer.ts';
import type { SignedIn } from '/lib/sign-in.ts';
import { momentText, say } from '/lib/texts.ts';
import { isAssetKey } from '/view/issue.ts';
import { Refusal, visible } from '/view/json.ts';
import { plainFields } from '/view/model.ts';
import { busy, refusal } from '/components/answer.ts';
import { FileField } from '/components/file-field.tsx';
import { titleOf } from '/components/ledger-choice.tsx';
import { Paper } from '/components/paper.tsx';
import { wholeOf } from '/components/public-part.ts';
import { Certified } from '/components/text.tsx';
import { RequestStatus } from '/client/index.js';
import type { OwnLedger } from '/lib/issuing.ts';
import { useEffect, useMemo, useReducer, useState } from 'preact/hooks';
import type { ViewProperties } from '../views.ts';
import { Declining } from './declining.tsx';
import { type Action, type Opened, type Proposal, type Proposed, START, isAbout, proposalOf, reduce, reviewed, signable } from './state.ts';

type Dispatch = (action: Action) => void;

/** The maximum number of orders that are read, the newest first. Anybody can ask for a signature. */
const MAX_ORDERS = 100;
/** The maximum number of certificates of an order that are named. */
const MAX_NAMED = 20;
/** The maximum length of a value in a list, in UTF-16 code units. */
const MAX_VALUE = 120;

export function View({ session, registers, parts: [ref, fragment], answered }: ViewProperties) {
  const [state, dispatch] = useReducer(reduce, START);
  const [book, setBook] = useState<ReadonlyMap<string, Entry>>(new Map());
  const { proposals, opened, ended, isBusy } = state;
  const refuse = (error: unknown) => answered(refusal(explained(error)));
  useEffect(() => {
    readEntries().then(setBook, refuse);
    find(session, registers, dispatch).catch(refuse);
  }, []);
  const [isBroken, setBroken] = useState(false);
  const linked = proposals?.find(({ order }) => order.ref === ref);
  useEffect(() => {
    if (linked !== undefined && fragment !== undefined && fragment !== '') {
      open(linked, fragment, registers, dispatch).catch((error: unknown) => {
        setBroken(true);
        refuse(error);
      });
    }
  }, [linked?.order.ref, fragment]);
  const act = async (chosen: readonly Proposal[], isSigning: boolean) => {
    const count = countOf(chosen);
    dispatch({ type: 'busy', isBusy: true });
    answered(busy(say(session.isWallet ? 'signIn.inWallet' : 'review.working')));
    try {
      for (const proposal of chosen) {
        await decide(session, proposal, isSigning);
        dispatch({ type: 'ended', ref: proposal.order.ref });
      }
      answered({ kind: isSigning ? 'valid' : 'withdrawn', isResult: true, text: say(isSigning ? 'review.signed' : 'review.declined', { count }) });
    } catch (error) {
      refuse(error);
    } finally {
      dispatch({ type: 'busy', isBusy: false });
    }
  };
  const look = async (file: File) => {
    dispatch({ type: 'busy', isBusy: true });
    try {
      await openFile(file, proposals ?? [], registers, dispatch, (number, count) => answered(busy(say('review.checking', { number, count }))));
      answered(null);
    } catch (error) {
      refuse(error);
    } finally {
      dispatch({ type: 'busy', isBusy: false });
    }
  };
  const ready = signable(state);
  const isGone = ref !== undefined && proposals !== null && linked === undefined && !ended.has(ref);
  return (
    <div id="review-view">
      <p class="lead">{say('review.lead')}</p>
      {proposals === null && <p role="status">{say('console.loading')}</p>}
      {proposals !== null && <p id="review-count">{say('review.count', { count: proposals.length })}</p>}
      {isGone && <p id="review-gone">{say('review.gone')}</p>}
      {proposals !== null && proposals.length > 0 && (
        <p class="actions">
          <FileField id="review-file" accept=".json,application/json" label={say('review.openFile')} chosen={look} />
        </p>
      )}
      {ready.length > 1 && (
        <p class="actions">
          <button type="button" class="primary" id="review-sign-all" disabled={isBusy} onClick={() => act(ready, true)}>
            {say('review.signAll', { count: ready.length, certificates: countOf(ready) })}
          </button>
        </p>
      )}
      <ul class="entries" id="review-list">
        {(proposals ?? []).map((proposal) => (
          <li key={proposal.order.ref}>
            <OneProposal
              proposal={proposal}
              registers={registers}
              book={book}
              opened={opened.get(proposal.order.ref) ?? null}
              isCut={proposal === linked && (isBroken || fragment === undefined || fragment === '')}
              isBusy={isBusy}
              act={act}
            />
          </li>
        ))}
      </ul>
    </div>
  );
}

const countOf = (proposals: readonly Proposal[]): number => proposals.reduce((sum, { certificates }) => sum + certificates.length, 0);

/** Reads the orders that wait for the account's signature. */
async function find({ client, account }: SignedIn, registers: readonly OwnLedger[], dispatch: Dispatch): Promise<void> {
  const { data } = await client.getOrders({ roles: ['invited'], statuses: [RequestStatus.INITIALIZED], limit: MAX_ORDERS });
  const ids = new Set(registers.map(({ id }) => id.toLowerCase()));
  dispatch({ type: 'read', proposals: data.flatMap((order) => proposalOf(order, account, ids, Date.now()) ?? []) });
}

/** Opens the certificate in the link, and checks that the order issues exactly this one. */
async function open({ order, certificates, isPlain }: Proposal, fragment: string, registers: readonly OwnLedger[], dispatch: Dispatch): Promise<void> {
  const { schema, document, evidence } = await fromFragment(fragment);
  const [certificate] = certificates;
  if (certificate === undefined || document === null || certificates.length > 1 || !isPlain) {
    throw Refusal.of('review.other');
  }
  const isIt = await isIssued(certificate, { schema, document, evidence }, registers);
  dispatch({ type: 'opened', ref: order.ref, opened: { isIt, certificates: [{ schema, document }] } });
}

/** Opens the certificates of a list in a file, and checks for each order that it issues exactly these. */
async function openFile(file: File, proposals: readonly Proposal[], registers: readonly OwnLedger[], dispatch: Dispatch, progress: (number: number, count: number) => void): Promise<void> {
  if (file.size > MAX_REVIEW) {
    throw Refusal.of('review.fileWrong');
  }
  const review = readReview(await file.text());
  const { schema } = review;
  const concerned = proposals.filter((proposal) => isAbout(proposal, review));
  if (concerned.length === 0) {
    throw Refusal.of('review.fileNone');
  }
  const count = countOf(concerned);
  let number = 0;
  for (const proposal of concerned) {
    const found = reviewed(proposal, review);
    let isIt = found !== null;
    for (const [index, certificate] of proposal.certificates.entries()) {
      const given = found?.[index];
      progress((number += 1), count);
      isIt &&= given !== undefined && (await isIssued(certificate, { ...given, schema }, registers));
    }
    dispatch({ type: 'opened', ref: proposal.order.ref, opened: { isIt, certificates: (found ?? []).map(({ document }) => ({ schema, document })) } });
  }
}

/** Returns true if a certificate of an order has exactly this content: the imprint in the order proves every value. */
async function isIssued({ ledgerId, id, imprint }: Proposed, { schema, document, evidence }: Copy, registers: readonly OwnLedger[]): Promise<boolean> {
  const register = registers.find((one) => one.id.toLowerCase() === ledgerId.toLowerCase());
  if (register === undefined) {
    return false;
  }
  const { integrity } = await ask('certificate', { schema, document, evidence, record: { ledger: register, asset: { id, imprint } } });
  return integrity === 'unchanged';
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
  readonly opened: Opened | null;
  /** Whether the address is the link to this order, but without the certificate. */
  readonly isCut: boolean;
  readonly isBusy: boolean;
  readonly act: (proposals: readonly Proposal[], isSigning: boolean) => void;
}

function OneProposal({ proposal, registers, book, opened, isCut, isBusy, act }: Properties) {
  const { order, certificates, isPlain } = proposal;
  const isProven = isPlain && opened?.isIt === true;
  const name = readNames().get(order.creatorId.toLowerCase());
  const [isDeclining, setDeclining] = useState(false);
  const from = (
    <p>
      {say('review.from', { date: momentText(new Date(order.createdAt)) })} {name === undefined ? <code class="long">{order.creatorId}</code> : <Certified text={name} />}
    </p>
  );
  const named = (
    <>
      <ul class="named">
        {certificates.slice(0, MAX_NAMED).map(({ ledgerId, id }, index) => (
          <li>
            <Described ledgerId={ledgerId} id={id} registers={registers} book={book} proven={isProven ? opened.certificates[index] : undefined} />
          </li>
        ))}
      </ul>
      {certificates.length > MAX_NAMED && <p>{say('review.more', { count: certificates.length - MAX_NAMED })}</p>}
    </>
  );
  return (
    <article>
      {from}
      {named}
      {!isPlain && <p class="problem">{say('review.unusual')}</p>}
      {isPlain && opened === null && <p class={isCut ? 'problem' : 'hint'}>{say(isCut ? 'review.cut' : 'review.openLink')}</p>}
      {opened !== null && !opened.isIt && (
        <p class="problem" id="review-other">
          {say('review.other')}
        </p>
      )}
      {isProven && <Proven certificates={opened.certificates} />}
      <p class="actions">
        <button type="button" class="primary" disabled={isBusy || !isProven} onClick={() => act([proposal], true)}>
          {say('review.sign')}
        </button>{' '}
        <button type="button" class="apart" disabled={isBusy} onClick={() => setDeclining(true)}>
          {say('review.decline')}
        </button>
      </p>
      {isDeclining && (
        <Declining confirmed={() => act([proposal], false)} closed={() => setDeclining(false)}>
          {from}
          {named}
        </Declining>
      )}
    </article>
  );
}

/** The certificates of an order, which are proven: one as a sheet, and several as a list in which each opens as a sheet. */
function Proven({ certificates }: Pick<Opened, 'certificates'>) {
  const [only, ...others] = certificates;
  const label = say('review.proven', { count: certificates.length });
  return (
    <>
      <p id="review-proven">{label}</p>
      {only !== undefined && others.length === 0 && <Sheet id="review-paper" {...only} />}
      {others.length > 0 && (
        // biome-ignore lint/a11y: keyboards scroll a list only if it takes the focus, and screen readers then need its name.
        <div class="proven" tabIndex={0} role="region" aria-label={label}>
          <ol>
            {certificates.map((certificate, index) => (
              <li>
                <InList {...certificate} id={`review-paper-${index}`} />
              </li>
            ))}
          </ol>
        </div>
      )}
    </>
  );
}

type Whole = Opened['certificates'][number];

function Sheet({ schema, document, id }: Whole & { readonly id: string }) {
  const paper = useMemo(() => wholeOf(schema, document), [schema, document]);
  return <Paper id={id} certificate={paper} hidden={[]} level={3} />;
}

/** A certificate with all its fields. Long values are cut, and the sheet has them in full. */
function InList({ schema, document, id }: Whole & { readonly id: string }) {
  const [isOpen, setOpen] = useState(false);
  const fields = useMemo(() => plainFields(schema, document, 'proven').filter(({ path: [key] }) => typeof key !== 'string' || !isAssetKey(key)), [schema, document]);
  return (
    <details onToggle={({ currentTarget }) => setOpen(currentTarget.open)}>
      <summary>
        {fields.map(({ path, value }, index) => (
          <>
            {index > 0 && '; '}
            {hiddenName(schema, path)}: <Certified text={shortened(value)} />
          </>
        ))}
      </summary>
      {isOpen && <Sheet schema={schema} document={document} id={id} />}
    </details>
  );
}

function shortened(value: unknown): string {
  const text = typeof value === 'string' ? value : (JSON.stringify(value) ?? '');
  return visible(text.length > MAX_VALUE ? `${text.slice(0, MAX_VALUE)}…` : text);
}

interface Description extends Pick<Properties, 'registers' | 'book'> {
  readonly ledgerId: string;
  readonly id: string;
  /** The content, once a link or a file has proven it. */
  readonly proven: Whole | undefined;
}

/** The number of a certificate, its register, its holder and its title. Until the content is proven, they are what the book of this browser says, which may be wrong. */
function Described({ ledgerId, id, registers, book, proven }: Description) {
  const entry = book.get(idOf({ ledger: ledgerId, asset: id }));
  const register = registers.find((one) => one.id.toLowerCase() === ledgerId.toLowerCase());
  const { holder, title } = proven === undefined ? { holder: factOf(entry, 'holder'), title: factOf(entry, 'title') } : personIn(proven.document, proven.schema);
  const texts = [holder, title, register === undefined ? ledgerId : titleOf(register)].filter((text) => text !== '');
  return (
    <>
      <Certified text={visible(texts.join(', '))} />, <code class="long">{id}</code>
    </>
  );
}
