// Side effects of the shared register book: keys, reading, writing, and encrypted files.
import { Ability, ApiError, ClientError, ErrorCode } from '/client/index.js';
import type { Client } from '/client/index.js';
import { fromBase64url } from '/lib/base64url.ts';
import { type Entry, keepEntries, newsFor, readBook, readEntries, writeBook } from '/lib/book.ts';
import { hex } from '/lib/hex.ts';
import { download } from '/lib/page.ts';
import type { SignedIn } from '/lib/sign-in.ts';
import { say } from '/lib/texts.ts';
import { Refusal } from '/view/json.ts';
import { type Judgement, judge, lower } from './checking.ts';
import { forgetSeen, keepKey, noteSeen, ownKey, seenOf } from './own-key.ts';
import { keyOf, newRecovery, publicKeyOf, seal, unseal } from './sealed.ts';
import { type Action, type Member, type Shared, type State, type Unopened, mayBeginAgain, readersOf } from './sharing-state.ts';

export type Dispatch = (action: Action) => void;

/** The maximum size of a shared version, in bytes, as the service takes it. It holds about 50,000 certificates. */
const MAX_SHARED = 4 * 1024 * 1024;
/** The maximum size of an encrypted file, in bytes. */
const MAX_SEALED = 100 * 1024 * 1024;
/** The maximum number of readers of a version, as the service takes it. */
const MAX_READERS = 100;
/** The number of attempts to write after somebody else was faster. */
const ATTEMPTS = 3;
/** The maximum number of other registers whose shared books are read when the view is opened. Anybody can let an account issue on any number of registers. */
const MAX_BOOKS = 50;
/** The ending of an encrypted book: JSON, compressed and encrypted. */
export const SEALED_ENDING = '.assay-book.json.gz.age';

/** The abilities with which an account may write the book, as the service decides. */
const WRITE: readonly number[] = [Ability.ALLOW_MANAGE_ABILITIES, Ability.ALLOW_CREATE_ASSET, Ability.ALLOW_UPDATE_ASSET];

/** Looks up the key of this browser. */
export async function findKey({ account }: SignedIn, dispatch: Dispatch): Promise<void> {
  const key = await ownKey(account);
  dispatch({ type: 'keyKnown', key: key === null ? '' : await publicKeyOf(key) });
}

/** Makes a recovery key. Nothing is stored or signed before the person has kept it, because it is shown only once. */
export async function beginKey(dispatch: Dispatch): Promise<void> {
  dispatch({ type: 'recoveryMade', recovery: await newRecovery() });
}

/** Keeps the key of a recovery key in this browser. The account signs the public key, so that colleagues can encrypt to it. */
export async function useKey({ account, client }: SignedIn, recovery: string, dispatch: Dispatch): Promise<void> {
  const key = await keyOf(recovery);
  const publicKey = await publicKeyOf(key);
  await client.setBookKey(publicKey);
  await keepKey(account, key);
  dispatch({ type: 'keyKnown', key: publicKey });
}

/** Returns the public key that the account has signed, here or in another browser. Null if there is none, or no register is chosen. */
export async function signedKey({ client, account }: SignedIn, ledger: string): Promise<string | null> {
  const keys = ledger === '' ? [] : (await client.getLedgerBookKeys(ledger)).data.keys;
  for (const one of keys) {
    if (lower(one.accountId) === lower(account) && (await client.isBookKeySigned(one))) {
      return one.key;
    }
  }
  return null;
}

/** Keeps the key of a recovery key that the person entered. Refuses the one of another key than the account has signed, which would lock out its other devices. */
export async function recoverKey(session: SignedIn, recovery: string, ledger: string, dispatch: Dispatch): Promise<void> {
  const publicKey = await publicKeyOf(await keyOf(recovery));
  const signed = await signedKey(session, ledger);
  if (signed !== null && signed !== publicKey) {
    throw Refusal.of('book.sharing.recoveryOther');
  }
  await useKey(session, recovery, dispatch);
}

/** Reads the shared book of the chosen register, and enters a version that counts into the book of this browser. */
export async function read({ client, account }: SignedIn, ledger: string, dispatch: Dispatch): Promise<Shared> {
  const { judgement, shared } = await judged(client, account, ledger);
  let unshared = 0;
  if (judgement.kind === 'good') {
    try {
      unshared = await take(client, account, ledger, judgement);
    } catch (error) {
      const why = unopenedBy(error);
      if (why !== null) {
        dispatch({ type: 'unopened', ledger, shared, why });
      }
      throw error;
    }
  }
  dispatch({ type: 'read', ledger, shared, isReader: shared.readers.includes(lower(account)), unshared });
  return shared;
}

/** Reads the shared books of registers, one after the other. A book that cannot be read keeps no other from being read. Calls `changed` after each book. */
export async function readAll(session: SignedIn, ledgers: readonly string[], dispatch: Dispatch, changed: () => void, signal: AbortSignal): Promise<void> {
  for (const ledger of ledgers.slice(0, MAX_BOOKS)) {
    if (signal.aborted) {
      return;
    }
    try {
      await read(session, ledger, dispatch);
      changed();
    } catch (error) {
      if (unopenedBy(error) === null) {
        dispatch({ type: 'unread', ledger });
      }
    }
  }
}

/** Returns why the content of a version cannot be used, or null for another error. A content that the writer has not signed says nothing about the version. */
function unopenedBy(error: unknown): Unopened | null {
  if (!(error instanceof Refusal) || error.key === 'book.sharing.forged') {
    return null;
  }
  return error.key === 'book.sharing.notForYou' ? 'locked' : 'damaged';
}

async function judged(client: Client, account: string, ledger: string): Promise<{ readonly judgement: Judgement; readonly shared: Shared }> {
  const seen = await seenOf(account, ledger);
  const [versions, keys] = await Promise.all([versionsOf(client, ledger), client.getLedgerBookKeys(ledger).then(({ data }) => data.keys)]);
  const judgement = await judge(versions, seen, account, (version) => client.isBookVersionSigned(ledger, version));
  const members: Member[] = [];
  for (const one of keys) {
    if (await client.isBookKeySigned(one)) {
      members.push({
        account: lower(one.accountId),
        key: one.key,
        mayWrite: one.abilities.some((ability) => WRITE.includes(ability)),
        mayManage: one.abilities.includes(Ability.ALLOW_MANAGE_ABILITIES),
      });
    }
  }
  const version = 'version' in judgement ? judgement.version : null;
  return { judgement, shared: { kind: judgement.kind, version, members, readers: judgement.kind === 'good' ? judgement.seen.readers : [], unsigned: keys.length - members.length } };
}

async function versionsOf(client: Client, ledger: string) {
  try {
    return (await client.getLedgerBook(ledger)).data.versions;
  } catch (error) {
    if (isCode(error, ErrorCode.BookNotFound)) {
      return [];
    }
    throw error;
  }
}

function isCode(error: unknown, code: number): boolean {
  const cause = error instanceof ClientError ? error.original : error;
  return cause instanceof ApiError && cause.errors.some((one) => one.code === code);
}

/**
 * Enters the content of a version into the book of this browser, if the account is one of its readers. Only then the version counts as seen. Returns the number of
 * certificates of which this browser knows more than the version.
 */
async function take(client: Client, account: string, ledger: string, { version, seen }: Extract<Judgement, { kind: 'good' }>): Promise<number> {
  const key = await ownKey(account);
  let unshared = 0;
  if (seen.readers.includes(lower(account)) && key !== null) {
    const { data } = await client.getLedgerBookContent(ledger, version.version);
    const sealed = fromBase64url(data.content);
    if ((await hashOf(sealed)) !== version.hash) {
      throw Refusal.of('book.sharing.forged');
    }
    // A writer of this register says nothing about the certificates of others.
    const entries = entriesOf(readBook(await unseal(sealed, key), location.origin), ledger);
    await keepEntries(entries);
    unshared = newsFor(entries, entriesOf((await readEntries()).values(), ledger));
  }
  await noteSeen(account, ledger, seen);
  return unshared;
}

const entriesOf = (entries: Iterable<Entry>, ledger: string): Entry[] => [...entries].filter((entry) => entry.ledger === lower(ledger));

const hashOf = async (bytes: Uint8Array<ArrayBuffer>): Promise<string> => hex(await crypto.subtle.digest('SHA-256', bytes));

/** Notes that the person has compared the digits of the account that wrote the newest version, and reads it. */
export async function trustWriter(session: SignedIn, ledger: string, writer: string, dispatch: Dispatch): Promise<void> {
  const seen = await seenOf(session.account, ledger);
  await noteSeen(session.account, ledger, { ...seen, confirmed: [...new Set([...seen.confirmed, lower(writer)])] });
  await read(session, ledger, dispatch);
}

/**
 * Reads the book as if this browser had never seen it. After the operator has restored a backup, the service has earlier versions than the browser has seen. A version
 * of another account then counts once the person has compared the digits.
 */
export async function readAnew(session: SignedIn, ledger: string, dispatch: Dispatch): Promise<void> {
  await forgetSeen(session.account, ledger);
  await read(session, ledger, dispatch);
}

/** Reads the shared book. A person who begins it again can go on without a content that cannot be used. */
async function readBefore(session: SignedIn, ledger: string, isAgain: boolean, dispatch: Dispatch): Promise<{ readonly shared: Shared; readonly isUnopened: boolean }> {
  try {
    return { shared: await read(session, ledger, dispatch), isUnopened: false };
  } catch (error) {
    if (isAgain && unopenedBy(error) !== null) {
      return { shared: (await judged(session.client, session.account, ledger)).shared, isUnopened: true };
    }
    throw error;
  }
}

/**
 * Writes the next version with the certificates of this browser, merged with the last version. If somebody else was faster, merges once more. `isAgain` is true if the
 * person begins the book again, without the names of a last version that they cannot read.
 */
export async function share(session: SignedIn, state: State, isAgain: boolean, dispatch: Dispatch): Promise<number> {
  const { client, account } = session;
  const { ledger } = state;
  for (let attempt = 1; ; attempt += 1) {
    const { shared, isUnopened } = await readBefore(session, ledger, isAgain, dispatch);
    if (!(isAgain && mayBeginAgain(shared, isUnopened, account))) {
      if (shared.kind !== 'good' && shared.kind !== 'none') {
        throw Refusal.of(`book.sharing.${shared.kind}`);
      }
      if (shared.kind === 'good' && !shared.readers.includes(lower(account))) {
        // The next version would lose what this browser cannot read.
        throw Refusal.of('book.sharing.notReader');
      }
    }
    const readers = readersOf(shared, state, account);
    if (readers.length > MAX_READERS) {
      throw Refusal.of('book.sharing.readersMost', { most: MAX_READERS });
    }
    const { sealed, count } = await sealedFor(ledger, readers);
    if (sealed.length > MAX_SHARED) {
      throw Refusal.of('book.sharing.large');
    }
    const version = (shared.version?.version ?? 0) + 1;
    try {
      await client.putLedgerBook(ledger, { version, readers: readers.map((reader) => reader.account), content: sealed });
    } catch (error) {
      if (attempt < ATTEMPTS && isCode(error, ErrorCode.BookChanged)) {
        continue;
      }
      throw error;
    }
    await noteSeen(account, ledger, { version, hash: await hashOf(sealed), readers: readers.map((reader) => reader.account), confirmed: [] });
    dispatch({ type: 'written', ledger });
    await read(session, ledger, dispatch);
    return count;
  }
}

async function sealedFor(ledger: string, readers: readonly Member[]) {
  const entries = entriesOf((await readEntries()).values(), ledger);
  const keys = readers.map(({ key }) => key);
  return { sealed: await seal(writeBook(entries, location.origin), keys), count: entries.length };
}

/** Saves the register's part of the book as a file that the same people can read. */
export async function saveSealed({ account }: SignedIn, state: State): Promise<void> {
  if (state.shared !== null) {
    const { sealed } = await sealedFor(state.ledger, readersOf(state.shared, state, account));
    download(`register-${new Date().toISOString().slice(0, 10)}${SEALED_ENDING}`, new Blob([sealed]), 'application/octet-stream');
  }
}

/** Returns the entries of an encrypted file. */
export async function openSealed(file: File, account: string): Promise<Entry[]> {
  if (file.size > MAX_SEALED) {
    throw Refusal.of('file.size', { megabytes: (file.size / 1024 / 1024).toFixed(1) });
  }
  const key = await ownKey(account);
  if (key === null) {
    throw Refusal.of('book.sharing.noKey');
  }
  return readBook(await unseal(new Uint8Array(await file.arrayBuffer()), key), location.origin);
}

/** Saves a recovery key as a text file, to be printed. */
export const saveRecovery = (account: string, recovery: string): void => download(`recovery-${account.slice(0, 10)}.txt`, `${say('book.sharing.recoveryFile', { account, recovery })}\n`, 'text/plain');
