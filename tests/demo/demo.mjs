// The whole story against a running server: certify a document, deploy a ledger, issue the document as an asset by a
// signed order, see the badge turn valid, forge one public value, see it turn invalid.
//
//   node tests/demo/demo.mjs [--url URL] [--metadata FILE --schema FILE]
import { randomBytes } from "node:crypto";
import { readFile } from "node:fs/promises";
import { parseArgs } from "node:util";
import { Cert } from "@assay/cert";
import { Service } from "../support/service.mjs";
import { Host } from "./host.mjs";
import { say, step, done, fail } from "./say.mjs";

const { values: options } = parseArgs({
  options: {
    url: { type: "string", default: "http://127.0.0.1:8787" },
    metadata: { type: "string", default: new URL("metadata.json", import.meta.url).pathname },
    schema: { type: "string", default: new URL("schema.json", import.meta.url).pathname },
  },
});

/** What a badge shows of an asset: these where the schema has them, and whatever of the rest is plain text. */
const PUBLIC = ["$evidence", "$schema", "name", "description", "image"];

async function readJson(file) {
  const text = await readFile(file, "utf8").catch((error) => fail(`cannot read ${file}: ${error.message}`));
  try {
    return JSON.parse(text);
  } catch (error) {
    return fail(`${file} is not JSON: ${error.message}`);
  }
}

/** The top-level keys to disclose: the public ones, or everything where the schema has none of them. */
function disclosedPaths(schema, metadata) {
  const described = Object.keys(schema.properties ?? {}).filter((key) => Object.hasOwn(metadata, key));
  const open = described.filter((key) => PUBLIC.includes(key));
  return (open.some((key) => !key.startsWith("$")) ? open : described).map((key) => [key]);
}

/** A public text to forge. */
function firstText(paths, metadata) {
  const path = paths.find(([key]) => !key.startsWith("$") && typeof metadata[key] === "string");
  return path?.[0] ?? fail("the metadata discloses no text that could be forged");
}

async function main() {
  const schema = await readJson(options.schema);
  const original = await readJson(options.metadata);
  const service = await Service.connect(options.url).catch((error) => fail(`no service answers at ${options.url} (${error.message}); start one with \`cargo xtask dev\``));
  const host = await Host.start();
  try {
    step("Certify a document");
    const metadata = { ...original, $schema: host.url("schema.json"), $evidence: host.url("evidence/1.json") };
    const cert = new Cert({ schema });
    const schemaId = cert.identify();
    const imprint = await cert.imprint(metadata);
    const paths = disclosedPaths(schema, metadata);
    // Where the evidence is must be public, whether the schema certifies it or not.
    const open = { ...cert.expose(metadata, paths), $schema: metadata.$schema, $evidence: metadata.$evidence };
    const evidence = { $schema: host.url("evidence-schema.json"), data: await cert.disclose(metadata, paths) };
    host.serve("schema.json", schema);
    host.serve("metadata/1.json", open);
    host.serve("evidence/1.json", evidence);
    say("schema id", schemaId);
    say("imprint", imprint);
    say("disclosed", paths.map((path) => path.join(".")).join(", "));
    say("public metadata", host.url("metadata/1.json"));
    say("evidence", `${evidence.data.length} proof(s), ${JSON.stringify(evidence).length} bytes`);

    step("Open an account and deposit");
    const issuer = service.account(randomBytes(32));
    const holder = service.account(randomBytes(32));
    const deposit = await issuer.post("/deposits", { amount: 2000 });
    say("issuer", issuer.id);
    say("deposit", `${deposit.amount / 100} EUR → ${tokens(deposit.tokens)} tokens`);

    step("Deploy a ledger for such certificates");
    const deployment = await issuer.deploy({
      name: "Course certificates",
      symbol: "COURSE",
      uriPrefix: host.url("metadata/"),
      uriPostfix: ".json",
      schemaId,
      capabilities: [2],
    });
    say("deployment", `${deployment.ref} is ${deployment.statusName}`);
    say("ledger", deployment.ledgerId);

    step("Issue the document as asset 1 by a signed order");
    const order = await issuer.issue({ ledgerId: deployment.ledgerId, assetId: "1", imprint, receiverId: holder.id });
    say("order", `${order.ref} is ${order.statusName}`);
    const asset = await holder.get(`/ledgers/${deployment.ledgerId}/assets/1`);
    say("owner", asset.ownerId);
    say("uri", asset.uri);

    step("Look at the badge");
    const query = new URLSearchParams({ ledgerId: deployment.ledgerId, assetId: "1" });
    const badge = `${service.url}/badge?${query}`;
    const first = await service.badge(query, (verdict) => verdict === "valid");
    say("badge", badge);
    say("verdict", first);
    if (first !== "valid") fail(`the badge is ${first}, not valid: see ${service.url}/badge.json?${query}`);

    step("Forge one public value");
    const key = firstText(paths, open);
    host.serve("metadata/1.json", { ...open, [key]: `${open[key]} (forged)` });
    say("changed", `${key}: ${JSON.stringify(`${open[key]} (forged)`)}`);
    const second = await service.badge(query, (verdict) => verdict === "invalid");
    say("verdict", second);
    if (second !== "invalid") fail(`the badge is ${second}, not invalid`);

    done("The certificate was certified, issued and verified, and its forgery was found out.");
  } finally {
    await host.stop();
  }
}

/** Base units of 18 decimals as a decimal number. */
function tokens(units) {
  const digits = units.padStart(19, "0");
  return `${digits.slice(0, -18)}.${digits.slice(-18, -15)}`;
}

await main();
