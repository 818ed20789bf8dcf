// Badges in the programs of others: they accept each badge that `cert export` makes, and refuse each changed one. Runs offline.
import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { createHash, randomInt } from "node:crypto";
import { once } from "node:events";
import { text } from "node:stream/consumers";
import { after, before, test } from "node:test";
import { Office, ROWS, SETTINGS } from "../export/office.mjs";
import { program } from "../support/cargo.mjs";
import { startServer } from "../support/server.mjs";
import { jwtTests } from "./jwt.mjs";
import { canonical, encodedList, outcomes, skip } from "./programs.mjs";
import { pickUp } from "./wallet.mjs";
import { SERVICE_KEY, TEXTS, badge, flags, statusList } from "./samples.mjs";

let server;
let office;
before(async () => {
  server = await startServer({ vars: SETTINGS, quiet: true });
  const more = ["eve", "kim"].map((name) => `Applied Cryptography,Ten weeks,${name} Example,${name}@example.com,2026-06-30,96,A,2099-06-30\n`);
  office = await Office.open(server, { rows: [ROWS, ...more].join("") });
  // The second key must not disturb programs that check badges.
  await office.listCredentialKey();
  await office.confirm();
});
after(async () => {
  await office?.close();
  await server?.stop();
});

const PROGRAMS = ["vc", "verifier-core", "openbadgeslib", "openvc"];

let made;
/** Returns the badges of both certificates: with public values only, and with more. They are made once, before a certificate is withdrawn. */
const exported = () => (made ??= exportAll());

async function exportAll() {
  const badges = [];
  for (const email of ["ada@example.com", "bob@example.com"]) {
    const { file } = await office.certificate(email);
    for (const more of [[], ["--show", "holder,grade,email,hours", "--email"]]) {
      badges.push(JSON.parse(await office.cert("export", file, "--badge-key", "badge.key", "--no-status", ...more)));
    }
  }
  return badges;
}

test("four programs accept exported badges", { skip }, async () => {
  const badges = await exported();
  const found = await outcomes(badges.map((one) => [one, office.didFile]));
  assert.deepEqual(
    found,
    badges.map(() => Object.fromEntries(PROGRAMS.map((name) => [name, "accepted"]))),
  );
});

test("four programs see in the service's status list that a certificate was withdrawn", { skip }, async () => {
  const { didFile } = office;
  const certificate = await office.certificate("ada@example.com");
  const [kept, withdrawn] = await Promise.all(
    ["bob@example.com", "ada@example.com"].map(async (email) => JSON.parse(await office.cert("export", (await office.certificate(email)).file, ...office.withStatus))),
  );
  const before = await published(withdrawn);
  assert.deepEqual(
    await outcomes([
      [kept, didFile, before],
      [withdrawn, didFile, before],
    ]),
    [all("accepted"), all("accepted")],
  );
  await office.withdraw(certificate);
  const after = await published(withdrawn);
  assert.deepEqual(
    await outcomes([
      [kept, didFile, after],
      [withdrawn, didFile, after],
    ]),
    [all("accepted"), all("revoked")],
  );

  // A list in which the thief of a certificate changed the bit, an old list under a new date, a list with another signature, and no list.
  const [[address, list]] = Object.entries(after.lists);
  const lists = [
    { ...list, credentialSubject: before.lists[address].credentialSubject },
    { ...before.lists[address], validFrom: list.validFrom, validUntil: "2199-01-01T00:00:00Z" },
    { ...list, proof: { ...list.proof, proofValue: withdrawn.proof.proofValue } },
  ].map((forged) => ({ [address]: forged }));
  // openbadgeslib does not check the signatures of lists that are not JWT.
  const checking = PROGRAMS.filter((name) => name !== "openbadgeslib");
  for (const found of await outcomes([...lists, {}].map((forged) => [withdrawn, didFile, { ...after, lists: forged }]))) {
    for (const name of checking) assert.doesNotMatch(found[name], /^(accepted|revoked)$/, JSON.stringify(found));
  }
  // By default, one library demands that the issuers of badge and list are equal.
  const [{ vc }] = await outcomes([[kept, didFile, after]], {});
  assert.match(vc, /Issuers of the status list credential and verifiable credential do not match/);
});

test("a wallet library picks up an offered badge once", async () => {
  const { file } = await office.certificate("bob@example.com");
  const badge = JSON.parse(await office.cert("export", file, ...office.withStatus, "--offer", "offer.txt"));
  const link = await office.desk.read("offer.txt");
  assert.deepEqual(await pickUp(link), { kind: "open-badge", format: "ldp_vc", credential: badge });
  await assert.rejects(pickUp(link), /invalid_grant/);
});

// After the others, because `verifier-core` keeps the did.json with the other keys.
test("four programs refuse badges that say something else, and badges of other keys", { skip }, async () => {
  const [, whole] = await exported();
  const changed = (act) => {
    const copy = structuredClone(whole);
    act(copy, copy.credentialSubject, copy.credentialSubject.achievement);
    return copy;
  };
  const forged = [
    changed((one) => (one.name = "Medicine")),
    changed((one) => (one.issuer.name = "Other University")),
    changed((one) => (one.validFrom = "2020-01-01T00:00:00Z")),
    changed((one) => (one.validUntil = "2199-01-01T00:00:00Z")),
    changed((one) => delete one.validUntil),
    changed((one) => (one.evidence[0].id = "https://evil.example/")),
    changed((_, subject) => (subject.result[0].value = "A+")),
    changed((_, subject) => (subject.identifier[0].identityHash = `sha256$${"0".repeat(64)}`)),
    changed((_, subject) => delete subject.identifier),
    changed((_, _subject, achievement) => (achievement.name = "Medicine")),
    changed((_, _subject, achievement) => (achievement.criteria.narrative = "Nothing")),
    changed((_, _subject, achievement) => (achievement.achievementType = "Diploma")),
    changed((one) => (one.proof.created = "2020-01-01T00:00:00Z")),
    changed((one) => (one.proof.proofValue = one.proof.proofValue.replace(/.$/, (last) => (last === "1" ? "2" : "1")))),
    changed((one) => delete one.proof),
  ];
  for (const found of await outcomes(forged.map((one) => [one, office.didFile]))) {
    for (const name of PROGRAMS) assert.notEqual(found[name], "accepted", JSON.stringify(found));
  }
  const otherKey = { ...office.didFile, verificationMethod: [{ ...office.entry, publicKeyMultibase: "z6MkehRgf7yJbgaGfYsdoAsKdBPE3dj2CYhowQdcjqSJgvVd" }], assertionMethod: [office.entry.id] };
  const isOther = (one) => (one.id ?? one) !== office.entry.id;
  const notListed = { ...office.didFile, verificationMethod: office.didFile.verificationMethod.filter(isOther), assertionMethod: office.didFile.assertionMethod.filter(isOther) };
  // verifier-core keeps a did.json for some time, so it would see the earlier one.
  const uncached = PROGRAMS.filter((name) => name !== "verifier-core");
  for (const found of await outcomes([otherKey, notListed].map((did) => [whole, did]))) {
    for (const name of uncached) assert.notEqual(found[name], "accepted", JSON.stringify(found));
  }
});

/** Returns the service as the programs see it: its keys, and the status list of a badge. */
async function published(badge) {
  const read = async (address) => {
    const answer = await fetch(address);
    assert.equal(answer.status, 200, address);
    return answer.json();
  };
  const address = badge.credentialStatus.statusListCredential;
  return { dids: [await read(`${office.service}/.well-known/did.json`)], lists: { [address]: await read(address) } };
}

const all = (outcome) => Object.fromEntries(PROGRAMS.map((name) => [name, outcome]));

/** Returns the bytes that the crate signs for credentials. */
async function signed(credentials, proof) {
  const child = spawn(program("debug/examples/to-sign"), { stdio: ["pipe", "pipe", "inherit"] });
  child.stdin.end(credentials.map((one) => JSON.stringify({ ...one, proof })).join("\n"));
  const [output] = await Promise.all([text(child.stdout), once(child, "close")]);
  return output.trimEnd().split("\n");
}

/** Returns the bytes that the standard signs, by `jsonld`. */
async function expected(credentials, proof) {
  const hash = (quads) => createHash("sha256").update(quads).digest("hex");
  const start = hash(await canonical({ "@context": credentials[0]["@context"], ...proof }));
  return Promise.all(credentials.map(async (one) => start + hash(await canonical(one))));
}

jwtTests(() => office, ["eve@example.com", "kim@example.com"]);

test("the crate signs the same bytes as the reference canonicalization, for 2,000 random badges", async () => {
  const characters = [...TEXTS.join("")];
  const random = () => Array.from({ length: randomInt(1, 12) }, () => characters[randomInt(characters.length)]).join("");
  const proof = { type: "DataIntegrityProof", cryptosuite: "eddsa-rdfc-2022", created: "2026-07-01T12:00:00Z", verificationMethod: "did:web:uni.example#vc-2026", proofPurpose: "assertionMethod" };
  const badges = Array.from({ length: 2000 }, () => badge(flags(randomInt(8)), random));
  assert.deepEqual(await signed(badges, proof), await expected(badges, proof));
});

test("the crate signs the same bytes as the reference canonicalization, for status lists", async () => {
  const proof = { type: "DataIntegrityProof", cryptosuite: "eddsa-rdfc-2022", created: "2026-07-01T12:00:00Z", verificationMethod: SERVICE_KEY.id, proofPurpose: "assertionMethod" };
  const lists = await Promise.all(Array.from({ length: 20 }, async () => statusList(await encodedList(Array.from({ length: randomInt(2000) }, () => randomInt(131_072))))));
  assert.deepEqual(await signed(lists, proof), await expected(lists, proof));
});
