// `cert export` against the Worker: badges say only what the ledger, the public files and the issuer's domain confirm.
import assert from "node:assert/strict";
import { webcrypto } from "node:crypto";
import { readFile } from "node:fs/promises";
import { after, before, test } from "node:test";
import { fromFragment } from "../../www/lib/file.ts";
import { Network, isBuilt } from "../batch/world.mjs";
import { startServer } from "../support/server.mjs";
import { until } from "../support/client.mjs";
import { Office, SETTINGS } from "./office.mjs";

let server;
let network;
let office;
before(async () => {
  await isBuilt();
  server = await startServer({ vars: SETTINGS, quiet: true });
  network = await Network.start(server.url);
  office = await Office.open(network, server.url);
});
after(async () => {
  await office?.close();
  network?.stop();
  await server?.stop();
});

const WITHOUT = ["--badge-key", "badge.key", "--no-status"];

/** Asserts that the export fails with this code, and writes nothing. */
async function refused(code, ...words) {
  const { code: exit, out, err } = await office.run("export", ...words);
  assert.deepEqual([exit, out], [2, ""], err);
  assert.match(err, new RegExp(`^error\\[${code}\\]`, "m"));
  return err;
}

test("without a confirmed domain, no badge is made", async () => {
  const { file } = await office.certificate("ada@example.com");
  await refused("issuer-not-confirmed", file, ...WITHOUT);
});

test("a badge has the public values, and with --show also the others, each proven by its link", async () => {
  await office.confirm();
  const { ledger, asset, file } = await office.certificate("ada@example.com");
  const page = `${network.url}/c/${ledger.toLowerCase()}/${asset}`;
  const badge = JSON.parse(await office.cert("export", file, ...WITHOUT));
  assert.equal(badge.name, "Applied Cryptography");
  assert.deepEqual(badge.issuer, { id: office.did, type: ["Profile"], name: "University of Example", url: `https://${office.domain}/` });
  assert.deepEqual([badge.validFrom, badge.validUntil], ["2026-06-30T00:00:00Z", "2099-06-30T23:59:59Z"]);
  assert.equal(badge.evidence[0].id, page);
  assert.equal(badge.proof.verificationMethod, office.entry.id);
  assert.doesNotMatch(JSON.stringify(badge), /Ada|ada@|result/);

  const more = JSON.parse(await office.cert("export", file, ...WITHOUT, "--show", "grade,email", "--email"));
  assert.equal(more.credentialSubject.result[0].value, "A");
  const [identity] = more.credentialSubject.identifier;
  const hashed = await webcrypto.subtle.digest("SHA-256", new TextEncoder().encode(`ada@example.com${identity.salt}`));
  assert.equal(identity.identityHash, `sha256$${Buffer.from(hashed).toString("hex")}`);
  const { document, evidence } = await fromFragment(more.evidence[0].id.split("#")[1]);
  assert.equal(document, null);
  assert.deepEqual(evidence.values.map(([[key]]) => key).sort(), ["assetId", "description", "email", "grade", "issuedAt", "ledgerId", "name", "validUntil"]);
  // Equal certificates give equal badges, apart from the time of the signature.
  const again = JSON.parse(await office.cert("export", file, ...WITHOUT, "--show", "grade,email", "--email"));
  assert.deepEqual({ ...again, proof: null }, { ...more, proof: null });
});

test("a picture has the badge inside", async () => {
  const { file } = await office.certificate("bob@example.com");
  await office.desk.write("picture.svg", '<svg xmlns="http://www.w3.org/2000/svg"><rect/></svg>');
  await office.cert("export", file, ...WITHOUT, "--show", "holder", "--picture", "picture.svg", "--output", "badge.svg");
  const [, inside] = /<openbadges:credential><!\[CDATA\[(.*)\]\]><\/openbadges:credential>/s.exec(await readFile(office.desk.file("badge.svg"), "utf8"));
  assert.deepEqual(JSON.parse(inside).type, ["VerifiableCredential", "OpenBadgeCredential"]);
  await office.desk.write("picture.txt", "no picture");
  await refused("picture-damaged", file, ...WITHOUT, "--picture", "picture.txt");
});

test("each rule of the did.json that programs need is checked before the signature", async () => {
  const { file } = await office.certificate("ada@example.com");
  const { didFile } = office;
  try {
    for (const [code, changes] of [
      ["badge-key-not-listed", { verificationMethod: didFile.verificationMethod.slice(1), assertionMethod: didFile.assertionMethod.slice(1) }],
      ["badge-key-purpose", { assertionMethod: didFile.assertionMethod.slice(1) }],
      ["did-context", { "@context": undefined }],
      ["did-relative", { verificationMethod: [{ ...office.entry, id: "#vc-1" }, didFile.verificationMethod[1]] }],
      ["did-id", { id: "did:web:other.example" }],
    ]) {
      office.serve({ ...didFile, ...changes });
      const err = await refused(code, file, ...WITHOUT);
      if (code === "badge-key-not-listed") assert.ok(err.includes(office.entry.publicKeyMultibase), err);
    }
    office.serve({ ...didFile, verificationMethod: didFile.verificationMethod.toReversed() });
    const { code, err } = await office.run("export", file, ...WITHOUT);
    assert.equal(code, 0, err);
    assert.match(err, /^warning: .*methods with keys must come before/m);
  } finally {
    office.serve(didFile);
  }
});

test("files that were changed, foreign keys and missing options are refused", async () => {
  const { file } = await office.certificate("ada@example.com");
  const content = await office.desk.json(file);
  const other = (await office.certificate("bob@example.com")).asset;
  for (const [code, changes] of [
    ["not-proven", { document: { ...content.document, grade: "A+" } }],
    ["not-proven", { imprint: "0".repeat(64) }],
    ["imprint-mismatch", { asset: other }],
    ["not-in-force", { asset: "1" }],
    ["file-malformed", { assay: 2 }],
    ["file-malformed", { more: 1 }],
    ["file-malformed", { ledger: "0x" }],
    ["option-invalid", { service: "http://evil.example" }],
    ["profile-unknown", { evidence: [] }],
  ]) {
    await office.desk.write("changed.assay.json", JSON.stringify({ ...content, ...changes }));
    await refused(code, "changed.assay.json", ...WITHOUT);
  }
  await office.desk.write("other.key", "12\n");
  await refused("badge-key-malformed", file, "--badge-key", "other.key", "--no-status");
  await refused("status-unavailable", file, "--badge-key", "badge.key");
  await refused("not-in-schema", file, ...WITHOUT, "--show", "nothing");
});

test("a withdrawn certificate gets no badge", async () => {
  const { ledger, asset, file } = await office.certificate("bob@example.com");
  const me = office.client.provider.accountId;
  const order = { actions: [{ kind: 6, assetLedgerId: ledger, id: asset, senderId: me }], signersIds: [me], payerId: me, wildcardSigner: false, automatedPerform: true };
  const { data: created } = await office.client.createOrder(order, 2);
  await office.client.waitForOrder(created.ref);
  const outcome = await until(
    () => office.run("export", file, ...WITHOUT),
    ({ code }) => code !== 0,
  );
  assert.match(outcome.err, /^error\[not-in-force\]/m);
});
