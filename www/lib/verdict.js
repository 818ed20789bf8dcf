// Combines the service's verdict on a certificate, from `/badge.json`, with the findings of this browser. Does not use the DOM.

/** The look of each headline. */
const LOOKS = {
  changed: 'red',
  'other-asset': 'red',
  withdrawn: 'grey-red',
  'never-issued': 'red',
  'unknown-ledger': 'red',
  'issuer-disowned': 'red',
  'not-proven': 'red',
  expired: 'amber',
  replaced: 'amber',
  'not-checked': 'grey',
  valid: 'green',
  'valid-by-operator': 'green',
  'issuer-no-longer-confirmed': 'amber',
  'issuer-not-confirmed': 'amber',
};

const INTEGRITY = { changed: 'changed', otherAsset: 'other-asset' };
const STATUS = { withdrawn: 'withdrawn', neverIssued: 'never-issued', unknownLedger: 'unknown-ledger' };
const LATER = { expired: 'expired', replaced: 'replaced' };
const ISSUER = {
  confirmed: 'valid',
  operator: 'valid-by-operator',
  wasConfirmed: 'issuer-no-longer-confirmed',
};

/** Returns the code of the headline for the three parts of a verdict. Earlier checks take precedence. */
export function headlineOf({ integrity, status, issuer }) {
  const absent = STATUS[status.kind];
  return (
    INTEGRITY[integrity] ??
    absent ??
    (issuer?.kind === 'disowned' ? 'issuer-disowned' : undefined) ??
    (integrity === 'notCovered' ? 'not-proven' : undefined) ??
    LATER[status.kind] ??
    (integrity === 'unchanged' ? ISSUER[issuer?.kind] ?? 'issuer-not-confirmed' : 'not-checked')
  );
}

/**
 * Returns the verdict to show: `{ code, look, text, values, integrity, status, issuer }`. `answer` is the data of `/badge.json`. `own` has
 * the parts that this browser determined itself. They replace the service's parts. For a code that this page does not know, `text` is the
 * service's English headline. Otherwise `text` is undefined.
 */
export function verdictOf(answer, own = {}) {
  const parts = { integrity: answer.integrity, status: answer.status, issuer: answer.issuer, ...own };
  const isOwn = Object.keys(own).some((name) => JSON.stringify(own[name]) !== JSON.stringify(answer[name]));
  const { headline } = answer;
  if (!isOwn && !Object.hasOwn(LOOKS, headline.code)) {
    return { code: 'other', look: headline.look, text: headline.text, values: {}, ...parts };
  }
  const code = isOwn ? headlineOf(parts) : headline.code;
  const values = { date: code === 'expired' ? lastMoment(parts.status.since) : parts.status.since, reason: parts.status.reason, domain: parts.issuer?.domain, name: parts.issuer?.name };
  return { code, look: LOOKS[code], text: undefined, values, ...parts };
}

/** Returns the last moment of a certificate that is expired `since` a time. A certificate that is valid until a day expires at the start of the next day. */
const lastMoment = (since) => (Number.isNaN(Date.parse(since)) ? since : new Date(Date.parse(since) - 1).toISOString());

/** Returns the verdict if the service does not answer. `integrity` comes from a check against a file's own record, or is `notChecked`. */
export function unreachable(integrity = 'notChecked') {
  const code = integrity === 'changed' || integrity === 'otherAsset' ? INTEGRITY[integrity] : 'not-checked';
  return { code, look: LOOKS[code], text: undefined, values: {}, integrity, status: { kind: 'unknown' }, issuer: null };
}
