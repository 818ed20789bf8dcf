// Loaded into Node.js before a program. Sends the program's requests for hosts below workers.dev to the server in ASSAY_REACH, and requests for
// hooks.example.org to the server in ASSAY_HOOKS.
const { fetch } = globalThis;

globalThis.fetch = (address, options) => {
  const url = new URL(address);
  const to = url.hostname.endsWith(".workers.dev") ? process.env.ASSAY_REACH : url.hostname === "hooks.example.org" ? process.env.ASSAY_HOOKS : undefined;
  return to === undefined ? fetch(address, options) : fetch(new URL(url.pathname + url.search, to), options);
};
