// Short links: this browser encrypts the address of what a holder shows, and the service keeps it for some days. The key is only in the short link's
// fragment, which browsers never send. Does not use the DOM.
import { base64url, fromBase64url } from './base64url.ts';
import { plainText } from './link.ts';
import { TAG, decrypted, encrypted } from './one-use.ts';
import { Refusal, own } from '../../pkg/view/src/json.ts';

/** The address that a short link stands for: a certificate with a part of it in the fragment. Nothing else is opened, so a link cannot lead to another site. */
const TARGET = /^\/c\/0x[0-9a-fA-F]{40}\/[0-9]{1,78}#[\w-]+$/;
/** The path and the fragment of a short link. Some programs write the `#` as `%23`, or add punctuation. */
const SHORT = /^\/s\/([\w-]{16})(?:#|%23|%2523)([\w-]{22})(?![\w-])/;
/** A short link inside a text, with its host if the text names one. */
const IN_TEXT = /(?:https?:\/\/([^/?#\s]+))?\/s\/([\w-]{16})(?:\?[^\s#]{0,2000})?#([\w-]{22})(?![\w-])/i;
/** The longest cipher text that the service takes, in bytes. */
const MAX_CIPHERTEXT = 16_384;

/** A short link. `id` and `endKey` end it. */
export interface ShortLink {
  readonly link: string;
  readonly expiresAt: string;
  readonly id: string;
  readonly endKey: string;
}

/** Returns the host and the address of the short link that a text names, or null. The host is null if the text has none. */
export function shortIn(text: string): { host: string | null; path: string } | null {
  const [, host, id, key] = IN_TEXT.exec(plainText(text)) ?? [];
  return id === undefined || key === undefined ? null : { host: host?.toLowerCase() ?? null, path: `/s/${id}#${key}` };
}

/** Makes a short link to the address of a certificate with a fragment. */
export async function makeShort(address: string, days: number): Promise<ShortLink> {
  const { pathname, hash } = new URL(address);
  const text = new TextEncoder().encode(`${pathname}${hash}`);
  if (!TARGET.test(`${pathname}${hash}`) || text.length + TAG > MAX_CIPHERTEXT) {
    throw Refusal.of('short.tooLong');
  }
  const key = crypto.getRandomValues(new Uint8Array(16));
  const data = await ask('POST', '/links', { ciphertext: base64url(await encrypted(key, text)), days });
  const [id, place, endKey, expiresAt] = ['id', 'address', 'endKey', 'expiresAt'].map((name) => String(own(data, name)));
  return { link: `${place}#${base64url(key)}`, expiresAt: expiresAt ?? '', id: id ?? '', endKey: endKey ?? '' };
}

/** Ends a link. A link that has ended already is no error. */
export async function endShort({ id, endKey }: ShortLink): Promise<void> {
  await ask('PUT', `/links/${id}/end`, { endKey }).catch((error: unknown) => {
    if (!(error instanceof Refusal && error.key === 'link.ended')) {
      throw error;
    }
  });
}

/** Returns the path and the fragment that the address of a short link stands for. */
export async function openShort(path: string): Promise<string> {
  const [, id, key] = SHORT.exec(path) ?? [];
  if (id === undefined || key === undefined) {
    throw Refusal.of('incomplete.lead');
  }
  const ciphertext = own(await ask('GET', `/s/${id}`), 'ciphertext');
  let text: string;
  try {
    text = new TextDecoder().decode(await decrypted(fromBase64url(key), fromBase64url(String(ciphertext))));
  } catch {
    throw Refusal.of('incomplete.lead');
  }
  if (!TARGET.test(text)) {
    throw Refusal.of('incomplete.lead');
  }
  return text;
}

/** The sentences about answers of the service. */
const REFUSED: Partial<Record<number, string>> = { 404: 'link.ended', 429: 'short.busy' };

/** Sends a request to the service, and returns the data of its answer. */
async function ask(method: string, path: string, body?: object): Promise<unknown> {
  let answer: Response;
  let content: unknown;
  try {
    const headers = { accept: 'application/json', 'content-type': 'application/json' };
    answer = await fetch(path, { method, headers, cache: 'no-store', ...(body === undefined ? {} : { body: JSON.stringify(body) }) });
    content = await answer.json();
  } catch {
    throw Refusal.of('short.failed');
  }
  if (!answer.ok) {
    throw Refusal.of(REFUSED[answer.status] ?? 'short.failed');
  }
  return own(content, 'data');
}
