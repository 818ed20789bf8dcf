// The whole story against a running server: certify a document, deploy a ledger, issue the document as an asset by a
// signed order, see the badge turn valid, forge one public value, see it turn invalid.
//
//   node tests/demo/demo.mjs [--url URL] [--metadata FILE --schema FILE] [--keep]
//
// In a terminal, and with --keep, it goes on serving what it has printed the addresses of, until there is a line on standard input.
import { randomBytes } from "node:crypto";
import { once } from "node:events";
import { readFile } from "node:fs/promises";
import { parseArgs } from "node:util";
import { Cert } from "@assay/cert";
import { ActionKind, LedgerCapability, Priority, RequestStatus, fromUnits } from "@assay/client";
import { badge, newClient } from "../support/client.mjs";
import { Host } from "./host.mjs";
import { say, step, done, fail } from "./say.mjs";

const { values: options } = parseArgs({
  options: {
    url: { type: "string", default: "http://127.0.0.1:8787" },
    metadata: { type: "string", default: new URL("metadata.json", import.meta.url).pathname },
    schema: { type: "string", default: new URL("schema.json", import.meta.url).pathname },
    keep: { type: "boolean", default: false },
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

/** How often to look whether an order is done. */
const QUICKLY = { interval: 200 };

/** The top-level keys to show: the public ones, or everything where the schema has none of them. */
function disclosedPaths(schema, metadata) {
  const described = Object.keys(schema.properties ?? {}).filter((key) => Object.hasOwn(metadata, key));
  const open = described.filter((key) => PUBLIC.includes(key));
  return (open.some((key) => !key.startsWith("$")) ? open : described).map((key) => [key]);
}

/** A public text to forge. */
function firstText(paths, metadata) {
  const path = paths.find(([key]) => !key.startsWith("$") && typeof metadata[key] === "string");
  return path?.[0] ?? fail("the public metadata has no text that could be forged");
}

async function main() {
  const schema = await readJson(options.schema);
  const original = await readJson(options.metadata);
  const issuer = await connect();
  const holder = await connect();
  const host = await Host.start();
  try {
    step("Certify a document");
    const metadata = { ...original, $schema: host.url("schema.json"), $evidence: host.url("evidence/1.json") };
    // Without a secret, hidden values with few possibilities could be guessed: a birthday within a second.
    const secret = randomBytes(32);
    const cert = new Cert({ schema, noncer: { secret } });
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
    say("secret", "random, kept by the issuer: it keeps hidden values from being guessed");
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

    step("Forge one public value");
    const key = firstText(paths, open);
    host.serve("metadata/1.json", { ...open, [key]: `${open[key]} (forged)` });
    say("changed", `${key}: ${JSON.stringify(`${open[key]} (forged)`)}`);
    const second = await badge(issuer, ledgerId, "1", "invalid");
    say("verdict", second);
    if (second !== "invalid") fail(`the badge is ${second}, not invalid`);

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
  return data.errors.map(({ message }) => message).join("; ");
}

await main();
