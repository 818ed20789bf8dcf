// Badges in the programs of others: they accept each badge that `cert export` makes, and refuse each changed one. Runs offline.
import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { createHash, randomInt } from "node:crypto";
import { once } from "node:events";
import { text } from "node:stream/consumers";
import { after, before, test } from "node:test";
import { Network } from "../batch/world.mjs";
import { Office, SETTINGS } from "../export/office.mjs";
import { program } from "../support/cargo.mjs";
import { startServer } from "../support/server.mjs";
import { canonical, outcomes, skip } from "./programs.mjs";
import { TEXTS, badge, flags } from "./samples.mjs";

let server;
let network;
let office;
before(async () => {
  server = await startServer({ vars: SETTINGS, quiet: true });
  network = await Network.start(server.url);
  office = await Office.open(network, server.url);
  await office.confirm();
});
after(async () => {
  await office?.close();
  network?.stop();
  await server?.stop();
});

const PROGRAMS = ["vc", "verifier-core", "openbadgeslib", "openvc"];

/** Returns the badges of both certificates: with public values only, and with more. */
async function exported() {
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
  const notListed = { ...office.didFile, verificationMethod: office.didFile.verificationMethod.slice(1), assertionMethod: office.didFile.assertionMethod.slice(1) };
  // verifier-core keeps a did.json for some time, so it would see the earlier one.
  const uncached = PROGRAMS.filter((name) => name !== "verifier-core");
  for (const found of await outcomes([otherKey, notListed].map((did) => [whole, did]))) {
    for (const name of uncached) assert.notEqual(found[name], "accepted", JSON.stringify(found));
  }
});

test("the crate signs the same bytes as the reference canonicalization, for 2,000 random badges", async () => {
  const characters = [...TEXTS.join("")];
  const random = () => Array.from({ length: randomInt(1, 12) }, () => characters[randomInt(characters.length)]).join("");
  const proof = { type: "DataIntegrityProof", cryptosuite: "eddsa-rdfc-2022", created: "2026-07-01T12:00:00Z", verificationMethod: "did:web:uni.example#vc-2026", proofPurpose: "assertionMethod" };
  const badges = Array.from({ length: 2000 }, () => badge(flags(randomInt(8)), random));
  const child = spawn(program("debug/examples/to-sign"), { stdio: ["pipe", "pipe", "inherit"] });
  child.stdin.end(badges.map((one) => JSON.stringify({ ...one, proof })).join("\n"));
  const [output] = await Promise.all([text(child.stdout), once(child, "close")]);
  const lines = output.trimEnd().split("\n");
  assert.equal(lines.length, badges.length);
  const hash = (quads) => createHash("sha256").update(quads).digest("hex");
  const start = hash(await canonical({ "@context": badges[0]["@context"], ...proof }));
  for (const [index, one] of badges.entries()) assert.equal(lines[index], start + hash(await canonical(one)), JSON.stringify(one));
});
