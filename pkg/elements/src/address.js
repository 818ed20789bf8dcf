// Converts the attributes of an element to addresses of its service.

const LEDGER = /^0x[0-9a-f]{40}$/i;
/** An asset's id: a 256-bit integer in decimal or hexadecimal digits. */
const ASSET = /^(?:\d{1,78}|0x[0-9a-f]{1,64})$/i;
const LOOPBACK = /^(?:localhost|127(?:\.\d{1,3}){3}|\[::1\])$/;

/**
 * Returns the addresses of a certificate: `page` for people, `report` with its verdict, and the service's `host`. Throws an error with a sentence
 * for the developer of the page if an attribute is missing or malformed.
 */
export function addressesOf(element) {
  const [ledger, asset, service] = ['ledger', 'asset', 'service'].map((name) => element.getAttribute(name)?.trim() ?? '');
  if (!LEDGER.test(ledger)) {
    throw new Error('`ledger` is not the address of a ledger, such as 0x2263…');
  }
  if (!ASSET.test(asset)) {
    throw new Error('`asset` is not the id of an asset, such as 1');
  }
  const base = baseOf(service);
  return {
    ledger,
    asset,
    host: base.host,
    page: new URL(`c/${ledger}/${asset}`, base).href,
    report: new URL(`badge.json?ledgerId=${ledger}&assetId=${asset}`, base).href,
  };
}

/** Parses the service's address. Throws if it is neither https nor on this machine: without TLS, anybody on the network could answer instead of the service. */
function baseOf(service) {
  const base = URL.canParse(service) ? new URL(service) : null;
  const isSafe = base?.protocol === 'https:' || (base?.protocol === 'http:' && LOOPBACK.test(base.hostname));
  if (!isSafe || base.username !== '' || base.password !== '') {
    throw new Error('`service` is not an https address, such as https://assay.example');
  }
  return new URL(`${base.origin}${base.pathname.replace(/\/*$/, '/')}`);
}
