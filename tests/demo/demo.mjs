// Demonstrates a certificate's life with a running server. Deploys a ledger, certifies a document and issues it as an asset by a signed order.
// Checks that the asset's badge is valid, and shows more of the document as its holder. Then issues a second asset, forges one of its public
// values and checks that its badge is invalid.
//
//   node tests/demo/demo.mjs [--url URL] [--metadata FILE --schema FILE] [--profile AIH-1] [--keep] [--chain FILE [--dist DIR]]
//
// If the service's ledger is on a chain, --chain names the description that tests/chain/host.mjs has written. The demonstration then also asks
// the chain without the service. It also rebuilds the service's database from the chain, with the build in --dist.
//
// In a terminal or with --keep, the demonstration waits for a line on standard input, or for the end of the input, before it ends. Until
// then, the printed addresses work.
import { once } from "node:events";
import { readFile } from "node:fs/promises";
import { parseArgs } from "node:util";
import { Cert } from "@assay/cert/aih2";
import { ActionKind, LedgerCapability, Priority, RequestStatus, fromUnits } from "@assay/client";
import { toFragment } from "../../www/lib/file.ts";
import { badge, newClient } from "../support/client.mjs";
import { CERTIFY, IDENTIFY, withAssetFields } from "./certify.mjs";
import { Chain } from "./chain.mjs";
import { Host } from "./host.mjs";
import { say, step, done, fail } from "./say.mjs";

const { values: options } = parseArgs({
  options: {
    url: { type: "string", default: "http://127.0.0.1:8787" },
    metadata: { type: "string", default: new URL("metadata.json", import.meta.url).pathname },
    schema: { type: "string", default: new URL("schema.json", import.meta.url).pathname },
    profile: { type: "string", default: "AIH-2" },
    keep: { type: "boolean", default: false },
    chain: { type: "string" },
    dist: { type: "string" },
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

/** Options to poll a record at short intervals. A chain may need some seconds for each block. */
const QUICKLY = { interval: 200, timeout: 180_000 };

/** The tokens that the issuer gets on a chain. */
const DEPOSIT = 500;

/** Returns the key of a public text to forge. */
function firstText(paths, metadata) {
  const path = paths.find(([key]) => !["$evidence", "$schema", "ledgerId", "assetId"].includes(key) && typeof metadata[key] === "string");
  return path?.[0] ?? fail("the public metadata has no text that could be forged");
}

async function main() {
  const certify = CERTIFY[options.profile] ?? fail(`\`--profile\` must be one of ${Object.keys(CERTIFY).join(", ")}`);
  const schema = withAssetFields(await readJson(options.schema));
  const document = await readJson(options.metadata);
  const issuer = await connect();
  const holder = await connect();
  const chain = options.chain && (await Chain.open(options.chain, issuer));
  const host = await Host.start();
  /** Waits until a record is final, and prints its status. If a chain performs it earlier, prints this too. */
  const finished = async (name, wait) => {
    const { data: early } = await wait({ ...QUICKLY, until: RequestStatus.SUCCESS });
    if (early.status !== RequestStatus.FINALIZED) say(name, `${early.ref} ${await chain.pending(early)}`);
    const { data } = await wait(QUICKLY);
    say(name, `${data.ref} is ${statusName(data)}`);
    return data;
  };
  try {
    step("Open an account and deposit");
    const { accountId } = issuer.provider;
    say("issuer", accountId);
    if (chain) {
      await chain.deposit(accountId, DEPOSIT);
    } else {
      const { data: deposit } = await issuer
        .createDeposit(20_00)
        .catch(({ message }) => fail(`the service takes no test deposits (${message}); if its ledger is a chain, use \`cargo xtask demo --ledger anvil\``));
      say("deposit", `${deposit.amount / 100} EUR → ${fromUnits(deposit.tokens)} tokens`);
    }

    step("Deploy a ledger for such certificates");
    const schemaId = IDENTIFY[options.profile](schema);
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
    const { ledgerId } = await finished("deployment", (how) => issuer.waitForDeployment(deploying.data.ref, how));
    say("ledger", ledgerId);
    say("schema id", schemaId);

    /** Certifies the document as an asset and publishes its files. */
    const certified = async (assetId) => {
      const pointers = { $schema: host.url("schema.json"), $evidence: host.url(`evidence/${assetId}.json`) };
      const input = { schema, document: { ...document, ledgerId, assetId }, pointers };
      const made = await certify(input).catch(({ message }) => fail(`the document cannot be certified: ${message}`));
      host.serve("schema.json", schema);
      host.serve(`metadata/${assetId}.json`, made.metadata);
      host.serve(`evidence/${assetId}.json`, made.evidence);
      return made;
    };
    /** Issues an asset to the holder by a signed order. */
    const issue = async (assetId, imprint) => {
      const creation = { kind: ActionKind.CREATE_ASSET, assetLedgerId: ledgerId, id: assetId, imprint, senderId: accountId, receiverId: holder.provider.accountId };
      const issuing = { actions: [creation], signersIds: [accountId], payerId: accountId, wildcardSigner: false, automatedPerform: true };
      const ordering = await issuer.createOrder(issuing, Priority.MEDIUM);
      await finished("order", (how) => issuer.waitForOrder(ordering.data.ref, how));
    };
    /** Shows an asset's badge and page, and stops unless the verdict is as expected. */
    const look = async (assetId, expected) => {
      const verdict = await badge(issuer, ledgerId, assetId, expected);
      say("badge", issuer.badgeUrl(ledgerId, assetId));
      say("page", new URL(`/c/${ledgerId}/${assetId}`, options.url).href);
      say("verdict", verdict);
      if (verdict !== expected) fail(`the badge is ${verdict}, not ${expected}: ${await reasons(issuer, ledgerId, assetId)}`);
    };

    step("Certify a document");
    const made = await certified("1");
    say("profile", options.profile);
    say("imprint", made.imprint);
    say(...made.kept);
    say("public", made.paths.map((path) => path.join(".")).join(", "));
    say("public metadata", host.url("metadata/1.json"));
    say("evidence", host.url("evidence/1.json"));
    say("schema", host.url("schema.json"));

    step("Issue the document as asset 1 by a signed order");
    await issue("1", made.imprint);
    const { data: asset } = await holder.getLedgerAsset(ledgerId, "1");
    say("owner", asset.ownerId);
    say("uri", asset.uri);

    step("Look at the badge");
    await look("1", "valid");

    if (made.holder) await passOn({ ...made.holder, schema, imprint: asset.imprint, asset: { ledgerId, assetId: asset.id } });

    step("Issue asset 2 and forge one of its public values");
    const second = await certified("2");
    await issue("2", second.imprint);
    const key = firstText(second.paths, second.metadata);
    const forged = `${second.metadata[key]} (forged)`;
    host.serve("metadata/2.json", { ...second.metadata, [key]: forged });
    say("changed", `${key}: ${JSON.stringify(forged)}`);
    await look("2", "invalid");
    say("because", await reasons(issuer, ledgerId, "2"));

    if (chain) {
      await chain.show(ledgerId, asset);
      const { data: other } = await holder.getLedgerAsset(ledgerId, "2");
      await chain.rebuild(issuer, options.dist, ledgerId, [asset, other]);
    }

    const link = await linkOf({ made, schema, asset: { ledgerId, assetId: asset.id } });
    done("A certificate was certified, issued and verified. The forgery of a second certificate was detected.");
    if (options.keep || process.stdin.isTTY) {
      console.log("As long as this runs, the addresses above show the genuine asset 1 and the forged asset 2. Press Enter to end it.");
      await Promise.race([once(process.stdin.resume(), "data"), once(process.stdin, "end")]);
      process.stdin.pause();
    } else {
      console.log("The demonstration has ended, and so has the server of its documents. In a terminal, it waits until you press Enter.");
    }
    if (link) console.log(`Open the certificate, as long as the service runs:\n${link}`);
  } finally {
    await host.stop();
    chain?.close();
  }
}

/** Shows hidden fields as the holder, and passes on fewer fields as the recipient. Neither step needs the issuer or a key. */
async function passOn({ data, whole, paths, schema, imprint, asset }) {
  step("Show what is hidden, and pass on less, without the issuer");
  const cert = new Cert({ schema });
  // Ledger and asset stay included, because a verifier compares them with the asset and refuses a copy elsewhere.
  const names = Object.keys(asset);
  const bound = names.map((key) => [key]);
  const shown = await cert.reduce(data, whole, [...bound, ...paths]);
  const [[first]] = shown.values.filter(([[key]]) => !names.includes(key));
  const less = await cert.reduce(shown, [...bound, first]);
  for (const [name, evidence] of [
    ["holder shows", shown],
    ["passed on", less],
  ]) {
    // The evidence contains its values. The imprint comes from the ledger.
    const { valid, entries, errors } = await cert.verify(evidence, imprint, { asset });
    if (!valid) fail(`the evidence proves nothing: ${errors[0].code}`);
    const values = entries.filter(({ path: [key] }) => !names.includes(key));
    say(name, values.map(({ path, value }) => `${path.join(".")}: ${JSON.stringify(value)}`).join(", "));
    say("", `in evidence of ${JSON.stringify(evidence).length} bytes, with the values`);
  }
}

/**
 * Returns the link with which the holder shows the certificate. The link itself contains the shown part, and the imprint is on the ledger. The
 * link therefore works without the server of the documents. Returns null if the part is too long for a link.
 */
async function linkOf({ made: { holder, metadata, evidence }, schema, asset }) {
  const paths = Object.keys(holder?.data ?? {}).map((key) => [key]);
  const part = holder ? { document: null, evidence: await new Cert({ schema }).reduce(holder.data, holder.whole, paths) } : { document: metadata, evidence };
  const fragment = await toFragment({ schema, ...part });
  return fragment && new URL(`/c/${asset.ledgerId}/${asset.assetId}#${fragment}`, options.url).href;
}

/** Returns a client of a new account. */
function connect() {
  return newClient(options.url).catch(({ message, original }) => fail(`no service takes new accounts at ${options.url} (${original?.message ?? message}); start one with \`cargo xtask dev\``));
}

/** Returns the name of a record's status. */
function statusName({ status }) {
  return Object.keys(RequestStatus).find((name) => RequestStatus[name] === status);
}

/** Returns the reasons why an asset is not valid. */
async function reasons(client, ledgerId, assetId) {
  const { data } = await client.getValidity(ledgerId, assetId);
  return data.errors.map(({ message, path }) => (path ? `${path}: ${message}` : message)).join("; ");
}

await main();
