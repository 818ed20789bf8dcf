// Tests of SD-JWTs and of badges as JWT in the programs of others. The programs accept what `cert export` makes, and each part of it that a holder shows. They
// refuse changed ones.
import assert from "node:assert/strict";
import { generateKeyPairSync } from "node:crypto";
import { readFile } from "node:fs/promises";
import { test } from "node:test";
import { readSdJwt, reduceSdJwt } from "../../www/lib/sd-jwt.ts";
import { jwtOutcomes, sdJwtOutcomes } from "./jwts.mjs";
import { skip } from "./programs.mjs";
import { b64, signed } from "./sd-jwts.mjs";
import { pickUp } from "./wallet.mjs";

const vectors = JSON.parse(await readFile(new URL("../vectors/vc/jwts.json", import.meta.url), "utf8"));
const SD_JWT = ["sd-jwt-vc", "sd-jwt", "openvc"];
const JWT = ["jose", "did-jwt", "openbadgeslib"];

/** The vectors' issuer. */
const WORLD = { did: vectors.did, issuerMetadata: vectors.issuerMetadata, dids: [], lists: {} };

/** Returns the vectors' SD-JWT without a status, because its status list is on no service. */
function withoutStatus() {
  const [jwt, ...disclosures] = vectors.sdJwt.split("~");
  const [header, { status: _, ...claims }] = jwt
    .split(".")
    .slice(0, 2)
    .map((part) => JSON.parse(Buffer.from(part, "base64url")));
  return [signed(header, claims, vectors.privateJwk), ...disclosures].join("~");
}

/** Returns the issuer's files, the service's files, and the status lists as both kinds of programs get them. */
async function world(office, uri) {
  const read = async (address, accept) => {
    const answer = await fetch(address, { headers: { accept } });
    assert.equal(answer.status, 200, address);
    assert.match(answer.headers.get("content-type"), accept === "application/json" ? /json/ : new RegExp(`^${accept.replace("+", "\\+")}$`));
    return answer;
  };
  const service = await (await read(`${office.service}/.well-known/did.json`, "application/json")).json();
  const token = await read(uri, "application/statuslist+jwt");
  assert.equal(token.headers.get("vary"), "accept");
  const x = base58(service.verificationMethod[0].publicKeyMultibase).subarray(2).toString("base64url");
  return {
    did: office.didFile,
    issuerMetadata: office.issuerMetadata,
    dids: [service],
    statusKey: { kty: "OKP", crv: "Ed25519", x },
    lists: { [uri]: await token.text() },
    statusLists: { [uri]: await (await read(uri, "application/json")).json() },
  };
}

/** Reads multibase of base58btc. */
function base58(text) {
  const digits = "123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz";
  const value = [...text.slice(1)].reduce((sum, digit) => sum * 58n + BigInt(digits.indexOf(digit)), 0n);
  return Buffer.from(value.toString(16).padStart(68, "0"), "hex");
}

/** Asserts that each program refuses a token. */
function refused(found, names, what) {
  for (const name of names) assert.equal(typeof found[name], "string", `${name} accepts ${what}`);
}

/** Registers the tests. `office()` returns an office that has issued a certificate to each of two persons. */
export function jwtTests(office, [first, second]) {
  test("three programs accept an SD-JWT, and what its holder leaves of it", { skip }, () => sdJwts(office(), first));
  test("three programs accept a badge as JWT", { skip }, () => jwts(office(), second));
  test("three programs accept every part of a small document, and refuse each changed form", { skip }, parts);
}

async function sdJwts(office, person) {
  const certificate = await office.certificate(person);
  const { file } = certificate;
  const whole = await office.cert("export", file, "--sd-jwt", ...office.credentialOptions, "--offer", "sd-jwt.txt");
  const offered = await pickUp(await office.desk.read("sd-jwt.txt"));
  assert.deepEqual(offered, { kind: "sd-jwt", format: "dc+sd-jwt", credential: whole });
  const read = await readSdJwt(whole);
  const { status } = JSON.parse(Buffer.from(whole.split(".")[1], "base64url"));
  const { uri } = status.status_list;
  const { ledgerId, assetId, ...fields } = { ...read.document };
  assert.equal(Object.keys(fields).length, 8);
  const two = reduceSdJwt(read, [["name"], ["grade"]]);
  const seen = await world(office, uri);
  const found = await sdJwtOutcomes([whole, two], seen);
  for (const [index, document] of [fields, { name: "Applied Cryptography", grade: "A" }].entries()) {
    for (const name of SD_JWT) {
      const { iss, vct, nbf, exp, status, ledgerId, assetId, imprint, _sd_alg, ...shown } = found[index][name];
      assert.equal(iss, `https://${office.domain}`, `${name}: ${JSON.stringify(found[index][name])}`);
      assert.deepEqual(shown, document, name);
    }
  }
  assert.doesNotMatch(
    two
      .split("~")
      .slice(1)
      .map((text) => Buffer.from(text, "base64url"))
      .join(),
    /Ada|ada@/,
  );

  // After the certificate was withdrawn, two programs see it. The third one reads no status.
  await office.withdraw(certificate);
  const [after] = await sdJwtOutcomes([two], await world(office, uri));
  assert.match(after["sd-jwt-vc"], /Status is not valid/);
  assert.equal(after.openvc, "revoked");
  // A token of another list, and a token with another signature.
  const token = Object.values(seen.lists)[0];
  const [moved] = await sdJwtOutcomes([two], { ...seen, lists: { [uri]: token.replace(/.{3}$/, "AAA") } });
  refused(moved, ["sd-jwt-vc", "openvc"], "a changed status list");
}

async function jwts(office, person) {
  const { file } = await office.certificate(person);
  const jwt = await office.cert("export", file, "--vc-jwt", ...office.credentialOptions, "--show", "grade", "--offer", "jwt.txt");
  assert.equal((await pickUp(await office.desk.read("jwt.txt"))).credential, jwt);
  const payload = JSON.parse(Buffer.from(jwt.split(".")[1], "base64url"));
  const seen = await world(office, payload.credentialStatus.statusListCredential);
  const [found] = await jwtOutcomes([jwt], seen);
  for (const name of JWT) assert.equal(found[name].credentialSubject?.result[0].value, "A", `${name}: ${JSON.stringify(found[name])}`);
  const [header, , signature] = jwt.split(".");
  const forged = [
    [header, Buffer.from(JSON.stringify({ ...payload, name: "Medicine" })).toString("base64url"), signature].join("."),
    [Buffer.from(JSON.stringify({ alg: "none", typ: "JWT" })).toString("base64url"), jwt.split(".")[1], ""].join("."),
    jwt.replace(/.{3}$/, "AAA"),
  ];
  for (const found of await jwtOutcomes(forged, seen)) refused(found, JWT, "a changed badge");
}

async function parts() {
  const given = withoutStatus();
  const read = await readSdJwt(given);
  const fields = read.disclosed.map(({ path }) => path);
  assert.equal(fields.length, 9);
  const subsets = Array.from({ length: 2 ** fields.length }, (_, bits) => fields.filter((_, index) => bits & (1 << index)));
  const found = await sdJwtOutcomes(
    subsets.map((paths) => reduceSdJwt(read, paths)),
    WORLD,
  );
  for (const [index, paths] of subsets.entries()) {
    const expected = Object.fromEntries(paths.map(([name]) => [name, vectors.document[name]]));
    for (const name of SD_JWT) {
      const shown = Object.fromEntries(Object.entries(found[index][name]).filter(([key]) => fields.some(([field]) => field === key)));
      assert.deepEqual(shown, expected, `${name}: ${JSON.stringify(found[index][name])}`);
    }
  }

  const [jwt, ...disclosures] = given.split("~").slice(0, -1);
  const [header, payload, signature] = jwt.split(".");
  const claims = JSON.parse(Buffer.from(payload, "base64url"));
  const joined = (...parts) => [parts.join("."), ...disclosures, ""].join("~");
  const forged = [
    joined(header, b64({ ...claims, imprint: `aih2:${"0".repeat(64)}` }), signature),
    joined(header, b64({ ...claims, exp: 4_102_444_800 }), signature),
    joined(b64({ alg: "none", typ: "dc+sd-jwt" }), payload, ""),
    joined(header, payload, signature.replace(/.{3}$/, "AAA")),
    joined(header, payload, ""),
    given.replace(jwt, signed(JSON.parse(Buffer.from(header, "base64url")), claims, generateKeyPairSync("ec", { namedCurve: "P-256" }).privateKey.export({ format: "jwk" }))),
  ];
  for (const [index, found] of (await sdJwtOutcomes(forged, WORLD)).entries()) refused(found, SD_JWT, `form ${index}`);

  // A field that somebody changed or added is refused, or it is not among the claims.
  const grade = disclosures.findIndex((text) => JSON.parse(Buffer.from(text, "base64url"))[1] === "grade");
  const better = b64([JSON.parse(Buffer.from(disclosures[grade], "base64url"))[0], "grade", "A+"]);
  const changed = [
    [jwt, ...disclosures.with(grade, better), ""],
    [jwt, ...disclosures, better, ""],
    [jwt, ...disclosures, b64(["salt", "honours", true]), ""],
  ].map((parts) => parts.join("~"));
  for (const found of await sdJwtOutcomes(changed, WORLD)) {
    for (const name of SD_JWT) assert.ok(typeof found[name] === "string" || (found[name].grade !== "A+" && found[name].honours === undefined), `${name}: ${JSON.stringify(found[name])}`);
  }
}
