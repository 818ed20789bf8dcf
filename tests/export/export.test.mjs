// `cert export` against the Worker: badges say only what the ledger, the public files and the issuer's domain confirm.
import assert from "node:assert/strict";
import { createPrivateKey, randomBytes, webcrypto } from "node:crypto";
import { readFile } from "node:fs/promises";
import { after, before, test } from "node:test";
import { fromFragment } from "../../www/lib/file.ts";
import { isBuilt } from "../batch/world.mjs";
import { startServer } from "../support/server.mjs";
import { until } from "../support/client.mjs";
import { disclosed, signed } from "../interop/sd-jwts.mjs";
import { Office, SETTINGS } from "./office.mjs";

let server;
let office;
before(async () => {
  await isBuilt();
  server = await startServer({ vars: SETTINGS, quiet: true });
  office = await Office.open(server);
});
after(async () => {
  await office?.close();
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
  const { code, err } = await office.batch("--badge-key", "badge.key");
  assert.equal(code, 2);
  assert.match(err, /^error\[issuer-not-confirmed\]/m);
});

test("a badge has the public values, and with --show also the others, each proven by its link", async () => {
  await office.confirm();
  const { ledger, asset, file } = await office.certificate("ada@example.com");
  const page = `${office.service}/c/${ledger.toLowerCase()}/${asset}`;
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

/** Returns the findings about a badge, and whether the exit code says that it is valid. */
async function findings(file) {
  const { code, out, err } = await office.run("check-badge", file);
  const { valid, signature, content, status, issuerConfirmed, statusList } = JSON.parse(out || "{}");
  assert.equal(code, valid ? 0 : 1, err);
  return Object.assign([valid, signature, content, status, issuerConfirmed], { statusList });
}

/** Asserts the findings about a badge without a status list. */
const finds = async (file, expected) => assert.deepEqual([...(await findings(file))], expected);

test("a badge that says more than its certificate is found, even if its issuer's key signed it", async () => {
  const { file } = await office.certificate("ada@example.com");
  await office.cert("export", file, ...WITHOUT, "--output", "public.json");
  await office.cert("export", file, ...WITHOUT, "--show", "grade,email", "--email", "--output", "more.json");
  for (const genuine of ["public.json", "more.json"]) await finds(genuine, [true, "valid", "same", "inForce", true]);
  // The thief of a badge key signs a better grade. Other software accepts this badge.
  const badge = await office.desk.json("more.json");
  badge.credentialSubject.result[0].value = "A+";
  await office.desk.write("forged.json", JSON.stringify(await office.sign(badge)));
  await finds("forged.json", [false, "valid", "different", "inForce", true]);
  // A certificate of somebody else, and evidence that proves nothing.
  const other = (await office.certificate("bob@example.com")).asset;
  for (const [name, evidence] of [
    ["moved", badge.evidence[0].id.replace(/\/[0-9]+#/, `/${other}#`)],
    ["cut", badge.evidence[0].id.slice(0, -9)],
  ]) {
    await office.desk.write(`${name}.json`, JSON.stringify(await office.sign({ ...badge, evidence: [{ ...badge.evidence[0], id: evidence }] })));
    await finds(`${name}.json`, [false, "valid", "not-proven", "inForce", true]);
  }
  // Changed without the key.
  await office.desk.write("changed.json", JSON.stringify({ ...badge, name: "Medicine" }));
  await finds("changed.json", [false, "wrong", "different", "inForce", true]);
  const { proof: _, ...unsigned } = await office.desk.json("public.json");
  await office.desk.write("unsigned.json", JSON.stringify(unsigned));
  await finds("unsigned.json", [false, "missing", "same", "inForce", true]);
  await office.desk.write("foreign.json", JSON.stringify({ ...badge, type: ["VerifiableCredential"], more: 1 }));
  const { code, err } = await office.run("check-badge", "foreign.json");
  assert.equal(code, 2);
  assert.match(err, /^error\[badge-foreign\]/);
});

test("a picture has the badge inside", async () => {
  const { file } = await office.certificate("bob@example.com");
  await office.desk.write("picture.svg", '<svg xmlns="http://www.w3.org/2000/svg"><rect/></svg>');
  await office.cert("export", file, ...WITHOUT, "--show", "holder", "--picture", "picture.svg", "--output", "badge.svg");
  const [, inside] = /<openbadges:credential><!\[CDATA\[(.*)\]\]><\/openbadges:credential>/s.exec(await readFile(office.desk.file("badge.svg"), "utf8"));
  assert.deepEqual(JSON.parse(inside).type, ["VerifiableCredential", "OpenBadgeCredential"]);
  await finds("badge.svg", [true, "valid", "same", "inForce", true]);
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

test("a badge names a place in the service's list, which stays the same", async () => {
  const { ledger, file } = await office.certificate("ada@example.com");
  const badge = JSON.parse(await office.cert("export", file, ...office.withStatus));
  const { statusListCredential, statusListIndex, ...rest } = badge.credentialStatus;
  assert.equal(statusListCredential, `${office.service}/status/${ledger.toLowerCase()}/0`);
  assert.deepEqual(rest, { id: `${statusListCredential}#${statusListIndex}`, type: "BitstringStatusListEntry", statusPurpose: "revocation" });
  const again = JSON.parse(await office.cert("export", file, ...office.withStatus));
  assert.deepEqual(again.credentialStatus, badge.credentialStatus);
  await office.desk.write("listed.json", JSON.stringify(badge));
  const found = await findings("listed.json");
  assert.deepEqual([found[0], found.statusList], [true, "inForce"]);

  // A thief of the badge key names the place of nobody, or a list elsewhere.
  for (const [changes, list] of [
    [{ statusListIndex: "131072", id: `${statusListCredential}#131072` }, "wrong"],
    [{ statusListCredential: "https://evil.example/status/0" }, "wrong"],
  ]) {
    const forged = await office.sign({ ...badge, credentialStatus: { ...badge.credentialStatus, ...changes } });
    await office.desk.write("forged.json", JSON.stringify(forged));
    const { statusList, 0: valid } = await findings("forged.json");
    assert.deepEqual([valid, statusList], [false, list]);
  }
});

test("a batch has the badge of each row, and a further run keeps its bytes", async () => {
  const options = ["--badge-key", "badge.key", "--badge-show", "grade,email", "--badge-email"];
  const { code, err } = await office.batch(...options);
  assert.equal(code, 0, err);
  const result = await office.desk.read("issued/result.csv");
  const [header, ada, bob] = result.split("\r\n").map((line) => line.split(","));
  assert.equal(header.at(-1), "certificate_badge");
  const names = [ada, bob].map((cells) => cells.at(-1));
  const files = names.map((name) => `issued/private/${name}`);
  const { file } = await office.certificate("ada@example.com");
  assert.equal(files[0], file.replace(".private.assay.json", ".badge.json"));
  const texts = await Promise.all(files.map((name) => office.desk.read(name)));
  const badges = texts.map((text) => JSON.parse(text));
  assert.deepEqual(
    badges.map(({ credentialSubject }) => credentialSubject.result[0].value),
    ["A", "B"],
  );
  for (const name of files) {
    const found = await findings(name);
    assert.deepEqual([...found, found.statusList], [true, "valid", "same", "inForce", true, "inForce"]);
  }
  // The badges are those that `cert export` writes.
  const single = JSON.parse(await office.cert("export", file, ...office.withStatus, "--show", "grade,email", "--email"));
  assert.deepEqual({ ...badges[0], proof: null }, { ...single, proof: null });

  // A damaged badge and one that says something else are written again.
  await office.desk.write(files[1], texts[1].replace('"value":"B"', '"value":"A"'));
  assert.equal((await office.batch(...options)).code, 0);
  assert.equal(await office.desk.read(files[0]), texts[0]);
  const again = await office.desk.json(files[1]);
  assert.deepEqual({ ...again, proof: null }, { ...badges[1], proof: null });
  assert.equal(await office.desk.read("issued/result.csv"), result);

  for (const [expected, ...words] of [
    ["path-unknown", "--badge-key", "badge.key", "--badge-show", "nothing"],
    ["badge-key-malformed", "--badge-key", "schema.json"],
  ]) {
    const { code, err } = await office.batch(...words);
    assert.equal(code, 2);
    assert.match(err, new RegExp(`^error\\[${expected}\\]`, "m"));
  }
  // The file that lists no key is found before anything is issued.
  office.serve({ ...office.didFile, assertionMethod: office.didFile.assertionMethod.slice(1) });
  const early = await office.batch("--badge-key", "badge.key");
  office.serve(office.didFile);
  assert.match(early.err, /^error\[badge-key-purpose\]/m);
  assert.doesNotMatch(early.err, /Certifying took/);
});

test("a badge of public values is uploaded, and programs get it at the certificate's link", async () => {
  const file = await office.issueHosted("7", { name: "Logic", holder: "Ada Example", grade: "A" }, [["name"]]);
  const publish = [...office.withStatus, "--publish"];
  await refused("badge-not-public", file, ...publish, "--show", "grade");
  const text = await office.cert("export", file, ...publish);
  const link = JSON.parse(text).evidence[0].id;
  assert.doesNotMatch(link, /#/);
  const answer = await fetch(link, { headers: { accept: "application/vc" } });
  assert.deepEqual([answer.status, answer.redirected, answer.headers.get("content-type")], [200, true, "application/vc+ld+json"]);
  assert.equal(await answer.text(), text);
  // The other ledger's files are elsewhere.
  const other = await office.certificate("ada@example.com");
  assert.match(await refused("service-refused", other.file, ...publish), /uriPrefix/);
  assert.equal((await fetch(JSON.parse(await office.cert("export", other.file, ...WITHOUT)).evidence[0].id, { headers: { accept: "application/vc" } })).status, 404);
});

test("the account's signature goes only to the service that the user names", async () => {
  const { file } = await office.certificate("ada@example.com");
  const named = (service) => ["--badge-key", "badge.key", "--account-key", "issuer.key", "--service", service];
  await refused("service-mismatch", file, ...named(office.service.replace("localhost", "127.0.0.1")));
  await refused("option-invalid", file, ...named("http://evil.example"));
  await office.desk.write("stranger.key", `${"1".repeat(64)}\n`);
  const err = await refused("service-refused", file, "--badge-key", "badge.key", "--account-key", "stranger.key", "--service", office.service);
  assert.match(err, /403004/);
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
    ["file-invalid", { assay: 2 }],
    ["file-invalid", { more: 1 }],
    ["file-invalid", { ledger: "0x" }],
    ["file-invalid", { service: "http://evil.example" }],
    ["profile-unknown", { evidence: [] }],
  ]) {
    await office.desk.write("changed.assay.json", JSON.stringify({ ...content, ...changes }));
    await refused(code, "changed.assay.json", ...WITHOUT);
  }
  await office.desk.write("other.key", "12\n");
  await refused("badge-key-malformed", file, "--badge-key", "other.key", "--no-status");
  const without = await office.run("export", file, "--badge-key", "badge.key");
  assert.deepEqual([without.code, without.out], [2, ""]);
  assert.match(without.err, /--service <URL>/);
  await refused("not-in-schema", file, ...WITHOUT, "--show", "nothing");
});

test("an SD-JWT and a badge as JWT need their key in the issuer's files", async () => {
  const { file } = await office.certificate("bob@example.com");
  await office.desk.write("credential.key", await office.cert("key", "--credential"));
  const options = ["--credential-key", "credential.key", "--no-status"];
  for (const format of ["--sd-jwt", "--vc-jwt"]) {
    const err = await refused("badge-key-not-listed", file, format, ...options);
    assert.match(err, /"type": "JsonWebKey2020"/);
  }
  await office.listCredentialKey();
  const { credentialEntry, didFile, issuerMetadata, domain } = office;
  assert.equal(credentialEntry.id, `${office.did}#jwt-1`);
  assert.doesNotMatch(JSON.stringify([credentialEntry, issuerMetadata]), /"d"/);
  for (const wrong of [{}, { ...issuerMetadata, issuer: "https://other.example" }, { ...issuerMetadata, jwks: { keys: [{ ...issuerMetadata.jwks.keys[0], kid: "other" }] } }]) {
    office.site.serve(".well-known/jwt-vc-issuer", wrong);
    const err = await refused("jwt-vc-issuer-missing", file, "--sd-jwt", ...options);
    assert.ok(err.includes(`"issuer": "https://${domain}"`), err);
  }
  office.site.serve(".well-known/jwt-vc-issuer", issuerMetadata);
  office.serve({ ...didFile, assertionMethod: didFile.assertionMethod.filter((id) => id !== credentialEntry.id) });
  await refused("badge-key-purpose", file, "--sd-jwt", ...options);
  office.serve(didFile);

  await office.desk.write("wrong.jwk", JSON.stringify({ ...credentialEntry.publicKeyJwk, crv: "P-384" }));
  await refused("holder-key-malformed", file, "--sd-jwt", ...options, "--holder-jwk", "wrong.jwk");
  await office.desk.write("holder.jwk", JSON.stringify(credentialEntry.publicKeyJwk));
  const bound = await office.cert("export", file, "--sd-jwt", ...options, "--holder-jwk", "holder.jwk");
  const { cnf, status } = JSON.parse(Buffer.from(bound.split(".")[1], "base64url"));
  assert.deepEqual([cnf, status], [{ jwk: credentialEntry.publicKeyJwk }, undefined]);
  await refused("credential-key-malformed", file, "--sd-jwt", "--credential-key", "badge.key", "--no-status");
  await refused("badge-key-malformed", file, "--badge-key", "credential.key", "--no-status");
  for (const words of [["--sd-jwt"], ["--sd-jwt", "--badge-key", "badge.key"], ["--sd-jwt", "--vc-jwt", ...options], ["--sd-jwt", ...options, "--show", "grade"], options]) {
    assert.equal((await office.run("export", file, ...words)).code, 2, words.join(" "));
  }
});

test("an SD-JWT and a badge as JWT are checked completely", async () => {
  const { file } = await office.certificate("bob@example.com");
  await office.cert("export", file, "--sd-jwt", ...office.credentialOptions, "--output", "bob.sdjwt");
  await office.cert("export", file, "--vc-jwt", ...office.credentialOptions, "--show", "grade", "--output", "bob.jwt");
  const report = async (name) => JSON.parse((await office.run("check-badge", name)).out);
  const whole = await report("bob.sdjwt");
  assert.deepEqual([whole.valid, whole.signature, whole.content, whole.status, whole.statusList, whole.expired], [true, "valid", "same", "inForce", "inForce", false]);
  assert.deepEqual(whole.notPublic.toSorted(), ["email", "grade", "holder", "hours"]);
  assert.equal(whole.fields.length, 8);
  const found = await findings("bob.jwt");
  assert.deepEqual([[...found], found.statusList], [[true, "valid", "same", "inForce", true], "inForce"]);

  // The thief of the key signs another title and a better grade. Only the title is public, so only the title is found.
  const privateJwk = createPrivateKey(await readFile(office.desk.file("credential.key"), "utf8")).export({ format: "jwk" });
  const [jwt] = (await readFile(office.desk.file("bob.sdjwt"), "utf8")).split("~");
  const [header, claims] = jwt
    .split(".")
    .slice(0, 2)
    .map((part) => JSON.parse(Buffer.from(part, "base64url")));
  const forge = async (fields, more = {}) => {
    const { digests, disclosures } = disclosed(fields, randomBytes(32));
    await office.desk.write("forged.sdjwt", [signed(header, { ...claims, ...more, _sd: digests }, privateJwk), ...disclosures, ""].join("~"));
    const { valid, signature, content, expired, notPublic, issuerConfirmed, statusList } = await report("forged.sdjwt");
    return { valid, signature, content, expired, notPublic, issuerConfirmed, statusList };
  };
  const genuine = { valid: true, signature: "valid", content: "same", expired: false, notPublic: ["grade"], issuerConfirmed: true, statusList: "inForce" };
  assert.deepEqual(await forge({ grade: "A+" }), genuine);
  assert.deepEqual(await forge({ grade: "A+", name: "Medicine" }), { ...genuine, valid: false, content: "different" });
  assert.deepEqual(await forge({ grade: "A+" }, { imprint: `aih2:${"0".repeat(64)}` }), { ...genuine, valid: false, content: "different" });
  assert.deepEqual(await forge({ grade: "A+" }, { exp: claims.nbf }), { ...genuine, valid: false, expired: true });
  assert.deepEqual(await forge({ grade: "A+" }, { status: { status_list: { idx: 0, uri: "https://other.example/status/0x0/0" } } }), { ...genuine, valid: false, statusList: "wrong" });
  const other = await forge({ grade: "A+" }, { iss: `https://127.0.0.1:${new URL(office.service).port}` });
  assert.deepEqual([other.valid, other.issuerConfirmed, other.signature], [false, false, "not-listed"]);
  await office.desk.write("changed.sdjwt", `${jwt.replace(/.{3}$/, "AAA")}~`);
  assert.equal((await report("changed.sdjwt")).signature, "wrong");
  await office.desk.write("changed.jwt", (await readFile(office.desk.file("bob.jwt"), "utf8")).replace(/.{3}\s*$/, "AAA"));
  assert.equal((await report("changed.jwt")).signature, "wrong");
  for (const [name, text] of [
    ["cut", jwt.slice(0, 100)],
    ["added", `${jwt}~${Buffer.from('["salt","grade","A+"]').toString("base64url")}~`],
  ]) {
    await office.desk.write(`${name}.sdjwt`, text);
    assert.match((await office.run("check-badge", `${name}.sdjwt`)).err, /^error\[badge-foreign\]/m);
  }
});

test("a withdrawn certificate gets no badge", async () => {
  const certificate = await office.certificate("bob@example.com");
  const { file } = certificate;
  await office.cert("export", file, ...office.withStatus, "--output", "status.json");
  const before = await findings("status.json");
  assert.deepEqual([before[0], before.statusList], [true, "inForce"]);
  await office.withdraw(certificate);
  const outcome = await until(
    () => office.run("export", file, ...WITHOUT),
    ({ code }) => code !== 0,
  );
  assert.match(outcome.err, /^error\[not-in-force\]/m);
  assert.equal((await findings("badge.svg"))[0], false);
  const after = await findings("status.json");
  assert.deepEqual([after[0], after[3], after.statusList], [false, "withdrawn", "revoked"]);

  const { code, out } = await office.batch("--badge-key", "badge.key");
  assert.equal(code, 2);
  const { column, message } = JSON.parse(out);
  assert.deepEqual([column, message], ["certificate_badge", "the certificate was withdrawn or replaced"]);
});
