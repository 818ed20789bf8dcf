// Packs the package as for publication, unpacks it elsewhere, and loads and type-checks it there.
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { mkdir, mkdtemp, readFile, readdir, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { after, before, test } from "node:test";
import { fileURLToPath } from "node:url";
import { gzipSync } from "node:zlib";
import ts from "typescript";

const PACKAGE = fileURLToPath(new URL("../", import.meta.url));
const KEY = "0x59c6995e998f97a5a0044966f0945389dc9e86dae88c7a8412f4603b6b78690d";
const ACCOUNT = "0x70997970C51812dc3A010C7d01b50e0d17dc79C8";

let home;
let installed;
before(async () => {
  home = await mkdtemp(path.join(tmpdir(), "assay-client-"));
  installed = path.join(home, "node_modules/@assay/client");
  await mkdir(installed, { recursive: true });
  const [{ filename }] = JSON.parse(execFileSync("npm", ["pack", "--json", "--ignore-scripts", "--pack-destination", home], { cwd: PACKAGE, encoding: "utf8", stdio: ["ignore", "pipe", "ignore"] }));
  execFileSync("tar", ["-xzf", path.join(home, filename), "--strip-components=1", "-C", installed]);
});
// If no test is selected, `before` may not have set `home`.
after(() => home && rm(home, { recursive: true, force: true }));

test("the package has one WebAssembly file, every export and no tests", async () => {
  const files = (await readdir(installed, { recursive: true, withFileTypes: true }))
    .filter((entry) => entry.isFile())
    .map(({ name, parentPath, path: folder }) => path.relative(installed, path.join(parentPath ?? folder, name)));
  assert.equal(files.filter((name) => name.endsWith(".wasm")).length, 1);
  assert.deepEqual(
    files.filter((name) => !/^(dist\/|verdicts\.(js|d\.ts)$|README\.md$|package\.json$|LICENSE)/.test(name)),
    [],
  );
  const manifest = JSON.parse(await readFile(path.join(installed, "package.json"), "utf8"));
  const named = (value) => (typeof value === "string" ? [value] : Object.values(value).flatMap(named));
  for (const name of [...named(manifest.exports), manifest.main, manifest.module, manifest.types]) assert.ok(files.includes(path.normalize(name)), name);
  assert.equal(manifest.dependencies, undefined);
});

test("the README says how much a page loads", async () => {
  const [, raw, packed] = /`dist\/client_bg\.wasm` \((\d+) kB, (\d+) kB compressed\)/.exec(await readFile(path.join(installed, "README.md"), "utf8"));
  const module = await readFile(path.join(installed, "dist/client_bg.wasm"));
  // The size may differ by a few hundred bytes between compilers.
  for (const [said, is] of [
    [raw, module.length],
    [packed, gzipSync(module, { level: 9 }).length],
  ]) {
    assert.ok(Math.abs(Number(said) - is / 1000) <= Math.max(2, is / 50_000), `the README says ${said} kB, the file has ${is} bytes`);
  }
});

const LOAD = `.PrivateKeyProvider.from("${KEY}").then(({ accountId }) => console.log(accountId))`;
const PROGRAMS = {
  "module.mjs": `import * as assay from "@assay/client"; await assay${LOAD}`,
  "common.cjs": `require("@assay/client")${LOAD}`,
};
for (const [name, text] of Object.entries(PROGRAMS)) {
  test(`the package loads from ${name}`, async () => {
    await writeFile(path.join(home, name), text);
    assert.equal(execFileSync(process.execPath, [name], { cwd: home, encoding: "utf8" }).trim(), ACCOUNT);
  });
}

const USE = await readFile(new URL("client.test-d.ts", import.meta.url), "utf8");
const { ESNext, CommonJS, Node16 } = ts.ModuleKind;
const COMPILED = [
  ["use.mts", Node16, ts.ModuleResolutionKind.Node16],
  ["use.cts", Node16, ts.ModuleResolutionKind.Node16],
  ["use.ts", ESNext, ts.ModuleResolutionKind.Bundler],
  ["old.ts", CommonJS, ts.ModuleResolutionKind.Node10],
];
for (const [name, module, moduleResolution] of COMPILED) {
  test(`the types compile with ${name} (${ts.ModuleResolutionKind[moduleResolution]})`, async () => {
    const file = path.join(home, name);
    await writeFile(file, USE);
    const program = ts.createProgram([file], {
      strict: true,
      exactOptionalPropertyTypes: true,
      noEmit: true,
      types: [],
      target: ts.ScriptTarget.ES2022,
      lib: ["lib.es2022.d.ts", "lib.dom.d.ts"],
      module,
      moduleResolution,
    });
    const messages = ts.getPreEmitDiagnostics(program).map(({ file, start, messageText }) => {
      const line = file ? file.getLineAndCharacterOfPosition(start).line + 1 : 0;
      return `${line}: ${ts.flattenDiagnosticMessageText(messageText, "\n")}`;
    });
    assert.deepEqual(messages, []);
  });
}
