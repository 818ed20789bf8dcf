// Reads certificates for the console. The only module of the view that knows from which lists of the service they come.
import type { Asset, AssetChange, Certificate as Listed, Client } from '/client/index.js';
import { MAX_REGISTERS, groupsOf } from '/lib/few.ts';
import { type OwnLedger, hasLeft } from '/lib/issuing.ts';
import type { SignedIn } from '/lib/sign-in.ts';
import { type Certificate, type Counts, type Filter, type Happening, type Id, keyOf, registersIn } from './state.ts';

/** The number of items that one request reads, and of ids that it names: the service's maximum. */
const PAGE = 100;
/** The maximum number of requests for one part of a list. With a filter by status, pages can be short or empty. */
const MAX_REQUESTS = 40;

/** A list that is read part by part. */
export interface Listing {
  /** The certificates that were read so far. */
  readonly all: readonly Certificate[];
  /** Returns the next certificates, and whether the list has ended. May return none before the end. */
  read(): Promise<{ readonly found: readonly Certificate[]; readonly isEnd: boolean }>;
}

/** A list of at most `MAX_REGISTERS` registers, newest first. */
interface Stream {
  readonly waiting: Certificate[];
  /** Reads the next page into `waiting`. Returns false after the last page. */
  readonly more: () => Promise<boolean>;
  hasMore: boolean;
}

/** Returns the certificates that match a filter, newest first. */
export function listingOf({ client, account }: SignedIn, registers: readonly OwnLedger[], filter: Filter): Listing {
  const listed = registersIn(registers, filter.register);
  const streams = [
    ...groupsOf(
      listed.filter((one) => !hasLeft(one)),
      MAX_REGISTERS,
    ).map((part) => streamOf(client, part, filter)),
    ...listed.filter(hasLeft).map((one) => leftStreamOf(client, one, account, filter)),
  ];
  const all: Certificate[] = [];
  const readNow: Listing['read'] = async () => {
    const found: Certificate[] = [];
    for (let left = MAX_REQUESTS; left > 0 && found.length === 0; left -= 1) {
      const empty = streams.filter(({ waiting, hasMore }) => waiting.length === 0 && hasMore);
      await Promise.all(
        empty.map(async (stream) => {
          stream.hasMore = await stream.more();
        }),
      );
      found.push(...newest(streams));
      if (found.length === 0 && streams.every(({ hasMore }) => !hasMore)) {
        return { found, isEnd: true };
      }
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

function streamOf(client: Client, registers: readonly OwnLedger[], { status, month }: Filter): Stream {
  const waiting: Certificate[] = [];
  let next: string | undefined;
  const more = async () => {
    const { data, meta } = await client.getCertificates({
      ledgerRefs: registers.map(({ ref }) => ref),
      limit: PAGE,
      ...(status === null ? {} : { status: status === 'withdrawn' ? ['withdrawn'] : ['in-force', 'replaced'] }),
      ...(month === null ? {} : periodOf(month)),
      ...(next === undefined ? {} : { after: next }),
    });
    waiting.push(...data.map(shown));
    next = meta.next;
    return next !== undefined;
  };
  return { waiting, more, hasMore: true };
}

/** The certificates in force that the account owns on a register on which it has no role any more. The service's list of certificates leaves out such registers. */
function leftStreamOf(client: Client, { ref }: OwnLedger, ownerId: string, { status, month }: Filter): Stream {
  const waiting: Certificate[] = [];
  let next: string | undefined;
  const more = async () => {
    const { data, meta } = await client.getLedgerAssets(ref, { ownerId, limit: PAGE, ...(next === undefined ? {} : { after: next }) });
    waiting.push(...data.map(owned).filter(({ date }) => month === null || date.startsWith(month)));
    next = meta.next;
    return next !== undefined;
  };
  return { waiting, more, hasMore: status !== 'withdrawn' };
}

const owned = (asset: Asset): Certificate => ({ ledgerId: asset.ledgerId, id: asset.id, asset, date: asset.createdAt, by: asset.ownerId, status: 'inForce' });

/** Returns the period of a month, such as `2026-06`. Both ends are outside of the period. */
function periodOf(month: string) {
  const [year = 0, number = 1] = month.split('-').map(Number);
  return { fromDate: new Date(Date.UTC(year, number - 1, 1) - 1), toDate: new Date(Date.UTC(year, number, 1)) };
}

function shown({ createdBy, endedBy: _, status, replacedAt: __, endedAt: ___, reason: ____, ownerId, imprint, ...rest }: Listed): Certificate {
  const { ledgerId, id, createdAt: date } = rest;
  const by = createdBy ?? ownerId;
  if (status === 'withdrawn' || ownerId === null || imprint === null) {
    return { ledgerId, id, asset: null, date, by, status: 'withdrawn' };
  }
  return { ledgerId, id, asset: { ...rest, ownerId, imprint }, date, by, status: 'inForce' };
}

/** Returns the certificates with these ids. Leaves out numbers that were never issued. */
export async function lookUp({ client, account }: SignedIn, registers: readonly OwnLedger[], wanted: readonly Id[]): Promise<Certificate[]> {
  const found: Certificate[] = [];
  const keys = new Set(wanted.map(keyOf));
  for (const { id: ledgerId, ref } of registers.filter(hasLeft)) {
    const ids = wanted.filter((one) => one.ledgerId.toLowerCase() === ledgerId.toLowerCase()).map(({ id }) => id);
    for (const filterIds of groupsOf([...new Set(ids)], PAGE)) {
      found.push(...(await client.getLedgerAssets(ref, { ownerId: account, filterIds, limit: PAGE })).data.map(owned));
    }
  }
  const listed = registers.filter((one) => !hasLeft(one));
  for (const part of groupsOf(listed, MAX_REGISTERS)) {
    const own = new Set(part.map(({ id }) => id.toLowerCase()));
    const ids = [...new Set(wanted.filter(({ ledgerId }) => own.has(ledgerId.toLowerCase())).map(({ id }) => id))];
    for (const filterIds of groupsOf(ids, PAGE)) {
      // The registers can have the same numbers, so there can be several pages.
      for await (const one of client.certificates({ ledgerRefs: part.map(({ ref }) => ref), filterIds, limit: PAGE })) {
        const certificate = shown(one);
        if (keys.has(keyOf(certificate))) {
          found.push(certificate);
        }
      }
    }
  }
  return found;
}

/** Returns the certificates with a number, in any of the registers. */
export function withNumber(session: SignedIn, registers: readonly OwnLedger[], id: string): Promise<Certificate[]> {
  return lookUp(
    session,
    registers,
    registers.map(({ id: ledgerId }) => ({ ledgerId, id })),
  );
}

/** Returns the numbers of certificates by their status. They are minima if a register has certificates of very many months. */
export async function countOf({ client, account }: SignedIn, registers: readonly OwnLedger[]): Promise<Counts> {
  let [valid, replaced, withdrawn, isMinimum] = [0, 0, 0, false];
  for (const { ref } of registers.filter(hasLeft)) {
    const { data, meta } = await client.getLedgerAssets(ref, { ownerId: account, limit: PAGE });
    valid += data.length;
    isMinimum ||= meta.next !== undefined;
  }
  const listed = registers.filter((one) => !hasLeft(one));
  for (const part of groupsOf(listed, MAX_REGISTERS)) {
    for await (const { months } of client.certificateCounts({ ledgerRefs: part.map(({ ref }) => ref), limit: PAGE })) {
      isMinimum ||= months.length >= MAX_MONTHS;
      for (const month of months) {
        valid += month.inForce + month.replaced;
        replaced += month.replaced;
        withdrawn += month.withdrawn;
      }
    }
  }
  return { valid, replaced, withdrawn, isMinimum };
}

/** The number of months that the service counts for each register. */
const MAX_MONTHS = 120;

/** Returns what happened to a certificate, in the order of time. */
export async function historyOf({ client }: SignedIn, { ledgerId, id }: Certificate): Promise<Happening[]> {
  const { data } = await client.getLedgerAssetHistory(ledgerId, id);
  return data.changes.map(happening).reverse();
}

const happening = ({ kind, at, by, reason }: AssetChange): Happening => ({ kind, at, by, reason });

/** Returns the ids of certificates that are not among the known ones. */
export const unknownOf = (wanted: readonly Id[], known: ReadonlyMap<string, Certificate>): Id[] => wanted.filter((one) => !known.has(keyOf(one)));
