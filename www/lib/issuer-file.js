// The file with which a domain confirms an account, with the issuer's name and logo. Does not use the DOM.
import { readIssuer } from './issuer.js';
import { Refusal, isObject, own } from './json.js';

/**
 * Returns the file that the service offers for the address `at`, with this name and logo. An empty `logo` is left out. Refuses a name or a logo that
 * certificates would not show. The file's readers decide that.
 */
export function issuerFile(offered, { at, account, name: givenName, logo: givenLogo }) {
  const [name, logo] = [givenName.trim(), givenLogo.trim()];
  const { protocol, host, origin } = new URL(at);
  if (name === '') {
    throw Refusal.of('issue.organisationMissing');
  }
  const file = JSON.parse(offered);
  const isIssuer = (entry) => isObject(entry) && own(entry, 'type') === 'AssayIssuer';
  const service = file.service.map((entry) => (isIssuer(entry) ? { ...entry, serviceEndpoint: { name, ...(logo === '' ? {} : { logo }) } } : entry));
  const text = `${JSON.stringify({ ...file, service }, null, 2)}\n`;
  const read = readIssuer(text, { domain: host, account, protocol });
  if (read.name !== name) {
    throw Refusal.of('issue.organisationWrong');
  }
  if (read.logo !== (logo === '' ? null : logo)) {
    throw Refusal.of('issue.logoWrong', { start: `${origin}/` });
  }
  return text;
}
