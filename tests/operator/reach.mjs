// Loaded into Node.js before a program. Sends the program's requests for hosts below workers.dev to the server in ASSAY_REACH.
const { fetch } = globalThis;

globalThis.fetch = (address, options) => {
  const url = new URL(address);
  if (!url.hostname.endsWith(".workers.dev")) return fetch(address, options);
  return fetch(new URL(url.pathname + url.search, process.env.ASSAY_REACH), options);
};
