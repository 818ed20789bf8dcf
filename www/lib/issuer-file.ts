// The file with which a domain confirms an account, with the issuer's name and logo. Does not use the DOM.
import { readIssuer } from '../../pkg/view/src/issuer.ts';
import { Refusal, isObject, own } from '../../pkg/view/src/json.ts';

/**
 * Returns the file that the service offers for the address `at`, with this name and logo. An empty `logo` is left out. Refuses a name or a logo that
 * certificates would not show. The file's readers decide that.
 */
export function issuerFile(offered: string, { at, account, name: givenName, logo: givenLogo }: { at: string; account: string; name: string; logo: string }): string {
  const [name, logo] = [givenName.trim(), givenLogo.trim()];
  const { protocol, host, origin } = new URL(at);
  if (name === '') {
    throw Refusal.of('issue.organisationMissing');
  }
  const file: unknown = JSON.parse(offered);
  const services = own(file, 'service');
  const isIssuer = (entry: unknown) => isObject(entry) && own(entry, 'type') === 'AssayIssuer';
  const service = (Array.isArray(services) ? services : []).map((entry: unknown) => (isIssuer(entry) ? { ...Object(entry), serviceEndpoint: { name, ...(logo === '' ? {} : { logo }) } } : entry));
  const text = `${JSON.stringify({ ...Object(file), service }, null, 2)}\n`;
  const read = readIssuer(text, { domain: host, account, protocol });
  if (read.name !== name) {
    throw Refusal.of('issue.organisationWrong');
  }
  if (read.logo !== (logo === '' ? null : logo)) {
    throw Refusal.of('issue.logoWrong', { start: `${origin}/` });
  }
  return text;
}
