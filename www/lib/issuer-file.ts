// The file with which a domain confirms an account, with the issuer's name, logo and contact. Does not use the DOM.
import { readIssuer } from '../../pkg/view/src/issuer.ts';
import { Refusal, isObject, own } from '../../pkg/view/src/json.ts';
import type { Organisation } from './organisation.ts';

/** The maximum size of the file in bytes (docs/spec/issuer.md). */
const FILE_MAX = 65_536;

/** The address of a file, and the account that it confirms. */
interface Place {
  readonly at: string;
  readonly account: string;
}

/** Returns how certificates would show the issuer of this file. */
function shownBy(text: string, { at, account }: Place) {
  const { protocol, host } = new URL(at);
  return readIssuer(text, { domain: host, account, protocol });
}

/** Returns the name, logo and contact in a file, as far as it has them. */
export function publishedIn(text: string, place: Place): Partial<Organisation> {
  const { name, logo, contact } = shownBy(text, place);
  return { ...(name === null ? {} : { organisation: name }), ...(logo === null ? {} : { logo }), ...(contact === null ? {} : { contact }) };
}

/**
 * Returns the file that the service offers for the address `at`, with this name, logo and contact. Keeps all other content. An empty logo or contact is
 * removed. Refuses values that certificates would not show. The file's readers decide that.
 */
export function issuerFile(offered: string, { at, account, ...given }: Place & { name: string; logo: string; contact: string }): string {
  const [name, logo, contact] = [given.name.trim(), given.logo.trim(), given.contact.trim()];
  const { origin } = new URL(at);
  if (name === '') {
    throw Refusal.of('issue.organisationMissing');
  }
  const file: unknown = JSON.parse(offered);
  const shown = shownBy(offered, { at, account });
  // A value that certificates do not show, and that the person has not replaced, stays in the file.
  const changed = Object.entries({ name, logo, contact }).filter(([key, value]) => value !== (own(shown, key) ?? ''));
  const services = own(file, 'service');
  const isIssuer = (entry: unknown) => [own(entry, 'type')].flat().includes('AssayIssuer');
  const service = (Array.isArray(services) ? services : []).map((entry: unknown) =>
    isObject(entry) && isIssuer(entry) ? { ...entry, serviceEndpoint: withValues(Object(entry.serviceEndpoint), changed) } : entry,
  );
  const result = { ...Object(file), service };
  const indented = `${JSON.stringify(result, null, 2)}\n`;
  const text = new TextEncoder().encode(indented).length <= FILE_MAX ? indented : JSON.stringify(result);
  const read = shownBy(text, { at, account });
  if (read.name !== name) {
    throw Refusal.of('issue.organisationWrong');
  }
  if (read.logo !== (logo === '' ? null : logo)) {
    throw Refusal.of('issue.logoWrong', { start: `${origin}/` });
  }
  if (read.contact !== (contact === '' ? null : contact)) {
    throw Refusal.of('issue.contactWrong', { start: `${origin}/` });
  }
  return text;
}

/** Returns an object with other values. An empty value removes its member. */
function withValues(object: Readonly<Record<string, unknown>>, values: readonly (readonly [string, string])[]): Record<string, unknown> {
  const changed = Object.fromEntries(values);
  return Object.fromEntries(Object.entries({ ...object, ...changed }).filter(([key]) => changed[key] !== ''));
}
