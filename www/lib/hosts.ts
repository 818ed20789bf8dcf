// Decides which addresses belong to a domain. Does not use the DOM.

/** Returns true if an address is on the domain's own host, over TLS. In development, an address of this machine without TLS counts as well. */
export function isOwnHost(address: string, domain: string): boolean {
  if (!URL.canParse(address)) {
    return false;
  }
  const { protocol, hostname, host } = new URL(address);
  const isLocal = protocol === 'http:' && /^(localhost|127\.\d+\.\d+\.\d+)$/.test(hostname);
  return (protocol === 'https:' || isLocal) && (hostname === domain || host === domain);
}
