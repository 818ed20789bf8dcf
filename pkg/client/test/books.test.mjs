// The texts that an account signs for register books. The service checks the same texts (edge-api/src/books.rs).
import assert from "node:assert/strict";
import { test } from "node:test";
import { Client } from "@assay/client";
import { ACCOUNT, ME, OK, accounts, provider, recordingServer } from "./support.mjs";

/** SHA-256 of `abc`, from FIPS 180-2, appendix B.1. */
const HASH = "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad";

test("an account signs its key, and a book's ledger, version, hash and readers", async () => {
  const server = await recordingServer(({ path }) => ({ status: 200, body: path === "/account" ? ACCOUNT : { ...OK.body, data: {} } }));
  const signed = [];
  const watched = { accountId: ME.toLowerCase(), signMethod: 3, sign: (text) => (signed.push(text), provider.sign(text)) };
  const client = new Client({ provider: watched, apiUrl: server.url, retries: 0 });
  await client.init();
  assert.equal(client.knownAccount.id, ME);
  signed.length = 0;
  await client.setBookKey("A".repeat(43));
  await client.putLedgerBook(ME.toLowerCase(), { version: 7, readers: [ME.toLowerCase()], content: new TextEncoder().encode("abc") });
  assert.deepEqual(signed, [`assay: my key for register books\nAccount: ${ME}\nKey: ${"A".repeat(43)}`, `assay: register book\nLedger: ${ME}\nVersion: 7\nSHA-256: ${HASH}\nReaders: ${ME}`]);
  const [key, book] = server.requests.slice(-2);
  assert.match(JSON.parse(key.rawBody).signature, /^0x[0-9a-f]{130}$/);
  assert.equal(`${book.method} ${book.path}`, `PUT /ledgers/${ME.toLowerCase()}/book`);
  assert.match(book.rawBody, /name="version"\r\n\r\n7\r\n/);

  // The client recognises what an account signed. Another account, text or service is not, and neither is a malformed signature.
  const given = { accountId: ME, key: "A".repeat(43), signature: JSON.parse(key.rawBody).signature };
  const version = { version: 7, hash: HASH, readers: [ME.toLowerCase()], writerId: ME, signature: /name="signature"\r\n\r\n(0x[0-9a-f]+)/.exec(book.rawBody)[1] };
  assert.equal(await client.isBookKeySigned({ ...given, accountId: ME.toLowerCase() }), true);
  assert.equal(await client.isBookVersionSigned(ME, version), true);
  const [, , other] = accounts.map(({ address }) => address);
  for (const wrong of [
    { accountId: null },
    { signature: null },
    { key: `${"A".repeat(42)}E` },
    { accountId: other },
    { signature: version.signature },
    { signature: "0x" },
    { signature: `0x${"0".repeat(130)}` },
  ])
    assert.equal(await client.isBookKeySigned({ ...given, ...wrong }), false, JSON.stringify(wrong));
  for (const wrong of [
    { version: 8 },
    { hash: HASH.replace("b", "c") },
    { readers: [] },
    { readers: [ME, other] },
    { readers: null },
    { readers: ["0x"] },
    { writerId: other },
    { signature: given.signature },
  ])
    assert.equal(await client.isBookVersionSigned(ME, { ...version, ...wrong }), false, JSON.stringify(wrong));
  assert.equal(await client.isBookVersionSigned(other, version), false);
  const elsewhere = new Client({ provider, apiUrl: server.url, retries: 0, serviceName: "other" });
  await elsewhere.init();
  assert.deepEqual([await elsewhere.isBookKeySigned(given), await elsewhere.isBookVersionSigned(ME, version)], [false, false]);
});
