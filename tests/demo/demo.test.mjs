// Runs the whole demonstration in the real runtime, because newcomers start with it.
import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { fileURLToPath } from "node:url";
import { Cert } from "@assay/cert";
import { Cert as Aih2 } from "@assay/cert/aih2";
import { fromFragment } from "../../www/lib/file.ts";
import { anvil } from "../chain/contracts.mjs";
import { startChain } from "../support/chain.mjs";
import { DEMO, keptDemo } from "../support/demo.mjs";
import { assertHidden } from "../support/hidden.mjs";
import { startServer } from "../support/server.mjs";

const SETTINGS = { ENVIRONMENT: "development", DEPOSITS: "test", ALLOW_PRIVATE_FETCH: "true", BADGE_CACHE_SECONDS: "1" };

let server;
before(async () => {
  server = await startServer({ vars: SETTINGS, sweepEvery: 1 });
});
after(() => server?.stop());

function run(...options) {
  return new Promise((resolve, reject) => {
    const child = spawn(process.execPath, [DEMO, "--url", server.url, ...options], { stdio: ["ignore", "pipe", "pipe"] });
    let output = "";
    for (const stream of [child.stdout, child.stderr]) stream.on("data", (text) => (output += text));
    child.once("error", reject).once("exit", (code) => resolve({ code, output }));
  });
}

/** Returns all values that the demonstration printed under a name. */
const said = (output, name) => [...output.matchAll(new RegExp(`^   ${name.padEnd(16)} (.*)$`, "gm"))].map(([, text]) => text);

for (const profile of ["AIH-2", "AIH-1"]) {
  test(`${profile}: a certificate is issued and valid, and its forgery is detected`, async () => {
    const { code, output } = await run("--profile", profile);
    assert.equal(code, 0, output);
    assert.deepEqual(said(output, "profile"), [profile], output);
    assert.deepEqual(said(output, "verdict"), ["valid", "invalid"], output);
    assert.equal(said(output, "imprint")[0].startsWith("aih2:"), profile === "AIH-2");

    // The server of the documents has ended. The link needs only the asset's imprint from the service.
    const link = new URL(/^http\S+#\S+$/m.exec(output)[0]);
    assert.match(link.pathname, /^\/c\/0x[0-9a-fA-F]{40}\/1$/);
    const page = await fetch(link, { headers: { accept: "text/html" } });
    assert.match(await page.text(), /<script type="module" src="\/certificate\/certificate\.js">/);
    const { schema, document, evidence } = await fromFragment(link.hash.slice(1));
    const [, , ledgerId, assetId] = link.pathname.split("/");
    const record = await (await fetch(new URL(`/badge.json?ledgerId=${ledgerId}&assetId=${assetId}`, server.url))).json();
    const { imprint } = record.data.asset;
    const isAih2 = profile === "AIH-2";
    const report = isAih2 ? await new Aih2({ schema }).verify(evidence, imprint, { asset: { ledgerId, assetId } }) : await new Cert({ schema }).verify(document, evidence, imprint);
    assert.equal(report.valid, true, JSON.stringify(report.errors));
    assert.equal(evidence.values?.some(([[key]]) => key === "holder") ?? false, isAih2);
  });
}

test("the holder shows hidden fields, and the recipient passes on fewer", async () => {
  const { code, output } = await run();
  assert.equal(code, 0, output);
  assert.match(said(output, "holder shows")[0], /holder\.email: "ada@example\.com".*issuedAt: "2026-06-30"/);
  const passedOn = said(output, "passed on")[0];
  assert.ok(passedOn && said(output, "holder shows")[0].includes(passedOn), output);
  assert.doesNotMatch(passedOn, /issuedAt.*holder|holder.*issuedAt/);
  assert.match(said(output, "because")[0], /name/);
});

/** Fetches the certificate's published files from the addresses in the output. */
function published(output) {
  return Promise.all(["public metadata", "evidence", "schema"].map((name) => addressed(output, name).then((response) => response.json())));
}
const original = JSON.parse(await readFile(new URL("metadata.json", import.meta.url), "utf8"));

test("AIH-1: hidden values cannot be guessed from the published files", async () => {
  await kept(
    async (output) => {
      const [metadata, evidence, schema] = await published(output);
      assert.equal(metadata.holder, undefined);
      // If the nonces were public, anybody who guessed the right values would get exactly the published hashes.
      const [proof] = await new Cert({ schema }).disclose({ ...metadata, holder: original.holder }, [["name"]]);
      const hashes = new Set(evidence.data.flatMap(({ nodes }) => nodes.map(({ hash }) => hash)));
      assert.ok(proof.nodes.length > 0);
      assert.deepEqual(
        proof.nodes.filter(({ hash }) => hashes.has(hash)),
        [],
      );
    },
    "--profile",
    "AIH-1",
  );
});

test("AIH-2: hidden values cannot be guessed from the published files", async () => {
  await kept(async (output) => {
    const [metadata, evidence, schema] = await published(output);
    assert.equal(metadata.holder, undefined);
    await assertHidden({ schema, document: { ...original, ...metadata }, evidence }, ["$evidence", "$schema", "assetId", "description", "image", "ledgerId", "name"]);
  });
});

test("the printed addresses work until the user ends the demonstration", async () => {
  const code = await kept(async (output) => {
    for (const name of ["badge", "page", "public metadata", "evidence"]) assert.equal((await addressed(output, name)).status, 200, name);
  });
  assert.equal(code, 0);
});

/** Fetches the address that the demonstration has printed under a name. */
function addressed(output, name) {
  return fetch(new RegExp(`^ +${name} +(http\\S+)$`, "m").exec(output)[1]);
}

const kept = (look, ...options) => keptDemo(server.url, options, look);

const own = (name) => fileURLToPath(new URL(`own-${name}.json`, import.meta.url));

test("at the end, the first badge is valid and the second invalid", async () => {
  await kept(async (output) => {
    const verdicts = await Promise.all(
      said(output, "badge").map(async (address) => {
        const report = await fetch(address.replace("/badge?", "/badge.json?"));
        return (await report.json()).data.valid;
      }),
    );
    assert.deepEqual(verdicts, [true, false]);
    const [metadata, , schema] = await published(output);
    assert.deepEqual([metadata.ledgerId, metadata.assetId], [said(output, "ledger")[0], "1"]);
    assert.ok(schema.properties.ledgerId && schema.properties.assetId);
  });
});

test("a user's own document works without any of the usual keys", async () => {
  const { code, output } = await run("--metadata", own("metadata"), "--schema", own("schema"));
  assert.equal(code, 0, output);
  assert.deepEqual(said(output, "public"), ["serial, parts, ledgerId, assetId"]);
});

test("AIH-2 refuses a key that the schema lacks, and AIH-1 omits it", async () => {
  const folder = await mkdtemp(join(tmpdir(), "assay-demo-"));
  try {
    const file = join(folder, "metadata.json");
    await writeFile(file, JSON.stringify({ ...JSON.parse(await readFile(own("metadata"), "utf8")), note: "not described by the schema" }));
    const given = ["--metadata", file, "--schema", own("schema")];
    const refused = await run(...given);
    assert.deepEqual([refused.code, /cannot be certified: the schema does not have note,/.test(refused.output)], [1, true], refused.output);
    const first = await run(...given, "--profile", "AIH-1");
    assert.equal(first.code, 0, first.output);
  } finally {
    await rm(folder, { recursive: true });
  }
});

test("wrong input has a clear error", async () => {
  const missing = await run("--metadata", "/nowhere.json");
  assert.deepEqual([missing.code, /cannot read \/nowhere\.json/.test(missing.output)], [1, true], missing.output);
  const unknown = await run("--profile", "AIH-3");
  assert.deepEqual([unknown.code, /`--profile` must be one of AIH-2, AIH-1/.test(unknown.output)], [1, true], unknown.output);
  const broken = await run("--metadata", DEMO);
  assert.deepEqual([broken.code, /is not JSON/.test(broken.output)], [1, true], broken.output);
});

test("a service on another ledger than the named chain is refused", { skip: !anvil() && "npm has no anvil for this machine" }, async () => {
  const folder = await mkdtemp(join(tmpdir(), "assay-demo-"));
  const chain = await startChain("--state", folder);
  try {
    const { code, output } = await run("--chain", join(folder, "chain.json"));
    assert.deepEqual([code, /the service does not use the chain of .*: its gateway is 0x/.test(output)], [1, true], output);
  } finally {
    await chain.stop();
    await rm(folder, { recursive: true });
  }
  const missing = await run("--chain", join(folder, "chain.json"));
  assert.deepEqual([missing.code, /there is no chain at .*; start one with `cargo xtask dev --ledger anvil`/.test(missing.output)], [1, true], missing.output);
});
