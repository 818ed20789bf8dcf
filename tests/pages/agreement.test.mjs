// The npm package, the badge and the verify page convert the library's verdict. All have the same integrity, and report each value of a document exactly
// once, with the same status. The documents, disclosures and forgeries are random.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { Cert as First } from "@assay/cert";
import { Cert as Second } from "@assay/cert/aih2";
import { Host } from "../demo/host.mjs";
import { newClient } from "../support/client.mjs";
import { skip, start } from "./browser.mjs";

const SETTINGS = { ENVIRONMENT: "development", DEPOSITS: "test", ALLOW_PRIVATE_FETCH: "true" };
const SCHEMAS = 10;
const CASES = 15;
/** Forms of evidence: proofs of AIH-1, and evidence of AIH-2 with or without its values. */
const FORMS = ["AIH-1", "attached", "detached"];

let site;
let host;
before(async () => {
  if (skip) return;
  site = await start({ vars: SETTINGS, sweepEvery: 1 });
  host = await Host.start();
});
after(async () => {
  await host?.stop();
  await site?.stop();
});

/** Returns a generator of numbers below a bound (xorshift32). The same seed gives the same numbers. */
function randomly(seed) {
  let state = seed + 0x9e3779b9;
  return (bound) => {
    state ^= state << 13;
    state ^= state >>> 17;
    state ^= state << 5;
    return (state >>> 0) % bound;
  };
}

const NAMES = ["name", "hours", "holder", "grades", "marks", "place", "passed", "parts"];

function schemaOf(below, levels) {
  const kind = levels === 0 ? below(3) : below(6);
  if (kind < 3) return { type: ["string", "integer", "boolean"][kind] };
  if (kind === 3) return { type: "array", items: schemaOf(below, levels - 1) };
  return objectOf(below, levels - 1, 1 + below(4));
}

function objectOf(below, levels, width) {
  const from = below(NAMES.length);
  const names = Array.from({ length: width }, (_, index) => NAMES[(from + index) % NAMES.length]);
  return { type: "object", properties: Object.fromEntries(names.map((name) => [name, schemaOf(below, levels)])) };
}

function valueOf(below, schema) {
  if (schema.type === "object") {
    const entries = Object.entries(schema.properties).filter(() => below(5) > 0);
    return Object.fromEntries(entries.map(([name, inner]) => [name, valueOf(below, inner)]));
  }
  if (schema.type === "array") return Array.from({ length: below(5) }, () => valueOf(below, schema.items));
  return { string: `text ${below(1000)}`, integer: below(1000), boolean: below(2) === 1 }[schema.type];
}

const isInside = (value) => typeof value === "object" && value !== null && Object.keys(value).length > 0;

/** Returns the paths of all values that contain no other value. */
function leaves(value, path = []) {
  if (!isInside(value)) return [path];
  const steps = Array.isArray(value) ? value.keys() : Object.keys(value);
  return [...steps].flatMap((step) => leaves(value[step], [...path, step]));
}

const at = (value, path) => path.reduce((inner, step) => inner?.[step], value);

/** Sets the value at a path, and creates missing objects on the path. A no-op if the path leads through a missing list or a plain value. */
function put(document, path, value) {
  let inner = document;
  for (const [index, step] of path.slice(0, -1).entries()) {
    if (inner[step] === undefined && typeof step === "string" && typeof path[index + 1] === "string") inner[step] = {};
    inner = inner[step];
    if (typeof inner !== "object" || inner === null) return;
  }
  if (!Array.isArray(inner) || path.at(-1) < inner.length) inner[path.at(-1)] = value;
}

/** Replaces the paths by the path of an empty object or, if the schema has no object, of an absent property. A proof of either says nothing about an asset. */
function stateNothing(below, schema, data, paths) {
  const names = Object.keys(schema.properties);
  const objects = names.filter((name) => schema.properties[name].type === "object");
  const name = objects[below(Math.max(objects.length, 1))] ?? names[0];
  if (objects.includes(name)) data[name] = {};
  else delete data[name];
  paths.splice(0, paths.length, [name]);
}

/** Returns a certificate and the document that is published with it: honest or with random changes. Returns null if the data has no value. */
async function caseOf(below, schema, form) {
  const data = valueOf(below, schema);
  const all = leaves(data).filter((path) => path.length > 0);
  if (all.length === 0) return null;
  const paths = all.filter(() => below(2)).map((path) => (below(4) ? path : path.slice(0, 1)));
  if (paths.length === 0) paths.push(all[0]);
  if (below(4) === 0) stateNothing(below, schema, data, paths);
  const key = Uint8Array.from({ length: 32 }, () => below(256));
  const cert = form === "AIH-1" ? new First({ schema }) : new Second({ schema, key });
  const disclosed = await cert.disclose(data, paths, ...(form === "detached" ? [{ detached: true }] : []));
  const evidence = form === "AIH-1" ? { data: disclosed } : disclosed;
  const metadata = structuredClone(cert.expose(data, paths));
  const done = [];
  for (let change = below(4); change > 0; change -= 1) {
    const shown = leaves(metadata).filter((path) => path.length > 0 && at(metadata, path) !== null);
    const path = [shown, all][below(2)][below(Math.max(shown.length, 1))] ?? all[0];
    const what = ["add", "forge", "unknown", "remove"][below(4)];
    done.push(`${what} ${path.join(".")}`);
    if (what === "add" && at(data, path) !== undefined) put(metadata, path, structuredClone(at(data, path)));
    if (what === "forge") put(metadata, path, ["forged", 1001, null, [], {}][below(5)]);
    if (what === "unknown")
      put(
        metadata,
        [...path.slice(0, -1), "unknown"].filter((step) => typeof step === "string"),
        "new",
      );
    if (what === "remove" && typeof path.at(-1) === "string") delete at(metadata, path.slice(0, -1))?.[path.at(-1)];
  }
  const imprint = below(10) ? (await cert.imprint(data)).replace("aih2:", "") : "ab".repeat(32);
  return { schema, form, data, metadata, evidence, imprint, done };
}

const SAME = { proven: "proven", changed: "not-proven", "not-proven": "not-proven", "not-covered": "not-covered", "not-in-schema": "not-covered" };

/** Returns `path status` of every value, sorted. Duplicates stay. */
const sorted = (values) => values.map(([path, status]) => `${text(path)} ${status}`).sort();
const text = (path) => path.reduce((whole, step) => (typeof step === "number" ? `${whole}[${step}]` : `${whole}.${step}`), "metadata");

/** Returns the npm package's verdict. */
async function byPackage({ schema, form, evidence }, metadata, data) {
  const cert = form === "AIH-1" ? new First({ schema }) : new Second({ schema });
  const { integrity, status, report } = await cert.judge(metadata, evidence, data, Date.now());
  const values = report.shown ?? report.entries;
  return { integrity, status: status.kind, values: values.map(({ path, status }) => [path, SAME[status]]) };
}

/** Returns the verify page's report, computed by the page's own worker. */
async function byPage(page, { schema, evidence, imprint }, metadata, data) {
  const record = { asked: {}, status: data.status, issuer: data.issuer, ledger: data.ledger, asset: data.asset };
  const input = { metadata: JSON.stringify(metadata), evidence: JSON.stringify(evidence), schema: JSON.stringify(schema), imprint, origin: "ledger", record };
  const found = await page.evaluate(async (given) => {
    const { files } = await (await fetch("/release.json")).json();
    const worker = new Worker(
      files.find((file) => file.startsWith("/workers/documents/one-")),
      { type: "module" },
    );
    const answer = new Promise((resolve) => worker.addEventListener("message", ({ data }) => resolve(data)));
    worker.postMessage({ turn: 1, task: "verify", input: given });
    const { result, refusal } = await answer;
    worker.terminate();
    if (refusal !== undefined) throw new Error(refusal);
    return result;
  }, input);
  const { integrity, fields } = JSON.parse(found.machine.whole);
  // The page also lists fields that the document does not contain. These have no value.
  return { integrity, values: fields.filter((field) => "value" in field).map(({ path, status }) => [path, status]) };
}

/** Issues the cases as assets of a new ledger. */
async function publish(client, schema, cases) {
  const { accountId: me } = client.provider;
  const folder = new First({ schema }).identify().slice(2, 12);
  host.serve(`${folder}/schema.json`, schema);
  const ledger = { name: "Random", symbol: "RND", uriPrefix: host.url(`${folder}/`), uriPostfix: ".json", schemaId: new First({ schema }).identify(), capabilities: [] };
  const deployment = await client.createDeployment({ ...ledger, ownerId: me }, 2);
  const { ledgerId } = (await client.waitForDeployment(deployment.data.ref)).data;
  const published = cases.map((one, index) => {
    const metadata = { $schema: "schema.json", $evidence: `evidence-${index}.json`, ...one.metadata };
    host.serve(`${folder}/${index}.json`, metadata);
    host.serve(`${folder}/evidence-${index}.json`, one.evidence);
    return { ...one, id: String(index), metadata };
  });
  const actions = published.map(({ id, imprint }) => ({ kind: 1, assetLedgerId: ledgerId, id, imprint, senderId: me, receiverId: me }));
  const order = await client.createOrder({ actions, signersIds: [me], payerId: me, wildcardSigner: false, automatedPerform: true }, 2);
  await client.waitForOrder(order.data.ref);
  return { ledgerId, published };
}

/** The forms of evidence with a case that proves nothing. */
const nothing = new Set();

for (let seed = 1; seed <= SCHEMAS; seed += 1) {
  test(`package, badge and page agree on integrity and each value, seed ${seed}`, { skip }, async () => {
    const below = randomly(seed);
    const schema = objectOf(below, 2, 3 + below(4));
    const cases = [];
    while (cases.length < CASES) {
      const made = await caseOf(below, schema, FORMS[cases.length % FORMS.length]);
      if (made !== null) cases.push(made);
    }
    const client = await newClient(site.url);
    await client.createDeposit(20_000);
    const { ledgerId, published } = await publish(client, schema, cases);
    const seen = new Set();
    await site.visit("/verify/#expert", async (page) => {
      for (const one of published) {
        const { data } = await (await fetch(`${site.url}/badge.json?ledgerId=${ledgerId}&assetId=${one.id}`)).json();
        const context = JSON.stringify({ ...one, errors: data.errors });
        assert.notEqual(data.valid, null, context);
        const [library, shown] = [await byPackage(one, one.metadata, data), await byPage(page, one, one.metadata, data)];
        const expected = sorted(library.values);
        for (const [, status] of library.values) seen.add(status);
        const pointers = (line) => /^metadata\.\$(schema|evidence) not-covered$/.test(line);
        assert.deepEqual(data.values.map(({ path, status }) => `${path} ${status}`).sort(), expected, `badge: ${context}`);
        assert.deepEqual(sorted(shown.values), expected, `page: ${context}`);
        complete(
          one,
          expected.filter((line) => !pointers(line)),
          context,
        );
        truthful(one, library.values, context);
        assert.deepEqual([library.integrity, library.status, shown.integrity], [data.integrity, data.status.kind, data.integrity], context);
        if (data.errors.some(({ reason }) => reason === "nothing-proven")) nothing.add(one.form);
      }
    });
    assert.deepEqual([...seen].sort(), ["not-covered", "not-proven", "proven"]);
  });
}

test("every form of evidence has a case that proves nothing", { skip }, () => {
  assert.deepEqual([...nothing].sort(), [...FORMS].sort());
});

/** Asserts that each value of the document belongs to exactly one line. Skips a null in a list, because it is the placeholder of a hidden item. */
function complete({ metadata: { $schema, $evidence, ...document } }, lines, context) {
  const reported = lines.map((line) => line.slice(0, line.lastIndexOf(" ")));
  assert.equal(new Set(reported).size, reported.length, context);
  for (const path of leaves(document)) {
    if (path.length === 0 || (typeof path.at(-1) === "number" && at(document, path) === null)) continue;
    const above = path.map((_, index) => text(path.slice(0, index + 1)));
    assert.equal(reported.filter((one) => above.includes(one)).length, 1, `${text(path)}: ${context}`);
  }
}

/** Asserts that proven values were certified. With attached evidence and the right imprint, also asserts that no unchanged value is `not-proven`. */
function truthful({ form, data, metadata, imprint }, values, context) {
  for (const [path, status] of values) {
    const [certified, shown] = [at(data, path), at(metadata, path)];
    // Skips objects that are shown empty, because evidence of AIH-2 may hide their content. An empty document has the root's path.
    if (form !== "AIH-1" && (path.length === 0 || JSON.stringify(shown) === "{}")) continue;
    const isSame = JSON.stringify(certified) === JSON.stringify(shown);
    if (status === "proven") assert.ok(isSame || (form === "AIH-1" && (certified ?? null) === null) || isEmpty(certified, shown), `${text(path)} is proven, but was not certified: ${context}`);
    if (form === "attached" && isSame && imprint !== "ab".repeat(32)) assert.notEqual(status, "not-proven", `${text(path)} was not changed: ${context}`);
  }
}

/** Returns true if both values are an empty list or object, null or missing. AIH-1 does not distinguish between these. */
const isEmpty = (certified, shown) => !isInside(certified ?? null) && typeof (certified ?? {}) === "object" && !isInside(shown) && typeof (shown ?? {}) === "object";
