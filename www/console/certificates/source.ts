// Reads certificates for the console. The only module of the view that knows from which lists of the service they come.
//
// The service lists the assets of one register, and the account's orders. Lists of several registers are therefore merged here. Withdrawn certificates
// are no longer assets, so they come from the account's own orders. The owner of an asset stands for the account that issued it, because the pages issue
// certificates to the account itself.
import { ActionKind, RequestStatus } from '/client/index.js';
import type { Asset, Client } from '/client/index.js';
import type { OwnLedger } from '/lib/issuing.ts';
import type { SignedIn } from '/lib/sign-in.ts';
import { validityOf } from '/lib/validity.ts';
import { type Certificate, type Filter, type Happening, type Id, keyOf, registersIn } from './state.ts';

/** The number of items that one request reads: the service's maximum. */
const PAGE = 100;
/** The maximum number of requests for one part of a list. A rare month can be far down the list. */
const MAX_REQUESTS = 40;
/** The number of requests that are sent at the same time, because an account can have hundreds of registers. */
const PARALLEL = 6;
/** The maximum number of ids that one request names. */
const MAX_IDS = 100;

/** A list that is read part by part. */
export interface Listing {
  /** The certificates that were read so far. */
  readonly all: readonly Certificate[];
  /** Returns the next certificates, and whether the list has ended. May return none before the end. */
  read(): Promise<{ readonly found: readonly Certificate[]; readonly isEnd: boolean }>;
}

/** A list of one register or of the withdrawn certificates, newest first. */
interface Stream {
  readonly waiting: Certificate[];
  /** Reads the next page into `waiting`. Returns false after the last page. */
  readonly more: () => Promise<boolean>;
  hasMore: boolean;
}

/** Returns the certificates that match a filter, newest first. */
export function listingOf({ client }: SignedIn, registers: readonly OwnLedger[], filter: Filter): Listing {
  const wanted = registersIn(registers, filter.register);
  const streams = [...(filter.status === 'withdrawn' ? [] : wanted.map((register) => assetsOf(client, register))), ...(filter.status === 'inForce' ? [] : [withdrawnOf(client, wanted)])];
  const all: Certificate[] = [];
  const readNow: Listing['read'] = async () => {
    const found: Certificate[] = [];
    for (let left = MAX_REQUESTS; left > 0 && found.length === 0; left -= 1) {
      await each(
        streams.filter(({ waiting, hasMore }) => waiting.length === 0 && hasMore),
        fill,
      );
      const next = newest(streams);
      if (next.length === 0 || isBefore(next[0], filter.month)) {
        return { found, isEnd: true };
      }
      found.push(...next.filter(({ date }) => filter.month === null || date.startsWith(filter.month)));
    }
    all.push(...found);
    return { found, isEnd: false };
  };
  // Reads wait for each other, because two reads at once would return the same page.
  let last: Promise<unknown> = Promise.resolve();
  return {
    all,
    read() {
      const next = last.then(readNow, readNow);
      last = next;
      return next;
    },
  };
}

/** Does something with each item, with a few at the same time. */
async function each<Item>(items: readonly Item[], act: (item: Item) => Promise<void>): Promise<void> {
  const waiting = [...items];
  const work = async () => {
    for (let item = waiting.shift(); item !== undefined; item = waiting.shift()) {
      await act(item);
    }
  };
  await Promise.all(Array.from({ length: PARALLEL }, work));
}

const isBefore = (certificate: Certificate | undefined, month: string | null) => month !== null && certificate !== undefined && certificate.date.slice(0, month.length) < month;

async function fill(stream: Stream): Promise<void> {
  stream.hasMore = await stream.more();
}

/** Takes the newest certificates from the streams, until one of them has to be read on. */
function newest(streams: readonly Stream[]): Certificate[] {
  const taken: Certificate[] = [];
  while (streams.every(({ waiting, hasMore }) => waiting.length > 0 || !hasMore)) {
    const [first, ...others] = streams.filter(({ waiting }) => waiting.length > 0);
    if (first === undefined) {
      break;
    }
    const best = others.reduce((one, other) => ((other.waiting[0]?.date ?? '') > (one.waiting[0]?.date ?? '') ? other : one), first);
    const certificate = best.waiting.shift();
    if (certificate !== undefined) {
      taken.push(certificate);
    }
  }
  return taken;
}

function assetsOf(client: Client, { ref }: OwnLedger): Stream {
  const waiting: Certificate[] = [];
  let next: string | undefined;
  const more = async () => {
    const { data, meta } = await client.getLedgerAssets(ref, { limit: PAGE, ...(next === undefined ? {} : { after: next }) });
    waiting.push(...data.map(inForce));
    next = meta.next;
    return next !== undefined;
  };
  return { waiting, more, hasMore: true };
}

const inForce = (asset: Asset): Certificate => ({ ledgerId: asset.ledgerId, id: asset.id, asset, date: asset.createdAt, by: asset.ownerId, status: 'inForce' });

/** Returns the withdrawn certificates of some registers. The date is that of the order. */
function withdrawnOf(client: Client, registers: readonly OwnLedger[]): Stream {
  const ids = new Set(registers.map(({ id }) => id.toLowerCase()));
  const waiting: Certificate[] = [];
  let next: string | undefined;
  const more = async () => {
    const { data, meta } = await client.getOrders({ statuses: [RequestStatus.FINALIZED], sort: 2, limit: PAGE, ...(next === undefined ? {} : { after: next }) });
    for (const { order, createdAt, creatorId } of data) {
      for (const action of order.actions) {
        if (action.kind === ActionKind.DESTROY_ASSET && ids.has(action.ledgerId.toLowerCase()) && action.assetId !== undefined) {
          waiting.push({ ledgerId: action.ledgerId, id: action.assetId, asset: null, date: createdAt, by: creatorId, status: 'withdrawn' });
        }
      }
    }
    next = meta.next;
    return next !== undefined;
  };
  return { waiting, more, hasMore: true };
}

/** Returns the certificates with these ids. Certificates that are not in force are missing in the service's answers, so only their records say what became of them. */
export async function lookUp({ client }: SignedIn, registers: readonly OwnLedger[], wanted: readonly Id[]): Promise<Certificate[]> {
  const found: Certificate[] = [];
  for (const { id: ledgerId, ref } of registers) {
    const ids = wanted.filter((one) => one.ledgerId.toLowerCase() === ledgerId.toLowerCase()).map(({ id }) => id);
    for (let start = 0; start < ids.length; start += MAX_IDS) {
      const part = ids.slice(start, start + MAX_IDS);
      const { data } = await client.getLedgerAssets(ref, { filterIds: part, limit: MAX_IDS });
      const known = new Map(data.map((asset) => [asset.id, inForce(asset)]));
      found.push(...part.map((id): Certificate => known.get(id) ?? { ledgerId, id, asset: null, date: '', by: null, status: 'withdrawn' }));
    }
  }
  return found;
}

/** Returns the certificates in force with a number, in any of the registers. */
export async function withNumber(session: SignedIn, registers: readonly OwnLedger[], id: string): Promise<Certificate[]> {
  const all = await lookUp(
    session,
    registers,
    registers.map(({ id: ledgerId }) => ({ ledgerId, id })),
  );
  return all.filter(({ status }) => status === 'inForce');
}

/** Returns the number of certificates in force, and whether there may be more. */
export async function countOf({ client }: SignedIn, registers: readonly OwnLedger[]): Promise<{ readonly count: number; readonly isMinimum: boolean }> {
  let [count, isMinimum] = [0, false];
  await each(registers, async ({ ref }) => {
    const { meta } = await client.getLedgerAssets(ref, { limit: 1 });
    count += meta.total;
    isMinimum ||= meta.totalIsMinimum === true;
  });
  return { count, isMinimum };
}

/** Returns what happened to a certificate, in the order of time. */
export async function historyOf(certificate: Certificate): Promise<Happening[]> {
  const { asset, by, ledgerId, id } = certificate;
  // Without the record, the list itself says less.
  const record = await validityOf({ ledger: ledgerId, asset: id }, 'reload').catch(() => null);
  const events: Happening[] = [];
  const since = asset?.createdAt ?? record?.asset?.createdAt ?? null;
  if (since !== null) {
    events.push({ kind: 'issued', at: since, by: asset?.ownerId ?? null, reason: null });
  }
  if (asset !== null && asset.updatedAt !== asset.createdAt) {
    events.push({ kind: 'changed', at: asset.updatedAt, by: null, reason: null });
  }
  if (record?.status.kind === 'withdrawn') {
    events.push({ kind: 'withdrawn', at: record.status.since, by: certificate.status === 'withdrawn' ? by : null, reason: record.status.reason });
  }
  return events;
}

/** Returns the ids of certificates that are not among the known ones. */
export const unknownOf = (wanted: readonly Id[], known: ReadonlyMap<string, Certificate>): Id[] => wanted.filter((one) => !known.has(keyOf(one)));
