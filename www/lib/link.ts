// Finds the asset in a pasted text. Does not use the DOM.
import { hidden } from '../../pkg/view/src/characters.ts';

const LEDGER = '0x[0-9a-f]{40}';
const NUMBER = '(?:0x[0-9a-f]+|[0-9]+)';
const PAIR = new RegExp(`^(${LEDGER})(?:\\s*[/:,]\\s*|\\s+)(${NUMBER})$`, 'i');
/** A path, and the fragment if there is one. Punctuation or a query may stand between them. */
const PATH = new RegExp(`(${LEDGER})/(${NUMBER})(?![\\w-])(?:[^\\w#?]*(?:\\?[^\\s#]{0,2000})?#([^]*))?`, 'i');
/** The same in a text without white space, where a fragment shows that the number is whole. */
const JOINED = new RegExp(`(${LEDGER})/(${NUMBER})[^\\w#?]*(?:\\?[^#]{0,2000})?#([1-9][^]{20,})`, 'i');
/** A link without its number, or with a part of its ledger's address. */
const CUT = /\/c\/(0x[0-9a-f]*|$)|0x[0-9a-f]{40}\/?$/i;
const HOST = /https?:\/\/([^/?#\s]+)/gi;

/** The longest text in which links are looked for, in characters. Three times the longest link, because programs may write a character as three. */
const MAX_TEXT = 65_536;
/** Programs encode a link at most this many times. */
const MAX_ENCODED = 3;

/** Invisible characters, which editors and mail programs add, and the soft line breaks of quoted-printable text. */
const UNSEEN = new RegExp(`=\\r?\\n|(?![\\t\\n\\r])[${hidden}]`, 'gu');

/** The asset that a text names, with the host and the fragment of a link. */
export interface NamedAsset {
  ledgerId: string;
  assetId: string;
  host: string | null;
  fragment: string | null;
}

/** Returns a text without percent-encoding, HTML entities and invisible characters. */
export function plainText(text: string): string {
  let plain = text.slice(0, MAX_TEXT);
  for (let count = 0; count < MAX_ENCODED; count += 1) {
    plain = plain.replace(/%[0-9a-f]{2}(?:%[89ab][0-9a-f])*/gi, decoded);
  }
  return plain
    .replace(/&amp;/gi, '&')
    .replace(/&(?:#\d{1,7}|#x[0-9a-f]{1,6}|[a-z]{2,8});/gi, ' ')
    .replace(UNSEEN, '');
}

function decoded(text: string) {
  try {
    return decodeURIComponent(text);
  } catch {
    return ' ';
  }
}

/**
 * Returns the asset that a text names: a link to a certificate, a badge's address or its `<img>`, or `0x…/1`. The link may be part of a sentence,
 * and other programs may have changed it. The result is `{ ledgerId, assetId, host, fragment }`. `host` is null if the text has no host, and
 * `fragment` is null if the link has none. Returns null if the text names no asset.
 */
export function assetOf(text: string): NamedAsset | null {
  const plain = plainText(text);
  const pair = PAIR.exec(plain.trim());
  if (pair !== null) {
    return namedBy(pair, null);
  }
  const [ledgerId, assetId] = [parameter(plain, 'ledgerId'), parameter(plain, 'assetId')];
  if (ledgerId !== null && assetId !== null) {
    return { ledgerId, assetId, host: hostIn(beforeQuery(plain)), fragment: null };
  }
  // Mail programs break lines and put `>` before quoted lines.
  const joined = plain.replace(/[\s>]+/g, '');
  const direct = PATH.exec(plain);
  const [from, path]: [string, RegExpExecArray | null] = direct === null || direct[3] === undefined ? [joined, JOINED.exec(joined) ?? (direct === null ? PATH.exec(joined) : null)] : [plain, direct];
  if (path === null) {
    return direct === null ? null : namedBy(direct, hostIn(plain.slice(0, direct.index)));
  }
  return namedBy(path, hostIn(from.slice(0, path.index)));
}

/** Returns the asset in the groups of `PAIR`, `PATH` or `JOINED`. */
const namedBy = ([, ledger = '', asset = '', fragment]: RegExpExecArray, host: string | null): NamedAsset => ({
  ledgerId: withLowerPrefix(ledger),
  assetId: withLowerPrefix(asset),
  host,
  fragment: fragment ?? null,
});

/** Returns an id of a printed code in lower case. Printed codes have upper-case addresses, also in the prefix of their ids. */
const withLowerPrefix = (id: string) => (id.startsWith('0X') ? id.toLowerCase() : id);

/** Returns true if a text has a part of a link, but names no asset. */
export function isCutLink(text: string): boolean {
  return assetOf(text) === null && CUT.test(plainText(text).replace(/\s+/g, ''));
}

/** Returns the text before the query with the ids, because the query may have addresses of other hosts. */
function beforeQuery(text: string) {
  const first = text.search(/[?&](?:ledgerId|assetId)=/i);
  const start = text.lastIndexOf('?', first);
  return text.slice(0, start < 0 ? first : start);
}

/** Returns the last host that a text names, in lower case. */
function hostIn(text: string) {
  return [...text.matchAll(HOST)].at(-1)?.[1]?.toLowerCase() ?? null;
}

/** Returns a parameter's value if it has only characters of ids. Otherwise returns null. */
function parameter(address: string, name: string) {
  return new RegExp(`[?&]${name}=([0-9a-zx]+)`, 'i').exec(address)?.[1] ?? null;
}
