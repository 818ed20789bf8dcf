// The programs of others that verify SD-JWTs and badges as JWT.
import { spawn } from "node:child_process";
import { createHash, createPublicKey, verify } from "node:crypto";
import { once } from "node:events";
import path from "node:path";
import { text } from "node:stream/consumers";
import { fileURLToPath } from "node:url";
import { load, python } from "./programs.mjs";

const [{ SDJwtVcInstance }, jose, didJwt] = await Promise.all(["@sd-jwt/sd-jwt-vc", "jose", "did-jwt"].map(load));

/** Returns a function that signs payloads by `jose`. */
export async function signerOf(privateJwk) {
  const key = await jose.importJWK(privateJwk, "ES256");
  return (payload, header) => new jose.CompactSign(new TextEncoder().encode(JSON.stringify(payload))).setProtectedHeader(header).sign(key);
}

/** Resolves to the claims, or to the program's refusal as text. */
const outcome = async (act) => {
  try {
    return await act();
  } catch (error) {
    return String(error);
  }
};

/** Returns a function that checks signatures of JWTs by a key. */
const checkedBy = (jwk) => (data, signature) => {
  const key = createPublicKey({ key: jwk, format: "jwk" });
  const options = jwk.kty === "EC" ? { key, dsaEncoding: "ieee-p1363" } : key;
  return verify(jwk.kty === "EC" ? "sha256" : null, Buffer.from(data), options, Buffer.from(signature, "base64url"));
};

/** Verifies an SD-JWT by `@sd-jwt/sd-jwt-vc`, with its status. */
function bySdJwtVc(token, { issuerMetadata, statusKey, lists }) {
  const [jwk] = issuerMetadata.jwks.keys;
  const program = new SDJwtVcInstance({
    hasher: (data) => new Uint8Array(createHash("sha256").update(Buffer.from(data)).digest()),
    hashAlg: "sha-256",
    verifier: checkedBy(jwk),
    statusVerifier: statusKey && checkedBy(statusKey),
    statusListFetcher: async (uri) => lists[uri] ?? Promise.reject(new Error(`there is no list ${uri}`)),
  });
  return outcome(async () => (await program.verify(token)).payload);
}

const methodOf = (did, kid) => did.verificationMethod.find(({ id }) => id === kid);

const byJose = (token, { did }) =>
  outcome(async () => {
    const { kid } = jose.decodeProtectedHeader(token);
    const key = await jose.importJWK(methodOf(did, kid).publicKeyJwk, "ES256");
    return (await jose.jwtVerify(token, key, { algorithms: ["ES256"], typ: "JWT", issuer: did.id })).payload;
  });

const byDidJwt = (token, { did }) =>
  outcome(async () => {
    const resolve = async () => ({ didDocument: did, didResolutionMetadata: {}, didDocumentMetadata: {} });
    return (await didJwt.verifyJWT(token, { resolver: { resolve }, proofPurpose: "assertionMethod" })).payload;
  });

/** Runs the Python programs on `[kind, token, world]`. */
async function byPython(items) {
  const child = spawn(path.join(python.bin, "python"), [fileURLToPath(new URL("verify_jwts.py", import.meta.url))], { stdio: ["pipe", "pipe", "inherit"] });
  child.stdin.end(JSON.stringify(items));
  const [output] = await Promise.all([text(child.stdout), once(child, "close")]);
  return JSON.parse(output);
}

/**
 * Verifies SD-JWTs by all programs. `world` has the issuer's files `did` and `issuerMetadata`, the service's files `dids`, and its status list tokens `lists` by
 * their addresses. Returns the claims or the refusal of each program for each SD-JWT.
 */
export async function sdJwtOutcomes(tokens, world) {
  const found = await byPython(tokens.map((token) => ["sd-jwt", token, world]));
  return Promise.all(tokens.map(async (token, index) => ({ "sd-jwt-vc": await bySdJwtVc(token, world), "sd-jwt": found[index][0], openvc: found[index][1] })));
}

/** Verifies badges as JWT by all programs. Returns the claims or the refusal of each program for each badge. */
export async function jwtOutcomes(tokens, world) {
  const found = await byPython(tokens.map((token) => ["vc-jwt", token, world]));
  return Promise.all(tokens.map(async (token, index) => ({ jose: await byJose(token, world), "did-jwt": await byDidJwt(token, world), openbadgeslib: found[index][0] })));
}
