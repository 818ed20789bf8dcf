// The check of a domain's `did.json` that runs in visitors' browsers, with the vectors and with local servers.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { createServer } from "node:http";
import { after, before, test } from "node:test";
import { checkIssuer, emphasis, readIssuer } from "../pkg/view/src/issuer.ts";

const { domain, account, documents } = JSON.parse(readFileSync(new URL("vectors/issuer/vectors.json", import.meta.url), "utf8"));
const textOf = ({ text, document }) => text ?? JSON.stringify(document);

for (const vector of documents) {
  test(`a file: ${vector.name}`, () => {
    const found = readIssuer(textOf(vector), { domain, account, ledger: vector.ledger ?? null });
    const issuer = { name: null, logo: null, contact: null, ...vector.issuer };
    assert.deepEqual(found, { result: vector.result, reason: vector.reason ?? null, ...issuer });
  });
}

test("each id and each reference of a file is resolved once or twice", (context) => {
  const startsWith = context.mock.method(String.prototype, "startsWith");
  const [methods, references] = [2_000, 4_000];
  const file = { id: `did:web:${domain}`, verificationMethod: Array.from({ length: methods }, (_, at) => ({ id: `#${at}` })), assertionMethod: Array(references).fill("#no") };
  const text = JSON.stringify(file);
  startsWith.mock.resetCalls();
  assert.equal(readIssuer(text, { domain, account }).reason, "not-listed");
  assert.equal(startsWith.mock.callCount(), 2 * methods + references);
});

const valid = textOf(documents[0]);
let server, other, host;
/** The server's handlers by path. */
const answers = new Map();
before(async () => {
  const start = (handle) =>
    new Promise((resolve) => {
      const started = createServer(handle).listen(0, "127.0.0.1", () => resolve(started));
    });
  server = await start((request, response) => answers.get(request.url)?.(request, response) ?? response.writeHead(404).end());
  other = await start((_, response) => response.end(own()));
  host = `127.0.0.1:${server.address().port}`;
});
after(() => {
  for (const started of [server, other]) {
    started?.closeAllConnections();
    started?.close();
  }
});

const own = () => valid.replaceAll("did:web:uni.example", `did:web:${host.replace(":", "%3A")}`);
const FILE = "/.well-known/did.json";
async function checked(answer) {
  answers.clear();
  answers.set(FILE, answer);
  const { result, reason } = await checkIssuer({ domain: host, account, protocol: "http:" });
  return { result, reason };
}

test("a file is read over the network", async () => {
  assert.deepEqual(await checked((_, response) => response.end(own())), { result: "confirmed", reason: null });
  assert.deepEqual(await checked((_, response) => response.end(valid)), { result: "notConfirmed", reason: "wrong-id" });
});

test("a redirect is followed only if it stays on the same host", async () => {
  const to = (location) => (_, response) => response.writeHead(302, { location }).end();
  answers.clear();
  answers.set(FILE, to("/did.json")).set("/did.json", (_, response) => response.end(own()));
  assert.equal((await checkIssuer({ domain: host, account, protocol: "http:" })).result, "confirmed");
  const elsewhere = `http://127.0.0.1:${other.address().port}/did.json`;
  assert.deepEqual(await checked(to(elsewhere)), { result: "notConfirmed", reason: "redirect" });
});

test("each failure of the server has its own reason", async () => {
  const status = (code) => (_, response) => response.writeHead(code).end(own());
  assert.deepEqual(await checked(status(404)), { result: "notConfirmed", reason: "missing" });
  assert.deepEqual(await checked(status(403)), { result: "notConfirmed", reason: "status" });
  assert.deepEqual(await checked(status(503)), { result: "unreadable", reason: "unavailable" });
  assert.deepEqual(await checked((_, response) => response.end(own().padEnd(65_537))), { result: "notConfirmed", reason: "too-large" });
  assert.deepEqual(await checked((_, response) => response.end(own().padEnd(65_536))), { result: "confirmed", reason: null });
  assert.deepEqual(await checked((request) => request.socket.destroy()), { result: "unreadable", reason: "not-readable" });
});

test("a file that the browser may not read is unreadable, not a refusal", async () => {
  // A browser's fetch fails like this if the response lacks `access-control-allow-origin`.
  const fetch = async () => {
    throw new TypeError("Failed to fetch");
  };
  assert.deepEqual(await checkIssuer({ domain, account, fetch }), { result: "unreadable", reason: "not-readable", name: null, logo: null, contact: null });
});

test("a domain with non-ASCII letters is fetched by its Punycode name", async () => {
  const asked = [];
  const fetch = async (url) => {
    asked.push(url);
    return new Response(valid.replaceAll("uni.example", "xn--mnchen-3ya.example"));
  };
  assert.equal((await checkIssuer({ domain: "münchen.example", account, fetch })).result, "confirmed");
  assert.deepEqual(asked, ["https://xn--mnchen-3ya.example/.well-known/did.json"]);
});

test("the registrable part of a domain is emphasized", () => {
  for (const [name, before, registrable] of [
    ["uni.example", "", "uni.example"],
    ["law.uni.example", "law.", "uni.example"],
    ["uni.ac.uk", "", "uni.ac.uk"],
    ["law.uni.ac.uk", "law.", "uni.ac.uk"],
    ["paypal.com.evil.example", "paypal.com.", "evil.example"],
    ["a.b.ch", "a.", "b.ch"],
    ["localhost", "", "localhost"],
  ]) {
    assert.deepEqual(emphasis(name), { before, registrable });
  }
});
