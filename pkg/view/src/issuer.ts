// Checks in the visitor's browser whether a domain confirms an account: reads `/.well-known/did.json`, by docs/spec/issuer.md. Does not use the DOM.
import { visible } from './visible.ts';

/** The maximum size of the file in bytes. */
const FILE_MAX = 65_536;
/** The maximum number of ledgers that a file may list. */
const LEDGERS_MAX = 100;
/** The maximum lengths of a name and of a logo's address, in characters. */
const NAME_MAX = 100;
const LOGO_MAX = 500;
/** The maximum length of a contact, in characters. */
const CONTACT_MAX = 254;
/** The timeout of the whole exchange, in milliseconds. */
const TIMEOUT_MS = 10_000;

const ADDRESS = /^0x[0-9a-fA-F]{40}$/;
/** An account on any EVM chain (CAIP-10). The chain is ignored, because the same key controls the account on every chain. */
const ACCOUNT = /^eip155:[-_a-zA-Z0-9]{1,32}:(0x[0-9a-fA-F]{40})$/;
/** The characters of an address in which nothing has to be escaped. */
const PLAIN = /^[!#-;=?-[\]_a-z~]*$/;

/** An e-mail address that needs no quotation or escape, as browsers accept it in forms. */
const EMAIL = /^[a-zA-Z0-9._+-]{1,64}@(?:[a-zA-Z0-9](?:[a-zA-Z0-9-]{0,61}[a-zA-Z0-9])?\.)+[a-zA-Z0-9-]{2,63}$/;

/** The result of reading a domain's file. `reason` is null or a stable string. Name, logo and contact are null unless the account is confirmed. */
export interface IssuerFinding {
  result: 'confirmed' | 'disowned' | 'notConfirmed' | 'unreadable';
  reason: string | null;
  name: string | null;
  logo: string | null;
  /** An e-mail address, or an address on the domain's own host. */
  contact: string | null;
}

/** The account to look for, and a ledger that it owns. */
interface Sought {
  domain: string;
  account: string;
  ledger?: string | null;
  protocol?: string;
}

/** A question to the worker that reads domains' files. */
export type IssuerQuestion = Sought;

/**
 * Fetches a domain's file and checks whether it confirms `account` as the owner of `ledger`. `domain` is a host
 * name, in any script. Returns a result as `readIssuer` does. `result` is `unreadable` if this browser could not read the file. Either the
 * server does not answer or answers with a status of 500 or more, or CORS forbids the request: the server, or the host to which it redirects,
 * does not allow other sites to read the file. The service reads the file without the limits of CORS.
 */
export async function checkIssuer({ domain: name, account, ledger = null, fetch = globalThis.fetch, protocol = 'https:' }: Sought & { fetch?: typeof globalThis.fetch }): Promise<IssuerFinding> {
  const found = await fetchFile({ domain: name, fetch, protocol });
  return 'text' in found ? readIssuer(found.text, { domain: found.domain, account, ledger, protocol }) : found;
}

/** Fetches a domain's file. Returns its text with the domain in Punycode, or the reason why there is no text. */
export async function fetchFile({
  domain: name,
  fetch = globalThis.fetch,
  protocol = 'https:',
}: {
  domain: string;
  fetch?: typeof globalThis.fetch;
  protocol?: string;
}): Promise<{ domain: string; text: string } | IssuerFinding> {
  const { host: domain, origin } = new URL(`${protocol}//${name}/`);
  const url = `${origin}/.well-known/did.json`;
  const signal = AbortSignal.timeout(TIMEOUT_MS);
  let response: Response;
  try {
    response = await fetch(url, { credentials: 'omit', referrerPolicy: 'no-referrer', headers: { accept: 'application/did+json, application/json' }, signal });
  } catch {
    return none('unreadable', 'not-readable');
  }
  if (new URL(response.url || url).origin !== origin) {
    return none('notConfirmed', 'redirect');
  }
  if (!response.ok) {
    const missing = response.status === 404 || response.status === 410;
    return response.status >= 500 ? none('unreadable', 'unavailable') : none('notConfirmed', missing ? 'missing' : 'status');
  }
  try {
    const text = await textWithin(response, FILE_MAX);
    return text === null ? none('notConfirmed', 'too-large') : { domain, text };
  } catch {
    return none('unreadable', 'not-readable');
  }
}

/**
 * Reads a domain's file. `domain` is in Punycode. Without `ledger`, checks only the account.
 */
export function readIssuer(text: string, { domain, account, ledger = null, protocol = 'https:' }: Sought): IssuerFinding {
  let file: unknown;
  try {
    file = JSON.parse(text);
  } catch {
    return none('notConfirmed', /^\ufeff?\s*</.test(text) ? 'html' : 'not-json');
  }
  if (!isObject(file)) {
    return none('notConfirmed', 'malformed');
  }
  const id = `did:web:${domain.replace(':', '%3A')}`;
  if (typeof file.id !== 'string' || file.id.toLowerCase() !== id.toLowerCase()) {
    return none('notConfirmed', 'wrong-id');
  }
  const issuer = issuerOf(file.service);
  const listed = accountsOf(file.id, file);
  if (issuer === undefined || listed === undefined) {
    return none('notConfirmed', 'malformed');
  }
  const isAccount = (other: string) => other.toLowerCase() === account.toLowerCase();
  if (issuer.revoked.some(isAccount)) {
    return none('disowned', 'revoked');
  }
  if (!listed.some(isAccount)) {
    return none('notConfirmed', 'not-listed');
  }
  if (ledger !== null && issuer.ledgers !== null && !issuer.ledgers.some((other) => other.toLowerCase() === ledger.toLowerCase())) {
    return none('notConfirmed', 'ledger-not-listed');
  }
  return {
    result: 'confirmed',
    reason: null,
    name: nameOf(issuer.name),
    logo: pageOf(issuer.logo, LOGO_MAX, `${protocol}//${domain}/`),
    contact: contactOf(issuer.contact, `${protocol}//${domain}/`),
  };
}

const none = (result: IssuerFinding['result'], reason: string): IssuerFinding => ({ result, reason, name: null, logo: null, contact: null });
const isObject = (value: unknown): value is Record<string, unknown> => typeof value === 'object' && value !== null && !Array.isArray(value);

/** Returns the accounts under `assertionMethod`, or undefined if the file is malformed. */
function accountsOf(id: string, { verificationMethod = [], assertionMethod = [] }: Record<string, unknown>) {
  if (!Array.isArray(verificationMethod) || !Array.isArray(assertionMethod)) {
    return undefined;
  }
  // References and ids may be relative to the DID (did-core, 3.2.2).
  const absolute = (reference: string) => (reference.startsWith('#') ? id + reference : reference);
  // The first method with an id counts. The map makes the time linear in the size of the file.
  const byId = new Map<string, unknown>();
  for (const method of verificationMethod) {
    if (isObject(method) && typeof method.id === 'string' && !byId.has(absolute(method.id))) {
      byId.set(absolute(method.id), method);
    }
  }
  const methodOf = (entry: unknown) => (typeof entry === 'string' ? byId.get(absolute(entry)) : entry);
  return assertionMethod.map(methodOf).flatMap((method) => {
    const account = isObject(method) && typeof method.blockchainAccountId === 'string' ? ACCOUNT.exec(method.blockchainAccountId) : null;
    return account?.[1] === undefined ? [] : [account[1]];
  });
}

/** Returns the description of the issuer. It is empty if there is none, and undefined if the file is malformed. */
function issuerOf(service: unknown = []) {
  if (!Array.isArray(service)) {
    return undefined;
  }
  const isIssuer = (entry: unknown) => isObject(entry) && [entry.type].flat().includes('AssayIssuer');
  const issuers: unknown[] = service.filter(isIssuer);
  if (issuers.length === 0) {
    return { name: null, logo: null, contact: null, ledgers: null, revoked: [] };
  }
  const [only] = issuers;
  const endpoint = isObject(only) ? only.serviceEndpoint : undefined;
  if (issuers.length > 1 || !isObject(endpoint)) {
    return undefined;
  }
  const { name = null, logo = null, contact = null, revoked = [] } = endpoint;
  const hasLedgers = Object.hasOwn(endpoint, 'ledgers');
  const ledgers = areAddresses(endpoint.ledgers) && endpoint.ledgers.length <= LEDGERS_MAX ? endpoint.ledgers : null;
  return hasLedgers === (ledgers !== null) && areAddresses(revoked) ? { name, logo, contact, ledgers, revoked } : undefined;
}

const areAddresses = (list: unknown): list is string[] => Array.isArray(list) && list.every((entry) => typeof entry === 'string' && ADDRESS.test(entry));

function nameOf(name: unknown) {
  return typeof name === 'string' && visible(name) === name && !name.includes('\xad') && name.trim() !== '' && [...name.trim()].length <= NAME_MAX ? name.trim() : null;
}

/** Returns an address if it is on the domain's own host. */
function pageOf(address: unknown, most: number, base: string) {
  return typeof address === 'string' && address.startsWith(base) && address.length <= most && PLAIN.test(address) ? address : null;
}

/** Returns the contact if it is an e-mail address, or an address on the domain's own host. */
function contactOf(contact: unknown, base: string) {
  return typeof contact === 'string' && contact.length <= CONTACT_MAX && EMAIL.test(contact) ? contact : pageOf(contact, CONTACT_MAX, base);
}

/** Reads a response of at most `max` bytes. Returns null if it is larger. */
export async function textWithin(response: Response, max: number): Promise<string | null> {
  const chunks: BlobPart[] = [];
  let size = 0;
  const reader = response.body?.getReader();
  while (reader !== undefined) {
    const { done, value } = await reader.read();
    if (done) {
      break;
    }
    size += value.length;
    if (size > max) {
      await reader.cancel();
      return null;
    }
    chunks.push(value);
  }
  return new TextDecoder('utf-8', { ignoreBOM: true }).decode(await new Blob(chunks).arrayBuffer());
}

/** Second-level names under which country registries sell names. */
const SECOND_LEVEL = /^(?:ac|co|com|edu|gob|gouv|gov|gv|id|info|ltd|mil|ne|net|nom|or|org|plc|sch|school)$/;

/**
 * Splits a domain into the part before the registrable name, and the registrable name, which a page emphasizes. The registrable name is the
 * last two labels, or the last three below names such as `ac.uk`. The public suffix list would be exact, but it is larger than the rest of a
 * page.
 */
export function emphasis(domain: string): { before: string; registrable: string } {
  const labels = domain.split('.');
  const below = labels.length > 2 && labels.at(-1)?.length === 2 && SECOND_LEVEL.test(labels.at(-2) ?? '') ? 3 : 2;
  const at = Math.max(labels.length - below, 0);
  return {
    before: labels
      .slice(0, at)
      .map((label) => `${label}.`)
      .join(''),
    registrable: labels.slice(at).join('.'),
  };
}
