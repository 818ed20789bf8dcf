// The whole story against a running server: certify a document, deploy a ledger, issue the document as an asset by a
// signed order, see the badge turn valid, let the holder show more of it without the issuer, forge one public value, see the badge turn
// invalid.
//
//   node tests/demo/demo.mjs [--url URL] [--metadata FILE --schema FILE] [--profile AIH-1] [--keep]
//
// In a terminal, and with --keep, it goes on serving what it has printed the addresses of, until there is a line on standard input.
import { once } from "node:events";
import { readFile } from "node:fs/promises";
import { parseArgs } from "node:util";
import { Cert } from "@assay/cert/aih2";
import { ActionKind, LedgerCapability, Priority, RequestStatus, fromUnits } from "@assay/client";
import { badge, newClient } from "../support/client.mjs";
import { CERTIFY } from "./certify.mjs";
import { Host } from "./host.mjs";
import { say, step, done, fail } from "./say.mjs";

const { values: options } = parseArgs({
  options: {
    url: { type: "string", default: "http://127.0.0.1:8787" },
    metadata: { type: "string", default: new URL("metadata.json", import.meta.url).pathname },
    schema: { type: "string", default: new URL("schema.json", import.meta.url).pathname },
    profile: { type: "string", default: "AIH-2" },
    keep: { type: "boolean", default: false },
  },
});

async function readJson(file) {
  const text = await readFile(file, "utf8").catch((error) => fail(`cannot read ${file}: ${error.message}`));
  try {
    return JSON.parse(text);
  } catch (error) {
    return fail(`${file} is not JSON: ${error.message}`);
  }
}

/** How often to look whether an order is done. */
const QUICKLY = { interval: 200 };

/** A public text to forge. */
function firstText(paths, metadata) {
  const path = paths.find(([key]) => !key.startsWith("$") && typeof metadata[key] === "string");
  return path?.[0] ?? fail("the public metadata has no text that could be forged");
}

async function main() {
  const certify = CERTIFY[options.profile] ?? fail(`the profile is one of ${Object.keys(CERTIFY).join(", ")}`);
  const schema = await readJson(options.schema);
  const document = await readJson(options.metadata);
  const issuer = await connect();
  const holder = await connect();
  const host = await Host.start();
  try {
    step("Certify a document");
    const pointers = { $schema: host.url("schema.json"), $evidence: host.url("evidence/1.json") };
    const made = await certify({ schema, document, pointers }).catch(({ message }) => fail(`the document cannot be certified: ${message}`));
    const { schemaId, imprint, paths, metadata, evidence } = made;
    host.serve("schema.json", schema);
    host.serve("metadata/1.json", metadata);
    host.serve("evidence/1.json", evidence);
    say("profile", options.profile);
    say("schema id", schemaId);
    say("imprint", imprint);
    say(...made.kept);
    say("public", paths.map((path) => path.join(".")).join(", "));
    say("public metadata", host.url("metadata/1.json"));
    say("evidence", host.url("evidence/1.json"));
    say("schema", host.url("schema.json"));

    step("Open an account and deposit");
    const { accountId } = issuer.provider;
    const { data: deposit } = await issuer.createDeposit(20_00);
    say("issuer", accountId);
    say("deposit", `${deposit.amount / 100} EUR → ${fromUnits(deposit.tokens)} tokens`);

    step("Deploy a ledger for such certificates");
    const ledger = {
      name: "Course certificates",
      symbol: "COURSE",
      uriPrefix: host.url("metadata/"),
      uriPostfix: ".json",
      schemaId,
      capabilities: [LedgerCapability.UPDATE_ASSET],
      ownerId: accountId,
    };
    const deploying = await issuer.createDeployment(ledger, Priority.MEDIUM);
    const { data: deployment } = await issuer.waitForDeployment(deploying.data.ref, QUICKLY);
    const { ledgerId } = deployment;
    say("deployment", `${deployment.ref} is ${statusName(deployment)}`);
    say("ledger", ledgerId);

    step("Issue the document as asset 1 by a signed order");
    const creation = { kind: ActionKind.CREATE_ASSET, assetLedgerId: ledgerId, id: "1", imprint, senderId: accountId, receiverId: holder.provider.accountId };
    const issuing = { actions: [creation], signersIds: [accountId], payerId: accountId, wildcardSigner: false, automatedPerform: true };
    const ordering = await issuer.createOrder(issuing, Priority.MEDIUM);
    const { data: order } = await issuer.waitForOrder(ordering.data.ref, QUICKLY);
    say("order", `${order.ref} is ${statusName(order)}`);
    const { data: asset } = await holder.getLedgerAsset(ledgerId, "1");
    say("owner", asset.ownerId);
    say("uri", asset.uri);

    step("Look at the badge");
    const first = await badge(issuer, ledgerId, "1", "valid");
    say("badge", issuer.badgeUrl(ledgerId, "1"));
    say("value by value", new URL(`/verify/?ledgerId=${ledgerId}&assetId=1`, options.url).href);
    say("verdict", first);
    if (first !== "valid") fail(`the badge is ${first}, not valid: ${await reasons(issuer, ledgerId)}`);

    if (made.holder) await passOn({ ...made.holder, schema, imprint: asset.imprint });

    step("Forge one public value");
    const key = firstText(paths, metadata);
    const forged = `${metadata[key]} (forged)`;
    host.serve("metadata/1.json", { ...metadata, [key]: forged });
    say("changed", `${key}: ${JSON.stringify(forged)}`);
    const second = await badge(issuer, ledgerId, "1", "invalid");
    say("verdict", second);
    if (second !== "invalid") fail(`the badge is ${second}, not invalid`);
    say("because", await reasons(issuer, ledgerId));

    done("The certificate was certified, issued and verified, and its forgery was found out.");
    if (options.keep || process.stdin.isTTY) {
      console.log("The addresses above show the forgery for as long as this runs. Press Enter to end it.");
      await Promise.race([once(process.stdin.resume(), "data"), once(process.stdin, "end")]);
      process.stdin.pause();
    } else {
      console.log("The demonstration has ended, and with it what served its documents. In a terminal it goes on until you press Enter.");
    }
  } finally {
    await host.stop();
  }
}

/** The holder shows what is not public to somebody, who passes on less. Neither takes the issuer, or a key. */
async function passOn({ data, whole, paths, schema, imprint }) {
  step("Show what is hidden, and pass on less, without the issuer");
  const cert = new Cert({ schema });
  const shown = await cert.reduce(data, whole, paths);
  const less = await cert.reduce(shown, [shown.values[0][0]]);
  for (const [name, evidence] of [["holder shows", shown], ["passed on", less]]) {
    // The evidence brings its values along, and the imprint is the ledger's.
    const { valid, entries, errors } = await cert.verify(evidence, imprint);
    if (!valid) fail(`the evidence proves nothing: ${errors[0].code}`);
    say(name, entries.map(({ path, value }) => `${path.join(".")}: ${JSON.stringify(value)}`).join(", "));
    say("", `in evidence of ${JSON.stringify(evidence).length} bytes, with the values`);
  }
}

/** A client of a new account. */
function connect() {
  return newClient(options.url).catch(({ message, original }) =>
    fail(`no service takes new accounts at ${options.url} (${original?.message ?? message}); start one with \`cargo xtask dev\``),
  );
}

/** A record's status in a word. */
function statusName({ status }) {
  return Object.keys(RequestStatus).find((name) => RequestStatus[name] === status);
}

/** Why an asset is not valid. */
async function reasons(client, ledgerId) {
  const { data } = await client.getValidity(ledgerId, "1");
  return data.errors.map(({ message, path }) => (path ? `${path}: ${message}` : message)).join("; ");
}

await main();
