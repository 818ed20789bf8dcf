// Writes the vectors in `tests/vectors/badge`: badges and status lists that other programs canonicalized and signed. Writes the vectors in `tests/vectors/vc`: SD-JWTs
// and badges as JWT.
import { generateKeyPairSync } from "node:crypto";
import { writeFile } from "node:fs/promises";
import { Cert } from "@assay/cert/aih2";
import { signerOf } from "./jwts.mjs";
import { canonical, encodedList, sign } from "./programs.mjs";
import { KEY, SERVICE_KEY, TEXTS, badge, flags, statusList } from "./samples.mjs";
import { disclosed, forgeries, signed } from "./sd-jwts.mjs";

const seed = Uint8Array.from({ length: 32 }, (_, index) => index);
const badges = [];
let publicKeyMultibase;
for (const [index, text] of TEXTS.entries()) {
  const unsigned = badge(flags(index), () => text);
  const made = await sign(unsigned, { ...KEY, seed });
  ({ publicKeyMultibase } = made);
  badges.push({ quads: await canonical(unsigned), signed: made.signed });
}

const lists = [];
for (const revoked of [[], [0], [7, 8, 4711], [131_071], Array.from({ length: 300 }, (_, index) => index * 437)]) {
  const unsigned = statusList(await encodedList(revoked));
  const { signed } = await sign(unsigned, { ...SERVICE_KEY, seed });
  lists.push({ revoked, quads: await canonical(unsigned), signed });
}

/** Writes a file of vectors with the key. */
async function write(name, content) {
  const file = new URL(`../vectors/badge/${name}`, import.meta.url);
  await writeFile(file, `${JSON.stringify({ seed: Buffer.from(seed).toString("hex"), publicKeyMultibase, ...content }, null, 1)}\n`);
}
await write("badges.json", { badges });
await write("lists.json", { lists });

const DOMAIN = "uni.example";
const FACTS = { service: "https://certs.example", ledger: "0x137b1d156156b8813ecb6ee9370c7e2d40d7f7ed", asset: "17", domain: DOMAIN, created: 1_751_328_000_000, status: { list: 0, index: 4711 } };
const string = { type: "string" };
const SCHEMA = {
  type: "object",
  title: "Course certificate",
  properties: {
    name: string,
    description: string,
    holder: { type: "object", properties: { name: string, born: string } },
    modules: { type: "array", items: string },
    grade: string,
    hours: { type: "number" },
    issuedAt: string,
    validUntil: string,
    notes: { type: "array", items: string },
    ledgerId: string,
    assetId: string,
  },
};
const FIELDS = {
  name: "Applied Cryptography",
  description: 'Zoë’s “ten weeks”, \\ " \u2028 \u{1F393} ﷽ \u0001',
  holder: { name: "Ada Example", born: "1999-12-10" },
  modules: ["Hashes", "Signatures"],
  grade: "A",
  hours: 96.5,
  issuedAt: "2026-06-30",
  validUntil: "2029-06-30",
  notes: [],
};

/** Writes the vectors of SD-JWTs and of badges as JWT, with a new key of P-256. */
async function writeJwts() {
  const { privateKey } = generateKeyPairSync("ec", { namedCurve: "P-256" });
  const { d, ...publicJwk } = privateKey.export({ format: "jwk" });
  const privateJwk = { ...publicJwk, d };
  const did = `did:web:${DOMAIN}`;
  const keyId = `${did}#jwt-1`;
  const { service, ledger, asset, status } = FACTS;
  const key = Buffer.from(seed);
  const cert = new Cert({ schema: SCHEMA, key });
  const document = { ...FIELDS, ledgerId: ledger, assetId: asset };
  const imprint = await cert.imprint(document);
  const { digests, disclosures } = disclosed(FIELDS, key);
  const claims = {
    iss: `https://${DOMAIN}`,
    vct: `${service}/vct/${cert.identify()}`,
    nbf: Date.parse("2026-06-30T00:00:00Z") / 1000,
    exp: Date.parse("2029-06-30T23:59:59Z") / 1000,
    status: { status_list: { idx: status.index, uri: `${service}/status/${ledger}/${status.list}` } },
    ledgerId: ledger,
    assetId: asset,
    imprint,
    _sd: digests,
    _sd_alg: "sha-256",
  };
  const header = { alg: "ES256", typ: "dc+sd-jwt", kid: keyId };
  const jwt = signed(header, claims, privateJwk);
  const holder = generateKeyPairSync("ec", { namedCurve: "P-256" }).publicKey.export({ format: "jwk" });
  const { ledgerId, assetId, imprint: named, _sd, _sd_alg, ...first } = claims;
  const bound = signed(header, { ...first, cnf: { jwk: { kty: holder.kty, crv: holder.crv, x: holder.x, y: holder.y } }, ledgerId, assetId, imprint: named, _sd, _sd_alg }, privateJwk);
  const texts = disclosures.map((text) => [JSON.parse(Buffer.from(text, "base64url")), text]);
  const text = (...names) => names.map((name) => texts.find(([list]) => list.at(-2) === name || (list.length === 2 && list[1] === name))[1]);
  // The name of the holder, not the certificate's.
  const inner = texts.filter(([list]) => list[1] === "name").map(([, text]) => text)[1];
  const reduced = [
    { paths: [], document: {}, disclosures: [] },
    { paths: [["name"], ["grade"]], document: { name: FIELDS.name, grade: "A" }, disclosures: text("name", "grade") },
    { paths: [["holder", "name"]], document: { holder: { name: "Ada Example" } }, disclosures: [...text("holder"), inner] },
    { paths: [["modules", 1], ["notes"]], document: { modules: [null, "Signatures"], notes: [] }, disclosures: text("modules", "Signatures", "notes") },
    { paths: [["modules"], ["holder"]], document: { holder: FIELDS.holder, modules: FIELDS.modules }, disclosures: [inner, ...text("holder", "born", "modules", "Hashes", "Signatures")] },
  ];
  const jose = await signerOf(privateJwk);
  const jwts = [];
  for (const { signed } of badges) {
    const { proof: _, ...badge } = signed;
    const seconds = (time) => Date.parse(time) / 1000;
    const exp = badge.validUntil === undefined ? {} : { exp: seconds(badge.validUntil) };
    const payload = { iss: badge.issuer.id, jti: badge.id, sub: badge.credentialSubject.id, nbf: seconds(badge.validFrom), ...exp, ...badge };
    jwts.push(await jose(payload, { alg: "ES256", typ: "JWT", kid: keyId }));
  }
  const method = { id: keyId, type: "JsonWebKey2020", controller: did, publicKeyJwk: publicJwk };
  const whole = [jwt, ...disclosures, ""].join("~");
  const content = {
    ...FACTS,
    keyId,
    privateJwk,
    did: { "@context": ["https://www.w3.org/ns/did/v1"], id: did, verificationMethod: [method], assertionMethod: [keyId] },
    issuerMetadata: { issuer: `https://${DOMAIN}`, jwks: { keys: [{ ...publicJwk, kid: keyId, alg: "ES256", use: "sig" }] } },
    documentKey: key.toString("hex"),
    schema: SCHEMA,
    document,
    imprint,
    evidence: await cert.notarize(document),
    sdJwt: whole,
    holderJwk: { kty: holder.kty, crv: holder.crv, x: holder.x, y: holder.y },
    bound: [bound, ...disclosures, ""].join("~"),
    reduced: reduced.map(({ paths, document, disclosures }) => ({ paths, document, disclosures: disclosures.toSorted() })),
    refused: forgeries(header, claims, disclosures, privateJwk),
    badges: jwts,
  };
  await writeFile(new URL("../vectors/vc/jwts.json", import.meta.url), `${JSON.stringify(content, null, 1)}\n`);
}
await writeJwts();
