// A service's reports, one for each headline, and a fake service that answers with them.
import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { createServer } from "node:http";

export const LEDGER = "0xF9196F9f176fd2eF9243E8960817d5FbE63D79aa";
const ACCOUNT = "0x70997970C51812dc3A010C7d01b50e0d17dc79C8";
const ISSUED = "2026-05-07T09:30:00.000Z";
const THEN = "2026-09-21T14:13:20.000Z";
const DOMAIN = "uni.example";

const status = (kind, since = ISSUED, reason = null) => ({ kind, since, reason, reasonBy: reason === null ? null : { account: ACCOUNT, role: "issuer" }, expiresAt: null });
const issuer = (kind, more = {}) => ({
  account: ACCOUNT,
  kind,
  confirmed: kind === "confirmed" || kind === "operator",
  domain: DOMAIN,
  name: null,
  logo: null,
  firstSeen: ISSUED,
  lastSeen: THEN,
  checkedBy: "dns",
  ...more,
});
const unconfirmed = issuer("notConfirmed", { domain: null, firstSeen: null, lastSeen: null, checkedBy: null });
const parts = (integrity, of = status("inForce"), by = unconfirmed) => ({ integrity, status: of, issuer: by });

/** Each headline's code, look and English text, and the parts of the verdict. */
export const HEADLINES = [
  ["changed", "red", "Changed", parts("changed")],
  ["other-asset", "red", "Copied from another certificate", parts("otherAsset")],
  ["withdrawn", "grey-red", "Withdrawn on 21 September 2026", parts("notChecked", status("withdrawn", THEN, "Issued by mistake"))],
  ["never-issued", "red", "Never issued", parts("notChecked", status("neverIssued", null))],
  ["unknown-ledger", "red", "Never issued: no such ledger", { ...parts("notChecked", status("unknownLedger", null)), issuer: null }],
  ["issuer-disowned", "red", "uni.example says this account is not theirs", parts("unchanged", status("inForce"), issuer("disowned"))],
  ["not-proven", "red", "Shows more than was proven", parts("notCovered")],
  ["expired", "amber", "Expired: it was valid until 21 September 2026", parts("unchanged", status("expired", THEN))],
  ["replaced", "amber", "Replaced on 21 September 2026", parts("unchanged", status("replaced", THEN))],
  ["not-checked", "grey", "Could not be checked", parts("notChecked")],
  ["valid", "green", "Valid. Issued by uni.example", parts("unchanged", status("inForce"), issuer("confirmed", { name: "University of Example" }))],
  ["valid-by-operator", "green", "Valid. Issued by Payroll, confirmed by assay.example", parts("unchanged", status("inForce"), issuer("operator", { name: "Payroll", domain: "assay.example" }))],
  ["issuer-no-longer-confirmed", "amber", "Unchanged, but uni.example no longer confirms the issuer", parts("unchanged", status("inForce"), issuer("wasConfirmed"))],
  ["issuer-not-confirmed", "amber", "Unchanged. Issuer not confirmed", parts("unchanged")],
];

const vectors = JSON.parse(await readFile(new URL("../vectors/verdict/headlines.json", import.meta.url), "utf8"));
assert.deepEqual(HEADLINES.map(([code]) => code).sort(), vectors.headlines.map(({ code }) => code).sort());

/** Returns a report on an asset with this headline. `changes` replaces members of the report. */
export function reportOf(wanted, asset = "1", changes = {}) {
  const [code, look, text, verdict] = HEADLINES.find(([code]) => code === wanted);
  const isKnown = code !== "unknown-ledger";
  return {
    valid: null,
    headline: { code, look, text, parameters: {} },
    ...verdict,
    errors: [],
    ledger: isKnown ? { id: LEDGER, name: "Courses", symbol: "CRS", schemaId: "0x00", capabilities: [], ownerId: ACCOUNT, createdAt: ISSUED } : null,
    asset: isKnown ? { id: asset, imprint: null, uri: null, ownerId: null, createdAt: ISSUED, updatedAt: null, withdrawnAt: null, withdrawnBefore: null } : null,
    values: [],
    lists: [],
    metadata: null,
    evidence: null,
    schema: null,
    ...changes,
  };
}

/** Returns a response with a report. */
export const answerWith = (data) => ({ body: JSON.stringify({ id: "1", status: 200, data, meta: {} }) });

/** Listens on a free port of loopback. Returns the origin and `stop`. */
export async function listen(handler) {
  const server = createServer(handler);
  await new Promise((resolve, reject) => server.once("error", reject).listen(0, "127.0.0.1", resolve));
  return {
    origin: `http://127.0.0.1:${server.address().port}`,
    async stop() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

/**
 * Starts a fake service. `answers` maps asset ids and paths to a response `{ status, headers, body }`, or to a function that writes the response.
 * All other requests get 404. Every origin may read the responses, except those that a function writes. `asked` lists the addresses of all requests.
 */
export async function fakeService(answers = new Map()) {
  const asked = [];
  const { origin, stop } = await listen(async (request, response) => {
    asked.push(request.url);
    const url = new URL(request.url, "http://service");
    const answer = answers.get(url.searchParams.get("assetId")) ?? answers.get(url.pathname);
    if (typeof answer === "function") {
      answer(response);
      return;
    }
    const { status = 200, headers = {}, body = "" } = answer ?? { status: 404 };
    response.writeHead(status, { "access-control-allow-origin": "*", "content-type": "application/json", ...headers }).end(body);
  });
  return { origin, stop, asked, answers };
}
