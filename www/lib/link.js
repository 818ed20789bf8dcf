// Finds the asset in a pasted text. Does not use the DOM.

const PAIR = /^(0x[0-9a-f]{40})\s*[/:,\s]\s*(0x[0-9a-f]+|[0-9]+)$/i;
const PATH = /(0x[0-9a-f]{40})\/(0x[0-9a-f]+|[0-9]+)\/?(?:[?#]|$)/i;
const HOST = /^\s*https?:\/\/([^/?#\s]+)/i;

/**
 * Returns the asset that a text names: a link to a certificate, a badge's address or its `<img>`, or `0x…/1`. The result is `{ ledgerId,
 * assetId, host }`, where `host` is null if the text has no host. Returns null if the text names no asset.
 */
export function assetOf(text) {
  const pair = PAIR.exec(text.trim());
  if (pair !== null) {
    return { ledgerId: pair[1], assetId: pair[2], host: null };
  }
  const address = text.replaceAll('&amp;', '&').replace(/^[^]*?(?=https?:\/\/)/i, '');
  const host = HOST.exec(address)?.[1] ?? null;
  const [ledgerId, assetId] = ['ledgerId', 'assetId'].map((name) => parameter(address, name));
  if (ledgerId !== null && assetId !== null) {
    return { ledgerId, assetId, host };
  }
  const path = PATH.exec(address);
  return path === null ? null : { ledgerId: path[1], assetId: path[2], host };
}

/** Returns a parameter's value if it has only characters of ids. Otherwise returns null. */
function parameter(address, name) {
  return new RegExp(`[?&]${name}=([0-9a-zx]+)`, 'i').exec(address)?.[1] ?? null;
}
