// Decides whether a version of a shared register book counts. The service is not trusted: it could return an old version, forge one, or add a reader. Does not use the DOM.
import type { BookVersion } from '/client/index.js';
import { isObject } from '../../../pkg/view/src/json.ts';

/** What this browser knows about the shared book of a register. Accounts are in lower case. */
export interface Seen {
  /** The last version that was accepted. 0 if there was none. */
  readonly version: number;
  readonly hash: string;
  readonly readers: readonly string[];
  /** The accounts whose digits the person has compared since that version. */
  readonly confirmed: readonly string[];
}

export const UNSEEN: Seen = { version: 0, hash: '', readers: [], confirmed: [] };

/**
 * What is to be made of the versions of a book.
 *
 * - `none`: nobody has shared a book yet.
 * - `good`: this version counts, and `seen` is what the browser then knows.
 * - `stranger`: an account wrote the version that this browser does not trust yet.
 * - `older`: the browser has seen a later version.
 * - `forged`: a signature is wrong, the content or the readers of a known version are others, or two versions have one number.
 */
export type Judgement =
  | { readonly kind: 'none' }
  | { readonly kind: 'good'; readonly version: BookVersion; readonly seen: Seen }
  | { readonly kind: 'stranger'; readonly version: BookVersion }
  | { readonly kind: 'older' | 'forged' };

export const lower = (account: string): string => account.toLowerCase();

/** Returns true for a version in the form that the service describes. */
function isVersion(value: unknown): value is BookVersion {
  if (!isObject(value)) {
    return false;
  }
  const { version, hash, readers, writerId, signature } = value;
  const texts = [hash, writerId, signature];
  return Number.isSafeInteger(version) && Number(version) > 0 && texts.every((text) => typeof text === 'string') && Array.isArray(readers) && readers.every((reader) => typeof reader === 'string');
}

/**
 * Judges the versions that the service returns. A version counts if a trusted account has signed it: the person's own account, an account that the person has
 * confirmed, or a reader of the version before. So trust passes from version to version, and an account that a version leaves out cannot write the next one.
 */
export async function judge(versions: readonly unknown[], seen: Seen, account: string, isSigned: (version: BookVersion) => Promise<boolean>): Promise<Judgement> {
  const sorted = versions.filter(isVersion).toSorted((one, other) => one.version - other.version);
  const newest = sorted.at(-1);
  // Each number has one version. A second one would hide behind the writer of the first.
  if (new Set(sorted.map(({ version }) => version)).size < versions.length) {
    return { kind: 'forged' };
  }
  if (newest === undefined) {
    return { kind: seen.version === 0 ? 'none' : 'older' };
  }
  if (newest.version < seen.version) {
    return { kind: 'older' };
  }
  const known = sorted.filter(({ version }) => version === seen.version);
  const later = sorted.filter(({ version }) => version > seen.version);
  // Anybody can sign other readers of a known content, so the readers count as they were when the version was accepted.
  const isOther = ({ hash, readers }: BookVersion) => hash !== seen.hash || readers.map(lower).join() !== seen.readers.join();
  if (known.some(isOther) || !(await areSigned(later.length === 0 ? known : later, isSigned))) {
    return { kind: 'forged' };
  }
  if (later.length === 0) {
    return { kind: 'good', version: newest, seen };
  }
  // A browser that has seen nothing knows no reader of the versions before.
  const chain = seen.version === 0 ? [newest] : later;
  let trusted = new Set([lower(account), ...seen.readers, ...seen.confirmed]);
  for (const { writerId, readers, version } of chain) {
    if (trusted.has(lower(writerId))) {
      trusted = new Set([lower(account), ...readers.map(lower), ...seen.confirmed]);
      if (version === newest.version) {
        return { kind: 'good', version: newest, seen: { version, hash: newest.hash, readers: readers.map(lower), confirmed: [] } };
      }
    }
  }
  return { kind: 'stranger', version: newest };
}

async function areSigned(versions: readonly BookVersion[], isSigned: (version: BookVersion) => Promise<boolean>): Promise<boolean> {
  for (const version of versions) {
    if (!(await isSigned(version))) {
      return false;
    }
  }
  return true;
}
