// Reading and reducing SD-JWTs in a page's script, by the vectors in tests/vectors/vc. Needs no browser.
import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { test } from "node:test";
import { agrees, comparedWith, isSdJwt, planOf, readSdJwt, reduceSdJwt } from "../../www/lib/sd-jwt.ts";

const vectors = JSON.parse(await readFile(new URL("../vectors/vc/jwts.json", import.meta.url), "utf8"));
const partsOf = (text) => text.split("~").slice(1, -1).toSorted();

test("an SD-JWT is read with all of its values", async () => {
  const { ledgerId, assetId, ...fields } = vectors.document;
  for (const text of [vectors.sdJwt, vectors.bound, `\n${vectors.sdJwt}\n`]) {
    const read = await readSdJwt(text);
    assert.deepEqual(read.document, fields);
    assert.deepEqual([read.issuer, read.service, read.ledger, read.asset, `aih2:${read.imprint}`, read.keyId], ["uni.example", vectors.service, ledgerId, assetId, vectors.imprint, vectors.keyId]);
    assert.ok(agrees(read, vectors.document));
    assert.deepEqual(
      planOf(read)
        .nodes.map(({ name }) => name)
        .sort(),
      Object.keys(fields).sort(),
    );
    assert.equal(
      reduceSdJwt(
        read,
        read.disclosed.map(({ path }) => path),
      ).split("~").length,
      vectors.sdJwt.split("~").length,
    );
  }
});

test("a reduced SD-JWT has the disclosures of the vectors, and can be reduced further", async () => {
  const whole = await readSdJwt(vectors.sdJwt);
  for (const { paths, document, disclosures } of vectors.reduced) {
    const text = reduceSdJwt(whole, paths);
    assert.ok(isSdJwt(text));
    assert.deepEqual(partsOf(text), disclosures);
    const read = await readSdJwt(text);
    assert.deepEqual(read.document, document);
    assert.equal(reduceSdJwt(read, paths), text);
    assert.equal(reduceSdJwt(read, []), `${read.jwt}~`);
    assert.ok(Object.keys(document).length === 0 || !agrees(read, {}));
  }
});

test("malformed SD-JWTs are refused", async () => {
  for (const [what, text] of vectors.refused) await assert.rejects(readSdJwt(text), { key: "sdJwt.foreign" }, what);
  for (const text of ["", "~", "{}", vectors.badges[0], `${vectors.badges[0]}~`, "~".repeat(11 << 20)]) await assert.rejects(readSdJwt(text), { key: "sdJwt.foreign" });
});

test("no path shows more than it names", async () => {
  const whole = await readSdJwt(vectors.sdJwt);
  // The grade is a single value, so nothing below it can be shown.
  assert.deepEqual(partsOf(reduceSdJwt(whole, [["grade", "x"], ["hold"], ["modules", 7], ["modules", "1"]])).length, 1);
  assert.deepEqual((await readSdJwt(reduceSdJwt(whole, [["modules", 7]]))).document, { modules: [null, null] });
});

test("values are compared with a public part, in which hidden values are missing", async () => {
  const { disclosed } = await readSdJwt(vectors.sdJwt);
  const compared = (name, given) =>
    comparedWith(
      disclosed.find(({ path }) => path[0] === name),
      given,
    );
  assert.equal(compared("grade", undefined), "notPublic");
  assert.equal(compared("grade", "A"), "same");
  assert.equal(compared("grade", "B"), "different");
  assert.equal(compared("holder", { name: "Ada Example" }), "notPublic");
  assert.equal(compared("holder", { name: "Eve" }), "different");
  assert.equal(compared("holder", []), "different");
  assert.equal(compared("modules", [null, "Signatures"]), "notPublic");
  assert.equal(compared("modules", ["Hashes", "Signatures"]), "same");
  assert.equal(compared("modules", ["Hashes", "Signatures", "More"]), "different");
  assert.equal(compared("notes", []), "same");
  assert.equal(compared("notes", [null]), "different");
});
