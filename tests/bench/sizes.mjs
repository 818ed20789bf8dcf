// Determines the size of a proof of one field, for both profiles and for other formats. For both profiles, also determines the sizes of proofs
// of more fields. `cargo xtask bench sizes` runs it with the path of the tool `cert`. The size is *measured* if this
// script creates and verifies a proof. Otherwise it is *computed*: the script adds up the bytes that the format prescribes, with placeholders
// of the right length for hashes and salts.
import { createHash, generateKeyPairSync, randomBytes, sign, verify } from "node:crypto";
import { execFileSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { keepFigures, printTable } from "../support/figures.mjs";

const [tool] = process.argv.slice(2);
const COUNTS = [10, 100, 1000];
/** The number of fields of the document whose proof is compared with other formats. */
const COMPARED = 1000;
const TEN = 10;

const name = (at) => `field${at}`;
const value = (at) => String(at).padStart(10, "x");
const document = (count) => Object.fromEntries(Array.from({ length: count }, (_, at) => [name(at), value(at)]));
const bytes = (text) => Buffer.byteLength(text);
const json = (value) => bytes(JSON.stringify(value));
const base64url = (text) => Buffer.from(text).toString("base64url");
/** Returns the number of characters of `length` bytes in base64url without padding. */
const inBase64url = (length) => Math.ceil((length * 4) / 3);

/**
 * Returns the sizes of detached evidence by both profiles, for a document of `count` fields. The evidence shows one field, ten fields, all but
 * one, or all. For AIH-2, `withValue` is the size of attached evidence for one field.
 */
function profiles(count) {
  const folder = mkdtempSync(join(tmpdir(), "sizes-"));
  try {
    const at = (file) => join(folder, file);
    const data = document(count);
    const names = Object.keys(data);
    const properties = Object.fromEntries(names.map((name) => [name, { type: "string" }]));
    writeFileSync(at("schema.json"), JSON.stringify({ type: "object", properties }));
    writeFileSync(at("data.json"), JSON.stringify(data));
    writeFileSync(at("secret"), Buffer.alloc(32, 7));
    const cert = (...words) => execFileSync(tool, words, { cwd: folder, encoding: "utf8", maxBuffer: 1 << 28 }).trim();
    const sets = {
      one: [name(count >> 1)],
      ten: names.filter((_, at) => at % (count / TEN) === 0),
      allButOne: names.filter((_, at) => at !== count >> 1),
      all: names,
    };
    const measured = {};
    for (const profile of ["AIH-1", "AIH-2"]) {
      const of = ["-s", "schema.json", "data.json", "--profile", profile];
      const keyed = [...of, "--secret-file", "secret"];
      const imprint = cert("imprint", ...keyed);
      const size = ([set, paths]) => {
        const evidence = cert("disclose", ...keyed, ...paths, "--detached");
        writeFileSync(at("evidence.json"), evidence);
        writeFileSync(at("shown.json"), cert("expose", ...of, ...paths));
        const found = cert("calculate", "-s", "schema.json", "shown.json", "--evidence", "evidence.json");
        if (found !== imprint) {
          throw new Error(`${profile}: the evidence gives ${found}, not ${imprint}`);
        }
        return [set, bytes(evidence)];
      };
      measured[profile] = Object.fromEntries(Object.entries(sets).map(size));
      if (profile === "AIH-2") {
        measured[profile].withValue = bytes(cert("disclose", ...keyed, name(count >> 1)));
      }
    }
    return measured;
  } finally {
    rmSync(folder, { recursive: true });
  }
}

/** Measures SD-JWT (RFC 9901), signed with ES256. Verifies it according to section 7 of the RFC. */
function sdJwt(data, shown) {
  const digest = (text) => createHash("sha256").update(text).digest("base64url");
  const disclosures = Object.entries(data).map(([name, value]) => [name, base64url(JSON.stringify([randomBytes(16).toString("base64url"), name, value]))]);
  const digests = disclosures.map(([, text]) => digest(text)).sort();
  const { privateKey, publicKey } = generateKeyPairSync("ec", { namedCurve: "P-256" });
  const head = base64url(JSON.stringify({ alg: "ES256", typ: "dc+sd-jwt" }));
  const signed = `${head}.${base64url(JSON.stringify({ _sd: digests, _sd_alg: "sha-256" }))}`;
  const options = { key: privateKey, dsaEncoding: "ieee-p1363" };
  const signature = sign("sha256", Buffer.from(signed), options);
  const disclosure = disclosures.find(([name]) => name === shown)[1];
  const presented = `${signed}.${signature.toString("base64url")}~${disclosure}~`;

  const [jwt, opened] = presented.split("~");
  const [header, payload, tag] = jwt.split(".");
  const checked = { key: publicKey, dsaEncoding: "ieee-p1363" };
  const isSigned = verify("sha256", Buffer.from(`${header}.${payload}`), checked, Buffer.from(tag, "base64url"));
  const { _sd: claimed } = JSON.parse(Buffer.from(payload, "base64url"));
  const [, openedName, openedValue] = JSON.parse(Buffer.from(opened, "base64url"));
  if (!isSigned || !claimed.includes(digest(opened)) || openedName !== shown || openedValue !== data[shown]) {
    throw new Error("the SD-JWT does not verify");
  }
  return bytes(presented);
}

/** Returns the number of bytes of the head of a CBOR item (RFC 8949, section 3) with this argument. */
const cborHead = (argument) => (argument < 24 ? 1 : argument < 256 ? 2 : argument < 65_536 ? 3 : 5);
const cborText = (text) => cborHead(bytes(text)) + bytes(text);
const cborBytes = (length) => cborHead(length) + length;

/** Computes mdoc (ISO 18013-5) in bytes: the mobile security object's digests and an IssuerSignedItem, without certificate and device key. */
function mdoc(count, shown) {
  const digests = Array.from({ length: count }, (_, id) => cborHead(id) + cborBytes(32)).reduce((sum, size) => sum + size, 0);
  const namespace = cborText("org.iso.18013.5.1");
  const object =
    1 +
    cborText("version") +
    cborText("1.0") +
    cborText("digestAlgorithm") +
    cborText("SHA-256") +
    cborText("docType") +
    cborText("org.iso.18013.5.1.mDL") +
    cborText("valueDigests") +
    1 +
    namespace +
    cborHead(count) +
    digests +
    cborText("validityInfo") +
    1 +
    ["signed", "validFrom", "validUntil"].reduce((sum, key) => sum + cborText(key) + 22, 0);
  const item =
    1 + cborText("digestID") + cborHead(count) + cborText("random") + cborBytes(16) + cborText("elementIdentifier") + cborText(shown) + cborText("elementValue") + cborText(value(count >> 1));
  // The array of COSE_Sign1, its protected header {1: -7}, an empty unprotected header, a tagged payload, and the signature.
  const payload = 2 + cborBytes(object);
  return 1 + cborBytes(3) + 1 + cborBytes(payload) + cborBytes(64) + namespace + 1 + 2 + cborBytes(item);
}

/** Computes BBS (draft-irtf-cfrg-bbs-signatures) in base64url: three points of 48 bytes, four scalars of 32, and a scalar per hidden message. */
const bbs = (count) => inBase64url(3 * 48 + 4 * 32 + 32 * (count - 1));

/** Computes OpenAttestation 4: only the proof's object, with the hashes of hidden leaves and the salt of the shown leaf. */
function openAttestation(count, shown) {
  const hash = "0".repeat(64);
  const salts = Buffer.from(JSON.stringify([{ value: hash, path: `credentialSubject.${shown}` }])).toString("base64");
  return json({
    type: "OpenAttestationHashProof2018",
    proofPurpose: "assertionMethod",
    targetHash: hash,
    proofs: [],
    merkleRoot: hash,
    salts,
    privacy: { obfuscated: Array(count - 1).fill(hash) },
  });
}

/** Computes EAS private data: a multiproof of one leaf of a Merkle tree, as JSON. */
function eas(count, shown) {
  const hash = `0x${"0".repeat(64)}`;
  const levels = Math.ceil(Math.log2(count));
  return json({
    leaves: [{ type: "string", name: shown, value: value(count >> 1), salt: hash }],
    proof: Array(levels).fill(hash),
    proofFlags: Array(levels).fill(false),
  });
}

const measured = Object.fromEntries(COUNTS.map((count) => [count, profiles(count)]));
const shown = name(COMPARED >> 1);
const own = (profile) => ({ bytes: measured[COMPARED][profile].one, how: "measured" });
const formats = {
  "AIH-2": own("AIH-2"),
  "AIH-1, with a secret": own("AIH-1"),
  "SD-JWT": { bytes: sdJwt(document(COMPARED), shown), how: "measured" },
  mdoc: { bytes: mdoc(COMPARED, shown), how: "computed" },
  BBS: { bytes: bbs(COMPARED), how: "computed" },
  OpenAttestation: { bytes: openAttestation(COMPARED, shown), how: "computed" },
  "EAS private data": { bytes: eas(COMPARED, shown), how: "computed" },
};
const rows = Object.entries(measured).flatMap(([count, profiles]) => Object.entries(profiles).map(([profile, { one, ten, allButOne, all }]) => [`${count}, ${profile}`, one, ten, allButOne, all]));
printTable(["fields, profile", "one", "ten", "all but one", "all"], rows);
printTable(
  ["one of 1,000 fields", "bytes", ""],
  Object.entries(formats).map(([format, { bytes, how }]) => [format, bytes, how]),
);
await keepFigures({ profiles: measured, formats });
