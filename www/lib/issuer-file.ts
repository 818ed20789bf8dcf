// The file with which a domain confirms an account, with the issuer's name, logo and contact. Does not use the DOM.
import { readIssuer } from '../../pkg/view/src/issuer.ts';
import { Refusal, isObject, own } from '../../pkg/view/src/json.ts';

/**
 * Returns the file that the service offers for the address `at`, with this name, logo and contact. An empty logo or contact is left out. `badgeKey` is the
 * entry of a badge key, or null. Refuses values that certificates would not show. The file's readers decide that.
 */
export function issuerFile(
  offered: string,
  { at, account, badgeKey, ...given }: { at: string; account: string; name: string; logo: string; contact: string; badgeKey: Readonly<Record<string, unknown>> | null },
): string {
  const [name, logo, contact] = [given.name.trim(), given.logo.trim(), given.contact.trim()];
  const { protocol, host, origin } = new URL(at);
  if (name === '') {
    throw Refusal.of('issue.organisationMissing');
  }
  const file: unknown = JSON.parse(offered);
  const services = own(file, 'service');
  const isIssuer = (entry: unknown) => isObject(entry) && own(entry, 'type') === 'AssayIssuer';
  const service = (Array.isArray(services) ? services : []).map((entry: unknown) =>
    isIssuer(entry) ? { ...Object(entry), serviceEndpoint: { name, ...(logo === '' ? {} : { logo }), ...(contact === '' ? {} : { contact }) } } : entry,
  );
  // Methods with keys come first, because some programs read the first method only (docs/spec/badge.md).
  const listed = (name: string, entry: unknown) => [...(badgeKey === null ? [] : [entry]), ...Object(own(file, name))];
  const methods = { verificationMethod: listed('verificationMethod', badgeKey), assertionMethod: listed('assertionMethod', badgeKey?.id) };
  const text = `${JSON.stringify({ ...Object(file), ...methods, service }, null, 2)}\n`;
  const read = readIssuer(text, { domain: host, account, protocol });
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
