// Runs the samples of the package's README unchanged, with the packages that its commands install, against the Worker.
import assert from "node:assert/strict";
import { execFile, spawn } from "node:child_process";
import { randomBytes } from "node:crypto";
import { once } from "node:events";
import { access, mkdir, mkdtemp, readFile, realpath, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { after, before, test } from "node:test";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { Client } from "@assay/client";
import ts from "typescript";
import { nodes } from "../packages/project.mjs";
import { assertHidden } from "../support/hidden.mjs";
import { startServer } from "../support/server.mjs";

const text = await readFile(new URL("../../pkg/client/README.md", import.meta.url), "utf8");
const files = Object.fromEntries([...text.matchAll(/^```js\n\/\/ (\S+)\n(.*?)^```$/gms)].map(([, name, code]) => [name, code]));

/** The README's command that builds the packages, and the commands that install them. */
const [builds, ...installs] = /^```sh\n(.*?)^```$/ms.exec(text)[1].trim().split("\n");

/** Creates a project with the README's commands, in a separate clone and home folder, and writes the samples there. */
async function projectByReadme() {
  const home = await realpath(await mkdtemp(join(tmpdir(), "assay-readme-")));
  const folder = join(home, "my-project");
  const remove = () => rm(home, { recursive: true });
  try {
    await mkdir(join(home, "assay"));
    await mkdir(folder);
    await symlink(fileURLToPath(new URL("../../pkg", import.meta.url)), join(home, "assay/pkg"));
    // npm works offline, and runs no install scripts of packages.
    const env = { ...process.env, HOME: home, npm_config_offline: "true", npm_config_ignore_scripts: "true", npm_config_audit: "false", npm_config_fund: "false" };
    await promisify(execFile)("sh", ["-ec", installs.join("\n")], { cwd: join(home, "assay"), env });
    const file = (name) => join(folder, name);
    const write = (some) => Promise.all(Object.entries(some).map(([name, code]) => writeFile(file(name), code)));
    await write(files);
    return { folder, file, write, remove };
  } catch (error) {
    await remove();
    throw error;
  }
}

let server;
let project;
before(async () => {
  [server, project] = await Promise.all([startServer({ vars: { ENVIRONMENT: "development", DEPOSITS: "test", ALLOW_PRIVATE_FETCH: "true" } }), projectByReadme()]);
});
after(() => Promise.all([server?.stop(), project?.remove()]));

test("the README builds and installs each package that its samples import", async () => {
  const imported = new Set(Object.values(files).flatMap((code) => [...code.matchAll(/from "(@assay\/\w+)/g)].map(([, name]) => name)));
  assert.deepEqual([...imported].toSorted(), ["@assay/cert", "@assay/client"]);
  for (const name of imported) {
    assert.match(builds, new RegExp(`^cargo .*\\bbuild ${name.split("/")[1]}\\b`));
    await access(project.file(`node_modules/${name}/package.json`));
  }
});

test("the README names each member of a verdict", async () => {
  const answer = await (await fetch(new URL(`/badge.json?ledgerId=0x${"ab".repeat(20)}&assetId=1`, server.url))).json();
  const table = /^## Badge and verdict in a page\n(.*?)^## /ms.exec(text)[1];
  const named = [...table.matchAll(/^\| (`[^|]*`) \|/gm)].flatMap(([, names]) => names.match(/\w+/g));
  assert.deepEqual(
    Object.keys(answer.data)
      .filter((name) => name !== "omittedValues")
      .toSorted(),
    named.toSorted(),
  );
});

test("the story has fewer than forty lines", () => {
  assert.deepEqual(Object.keys(files).sort(), ["badge.mjs", "exchange.mjs", "keys.mjs", "many.mjs", "pinned.mjs", "site.mjs", "store.mjs", "verdict.js"]);
  const lines = files["badge.mjs"].split("\n").filter((line) => line.trim() && !line.trim().startsWith("//"));
  assert.ok(lines.length < 40, `${lines.length} lines`);
});

for (const [version, program] of await nodes()) {
  test(`the README's story from deposit to badge works on Node ${version}`, async () => {
    const env = { ...process.env, ASSAY_KEY: randomBytes(32).toString("hex"), ASSAY_API: server.url };
    const story = spawn(program, ["badge.mjs"], { cwd: project.folder, env, stdio: ["ignore", "pipe", "inherit"] });
    try {
      const said = [];
      for await (const line of createInterface({ input: story.stdout })) if (said.push(line) === 2) break;
      assert.equal(said[0], "true");
      const badge = await fetch(/^<img src="([^"]+)">$/.exec(said[1])[1], { headers: { accept: "image/*" } });
      assert.equal(badge.headers.get("x-asset-validity"), "valid");
      assert.match(await badge.text(), /<svg/);
      const { data } = await (await fetch(badge.url.replace("/badge?", "/badge.json?"))).json();
      assert.equal(data.metadata.grade, undefined);
      const { schema, metadata, evidence } = data;
      await assertHidden({ schema, document: { ...metadata, grade: "A" }, evidence }, ["$evidence", "$schema", "assetId", "ledgerId", "name"]);
    } finally {
      story.kill();
      await once(story, "exit");
    }
  });
}

test("the README's exchange of an asset for value works", async () => {
  // Imports the installed package, so this is the same module as in the example.
  await project.write({ "client.mjs": 'export * from "@assay/client";' });
  const [{ exchange }, own] = await Promise.all(["exchange.mjs", "client.mjs"].map((name) => import(project.file(name))));
  const [alice, bob] = await Promise.all(
    [1, 2].map(async () => {
      const client = new own.Client({ provider: await own.PrivateKeyProvider.from(randomBytes(32).toString("hex")), apiUrl: server.url });
      await client.init();
      await client.createDeposit(20_00);
      return client;
    }),
  );
  const me = alice.provider.accountId;
  const { data: deployment } = await alice.createDeployment(
    { name: "n", symbol: "s", uriPrefix: "https://assets.example/", uriPostfix: "", schemaId: "ab".repeat(32), capabilities: [], ownerId: me },
    1,
  );
  const { ledgerId } = (await alice.waitForDeployment(deployment.ref)).data;
  const creation = { kind: 1, assetLedgerId: ledgerId, id: "1", imprint: "cd".repeat(32), senderId: me, receiverId: me };
  const { data: order } = await alice.createOrder({ actions: [creation], signersIds: [me], payerId: me, wildcardSigner: false, automatedPerform: true }, 1);
  await alice.waitForOrder(order.ref);
  const balance = async () => BigInt((await alice.getAccount()).data.balance);
  const before = await balance();
  assert.equal((await exchange(alice, bob, ledgerId, "1")).data.status, 7);
  assert.equal((await balance()) - before, own.toUnits("10.5"));
  assert.equal((await alice.getLedgerAsset(ledgerId, "1")).data.ownerId, bob.provider.accountId);
});

test("the README's batch issues each certificate once", async () => {
  await project.write({ "all.mjs": 'export * from "@assay/client";', "schema.mjs": 'export { Cert } from "@assay/cert/aih2";' });
  const [own, { Cert }] = await Promise.all(["all.mjs", "schema.mjs"].map((name) => import(project.file(name))));
  const key = randomBytes(32).toString("hex");
  const client = new own.Client({ provider: await own.PrivateKeyProvider.from(key), apiUrl: server.url });
  await client.init();
  await client.createDeposit(20_00);
  const text = { type: "string" };
  const schema = { type: "object", properties: { name: text, email: text, ledgerId: text, assetId: text } };
  const { data: deployment } = await client.createDeployment(
    { name: "n", symbol: "s", uriPrefix: "https://assets.example/", uriPostfix: "", schemaId: new Cert({ schema }).identify(), capabilities: [], ownerId: client.provider.accountId },
    1,
  );
  const { ledgerId } = (await client.waitForDeployment(deployment.ref)).data;
  const people = ["Ada", "Grace", "Emmy"].map((name) => ({ name, email: `${name.toLowerCase()}@example.com` }));
  const program = `
    import { Client, PrivateKeyProvider } from "@assay/client";
    import { issuePeople } from "./many.mjs";
    const client = new Client({ provider: await PrivateKeyProvider.from(${JSON.stringify(key)}), apiUrl: ${JSON.stringify(server.url)} });
    await client.init();
    const issued = await issuePeople(client, ${JSON.stringify(ledgerId)}, ${JSON.stringify(schema)}, ${JSON.stringify(people)});
    console.log(JSON.stringify(issued.map(({ assetId, imprint }) => [assetId, imprint])));`;
  await project.write({ "run.mjs": program });
  const run = async () => JSON.parse((await promisify(execFile)(process.execPath, ["run.mjs"], { cwd: project.folder })).stdout.trim().split("\n").at(-1));
  const issued = await run();
  assert.deepEqual(await run(), issued);
  const { data: assets } = await client.getLedgerAssets(ledgerId);
  assert.deepEqual(assets.map(({ id, imprint }) => [id, imprint]).toSorted(), issued.toSorted());
});

test("the README's pinned client signs for no other service", async () => {
  await project.write({ "own.mjs": 'export * from "@assay/client";' });
  const [{ pinned }, own] = await Promise.all(["pinned.mjs", "own.mjs"].map((name) => import(project.file(name))));
  const client = pinned(await own.PrivateKeyProvider.from(randomBytes(32).toString("hex")), server.url);
  await client.init();
  const me = client.provider.accountId;
  const creation = { kind: 1, assetLedgerId: me, id: "1", imprint: "cd".repeat(32), senderId: me, receiverId: me };
  await assert.rejects(client.createOrder({ actions: [creation], signersIds: [me], payerId: me, wildcardSigner: false, automatedPerform: true }, 1), { code: 7000009 });
  await assert.rejects(client.signOrder("x"), { code: 7000011 });
});

test("the README names exactly the existing functions", async () => {
  const functions = Object.getOwnPropertyNames(Client.prototype).filter((name) => !["constructor", "knownAccount", "provider"].includes(name));
  const table = /^## Functions\n(.*?)^## /ms.exec(text)[1];
  const named = [...table.matchAll(/`(\w+)\(/g)].map(([, name]) => name);
  assert.deepEqual(
    named.filter((name) => !functions.includes(name)),
    [],
  );
  // Iterators need not be listed if their list function is.
  const said = named.flatMap((name) => [name, name.replace(/^get(.)/, (_, first) => first.toLowerCase())]);
  assert.deepEqual(
    functions.filter((name) => !said.includes(name)),
    [],
  );
});

test("the story compiles as TypeScript", async () => {
  // TypeScript also needs declarations of the environment variables and of the other module's exports.
  const around = "declare const process: { env: { ASSAY_KEY: string; ASSAY_API: string | undefined } }; declare const site: string; declare function publish(path: string, json: unknown): void;";
  await project.write({ "badge.mts": `${around}\n${files["badge.mjs"].replace(/^import .* from "\.\/site\.mjs";$/m, "")}` });
  const program = ts.createProgram([project.file("badge.mts")], {
    strict: true,
    exactOptionalPropertyTypes: true,
    noEmit: true,
    types: [],
    target: ts.ScriptTarget.ES2022,
    lib: ["lib.es2022.d.ts", "lib.dom.d.ts"],
    module: ts.ModuleKind.Node16,
  });
  assert.deepEqual(
    ts.getPreEmitDiagnostics(program).map(({ messageText }) => ts.flattenDiagnosticMessageText(messageText, "\n")),
    [],
  );
});
