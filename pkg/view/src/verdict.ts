// Combines the service's verdict on a certificate, from `/badge.json`, with the findings of this browser. Does not use the DOM.
import type { HeadlineCode, Integrity, Issuer, Look, ReasonAuthor, StatusKind, Validity } from '/client/index.js';
import { HEADLINES } from './headlines.ts';

/** The status of an asset. `unknown` if the service does not answer. */
export interface Status {
  kind: StatusKind | 'unknown';
  since?: string | null | undefined;
  reason?: string | null | undefined;
  reasonBy?: ReasonAuthor | null | undefined;
}

/** The parts of a verdict. */
export interface Parts {
  integrity: Integrity;
  status: Status;
  issuer: Issuer | null;
}

/** The values for the places in a headline. */
export interface HeadlineValues {
  date?: string | null | undefined;
  reason?: string | null | undefined;
  domain?: string | null | undefined;
  name?: string | null | undefined;
}

/** A verdict as it is shown. `text` is a headline in English, whose code this page does not know. */
export interface Verdict extends Parts {
  code: HeadlineCode | 'other';
  look: Look;
  text: string | undefined;
  values: HeadlineValues;
}

/** The parts of the service's verdict from which a verdict is made. */
export type Answer = Pick<Validity, 'headline' | 'integrity' | 'status' | 'issuer'>;

interface Row {
  code: HeadlineCode;
  look: Look;
  part?: keyof Parts;
  is?: string;
}

const ROWS: readonly Row[] = HEADLINES;
const PARTS = ['integrity', 'status', 'issuer'] as const;

/** Returns true if the data of an answer of `/badge.json` is a verdict. The service and its pages belong to one release, so its parts have the types of the client. */
export const isValidity = (data: unknown): data is Validity => typeof data === 'object' && data !== null && 'headline' in data && 'status' in data;

/** Returns the headline `{ code, look }` for the three parts of a verdict. The last row applies to all. */
function headlineOf({ integrity, status, issuer }: { integrity: Integrity; status: { kind?: string }; issuer: Issuer | null }) {
  const parts = { integrity, status: status.kind, issuer: issuer?.kind };
  const row = ROWS.find(({ part, is }) => part === undefined || parts[part] === is);
  if (row === undefined) {
    throw new Error('no headline applies');
  }
  return row;
}

/**
 * Returns the verdict to show: `{ code, look, text, values, integrity, status, issuer }`. `answer` is the data of `/badge.json`. `own` has
 * the parts that this browser determined itself. They replace the service's parts. For a code that this page does not know, `text` is the
 * service's English headline. Otherwise `text` is undefined.
 */
export function verdictOf(answer: Answer, own: Partial<Parts> = {}): Verdict {
  const parts: Parts = { integrity: answer.integrity, status: answer.status, issuer: answer.issuer, ...own };
  const isOwn = PARTS.some((name) => Object.hasOwn(own, name) && JSON.stringify(own[name]) !== JSON.stringify(answer[name]));
  const { headline } = answer;
  const given = ROWS.find(({ code }) => code === headline.code);
  if (isOwn) {
    return shown(headlineOf(parts), parts);
  }
  if (given === undefined) {
    return { code: 'other', look: headline.look, text: headline.text, values: {}, ...parts };
  }
  return shown(given, parts);
}

/** Returns the verdict with a headline that this page knows. */
function shown({ code, look }: Row, parts: Parts): Verdict {
  const { status, issuer } = parts;
  const date = code === 'expired' && typeof status.since === 'string' ? lastMoment(status.since) : status.since;
  return { code, look, text: undefined, values: { date, reason: status.reason, domain: issuer?.domain, name: issuer?.name }, ...parts };
}

/** Returns the last moment of a certificate that is expired `since` a time. A certificate that is valid until a day expires at the start of the next day. */
const lastMoment = (since: string) => (Number.isNaN(Date.parse(since)) ? since : new Date(Date.parse(since) - 1).toISOString());

/** Returns the verdict if the service does not answer. `integrity` comes from a check against a file's own record, or is `notChecked`. */
export function unreachable(integrity: Integrity = 'notChecked'): Verdict {
  const known = integrity === 'changed' || integrity === 'otherAsset' ? integrity : 'notChecked';
  const { code, look } = headlineOf({ integrity: known, status: {}, issuer: null });
  return { code, look, text: undefined, values: {}, integrity, status: { kind: 'unknown' }, issuer: null };
}

/**
 * Returns this browser's finding about the public documents, if it is worse than the service's finding. An issuer's server may send different documents to the
 * service and to this browser.
 */
export const worse = (answer: Answer, { integrity }: { integrity: Integrity }): Partial<Parts> => (answer.integrity === 'unchanged' && integrity !== 'unchanged' ? { integrity } : {});

/** Returns the issuer after this browser has read the domain's file, with a `result` other than `confirmed` and `unreadable`. */
export const unconfirmed = (issuer: Issuer, result: string): Issuer => ({ ...issuer, kind: result === 'disowned' ? 'disowned' : 'wasConfirmed', confirmed: false });
