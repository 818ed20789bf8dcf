// Gives several services ("cells") one host name. Passes each request that names a ledger to the cell that has the ledger. See
// docs/scale.md.
//
// The cells are service bindings whose names begin with CELL_. Claims and accounts belong to a cell, so requests without a ledger, such as
// orders, go to the cell's own address. Pages and images are the same in all cells of one release and come from the first.

/** Paths with a ledger's address: certificates, and the API's routes of a ledger. */
const LEDGER_IN_PATH = /^\/(?:c|ledgers)\/(0x[0-9a-f]{40})(?:\/|$)/i;
const BADGES = new Set(["/badge", "/badge.json"]);
const ADDRESS = /^0x[0-9a-f]{40}$/i;
/** Paths of the API that name no ledger. */
const OF_A_CELL = /^\/(?:account|approvals|deployments|deposits|development|issuers|ledgers|orders|requests|stats)(?:\/|$)/;
/** Files have addresses without a ledger. Any cell may have them. */
const FILES = /^\/files(?:\/|$)/;
/** An asset that no order creates, because its id is the greatest. Its report says only whether the ledger exists. */
const NO_ASSET = (2n ** 256n - 1n).toString();

/** The cells of ledgers that this isolate has seen. A ledger never moves to another cell. Beyond the limit, the oldest entry is dropped. */
const known = new Map();
const KNOWN_MAX = 10_000;

/** Returns the ledger that a request names, in lower case. */
function ledgerOf({ pathname, searchParams }) {
  const named = BADGES.has(pathname) ? searchParams.get("ledgerId") : LEDGER_IN_PATH.exec(pathname)?.[1];
  return named && ADDRESS.test(named) ? named.toLowerCase() : undefined;
}

/** Returns the name of the cell that has a ledger, if one of them answers that it does. */
async function cellOf(ledger, cells, request) {
  if (known.has(ledger)) return known.get(ledger);
  const question = new URL("/badge.json", request.url);
  question.search = new URLSearchParams({ ledgerId: ledger, assetId: NO_ASSET });
  // The client's address stays, so that the cells' rate limits count these questions for the client.
  const client = request.headers.get("cf-connecting-ip");
  const headers = client ? { "cf-connecting-ip": client } : {};
  const answers = cells.map(async ([name, cell]) => {
    const answer = await cell.fetch(question, { headers });
    const { data } = await answer.json();
    if (!data?.ledger) throw new Error("the ledger is not here");
    return name;
  });
  const found = await Promise.any(answers).catch(() => undefined);
  if (found) {
    if (known.size >= KNOWN_MAX) known.delete(known.keys().next().value);
    known.set(ledger, found);
  }
  return found;
}

/** Returns the answer of the first cell that has a file, or the last refusal. */
async function fileOf(cells, request) {
  let answer;
  for (const [, cell] of cells) {
    answer = await cell.fetch(request.clone());
    if (answer.ok) break;
  }
  return answer;
}

function refused(message) {
  const id = crypto.randomUUID();
  const headers = { "access-control-allow-origin": "*", "cache-control": "no-store", "x-request-id": id };
  return Response.json({ id, status: 404, errors: [{ code: 400000, message, path: "" }] }, { status: 404, headers });
}

export default {
  async fetch(request, env) {
    const cells = Object.entries(env).filter(([name]) => name.startsWith("CELL_")).sort(([one], [other]) => (one < other ? -1 : 1));
    const url = new URL(request.url);
    const ledger = ledgerOf(url);
    if (ledger) {
      // The first cell answers if no cell has the ledger, or if the ledger is so new that the copy of its cell's database does not have it
      // yet.
      const name = (await cellOf(ledger, cells, request)) ?? cells[0][0];
      return env[name].fetch(request);
    }
    const isRead = request.method === "GET" || request.method === "HEAD";
    if (FILES.test(url.pathname) && isRead) return fileOf(cells, request);
    if (OF_A_CELL.test(url.pathname) || FILES.test(url.pathname)) {
      return refused("this host answers only requests that name a ledger by its address: send the others to the service that issued your account's claims");
    }
    return cells[0][1].fetch(request);
  },
};
