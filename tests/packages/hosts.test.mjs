// The published packages in bundlers and test runners. `cargo xtask test hosts` runs the same program in the other hosts of the README's table.
import assert from "node:assert/strict";
import { createRequire } from "node:module";
import { cp, mkdir, mkdtemp, readFile, readdir, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { execFileSync } from "node:child_process";
import { after, before, test } from "node:test";
import resolve from "@rollup/plugin-node-resolve";
import * as esbuild from "esbuild";
import { rollup } from "rollup";
import * as vite from "vite";
import webpack from "webpack";
import { COMMON, PAGE, SHOWN, STORY, TOLD, html, tested } from "../hosts/apps.mjs";
import { startBrowser } from "../hosts/pages.mjs";
import { skip } from "../pages/browser.mjs";
import { createProject, readme } from "./project.mjs";

const require = createRequire(import.meta.url);
// The elements load a module when a certificate is checked, and Rollup refuses that for `output.file`.
const LIBRARIES = STORY.replace('import * as elements from "@assay/elements";', "const elements = { AssayBadge() {} };");

let project;
let browser;
before(async () => {
  project = await createProject({
    "a.mjs": `${STORY}story(false).then(console.log);`,
    "a.cjs": `${COMMON}story(false).then(console.log);`,
    "libraries.mjs": `${LIBRARIES}story(false).then(console.log);`,
    "story.mjs": STORY,
    "story.cjs": COMMON,
    "page.js": PAGE,
    "script.html": html('src="out/script.js"'),
    "module.html": html('type="module" src="out/module.mjs"'),
    "rollup.html": html('type="module" src="out/rollup/page.js"'),
    "a.test.cjs": tested('const { story } = require("./story.cjs");'),
    "badge.js": 'import { Verdicts } from "@assay/client/verdicts";\nimport "@assay/elements/badge";\nconsole.log(new Verdicts());',
  });
  if (!skip) browser = await startBrowser();
});
after(async () => {
  await browser?.stop();
  await project?.remove();
});

/** Runs a file alone in an empty folder, so that nothing beside it can be found. */
async function alone(name) {
  const empty = await mkdtemp(path.join(tmpdir(), "assay-alone-"));
  try {
    await cp(project.file(name), path.join(empty, path.basename(name)));
    return execFileSync(process.execPath, [path.basename(name)], { cwd: empty, encoding: "utf8" }).trim();
  } finally {
    await rm(empty, { recursive: true, force: true });
  }
}

/** Bundles by esbuild. A warning is a failure. */
async function esbuilt(entry, out, options) {
  const { warnings } = await esbuild.build({ absWorkingDir: project.folder, entryPoints: [entry], outfile: project.file(out), bundle: true, logLevel: "silent", ...options });
  assert.deepEqual(warnings, []);
}

/** Bundles by Rollup. A warning is a failure. */
async function rolledUp(entry, options, output) {
  const onwarn = ({ message }) => assert.fail(message);
  const bundle = await rollup({ input: project.file(entry), plugins: [resolve({ rootDir: project.folder, ...options })], onwarn });
  await bundle.write(output);
  await bundle.close();
}

for (const [entry, format, out] of [
  ["a.mjs", "esm", "out/esbuild.mjs"],
  ["a.cjs", "cjs", "out/esbuild.cjs"],
]) {
  test(`esbuild for Node, ${format}`, async () => {
    await esbuilt(entry, out, { platform: "node", format });
    assert.equal(await alone(out), TOLD);
  });
}

for (const exportConditions of [[], ["node"]]) {
  test(`Rollup for Node, with ${exportConditions.length} conditions`, async () => {
    await rolledUp("libraries.mjs", { exportConditions }, { file: project.file("out/rollup.mjs"), format: "es" });
    assert.equal(await alone("out/rollup.mjs"), TOLD);
  });
}

test("webpack for Node", async () => {
  const compiler = webpack({ mode: "production", target: "node", context: project.folder, entry: "./a.mjs", output: { path: project.file("out/webpack"), filename: "out.cjs" }, performance: false });
  const stats = await new Promise((resolve, reject) => compiler.run((error, stats) => (error ? reject(error) : resolve(stats))));
  await new Promise((resolve) => compiler.close(resolve));
  const { errors, warnings } = stats.toJson({ all: false, errors: true, warnings: true });
  assert.deepEqual(
    [...errors, ...warnings].map(({ message }) => message),
    [],
  );
  assert.equal(await alone("out/webpack/out.cjs"), TOLD);
});

test("Vite for a server, with the packages in the bundle", async () => {
  delete process.env.NODE_ENV;
  const outDir = project.file("out/ssr");
  await vite.build({ root: project.folder, configFile: false, logLevel: "error", ssr: { noExternal: true }, build: { ssr: project.file("libraries.mjs"), outDir } });
  const [file] = (await readdir(outDir)).filter((name) => /\.m?js$/.test(name));
  assert.equal(await project.run(process.execPath, path.join(outDir, file)), TOLD);
});

for (const [format, out, page] of [
  ["iife", "out/script.js", "script.html"],
  ["esm", "out/module.mjs", "module.html"],
]) {
  test(`esbuild for browsers, ${format}`, { skip }, async () => {
    await esbuilt("page.js", out, { platform: "browser", format });
    assert.equal(await browser.told(project.folder, page), TOLD + SHOWN);
  });
}

for (const isBrowser of [true, false]) {
  test(`Rollup for browsers, with browser: ${isBrowser}`, { skip }, async () => {
    await rolledUp("page.js", { browser: isBrowser }, { dir: project.file("out/rollup"), format: "es" });
    assert.equal(await browser.told(project.folder, "rollup.html"), TOLD + SHOWN);
  });
}

for (const environment of ["node", "jsdom"]) {
  test(`Jest, ${environment}: the packages work and take the bytes of Node`, async () => {
    const config = { rootDir: project.folder, testMatch: ["**/a.test.cjs"], testEnvironment: environment === "node" ? "node" : require.resolve("jest-environment-jsdom"), transform: {} };
    const { NODE_ENV, NODE_TEST_CONTEXT, ...env } = process.env;
    const jest = path.join(path.dirname(require.resolve("jest/package.json")), "bin/jest.js");
    execFileSync(process.execPath, [jest, "--config", JSON.stringify(config), "--no-cache", "--ci"], { cwd: project.folder, env, stdio: "pipe" });
  });
}

test("the README's table names the versions that the tests install", async () => {
  const table = /^\| host \| to do \|\n(?:\|.*\n)+/m.exec(readme)[0];
  const { dependencies } = JSON.parse(await readFile(new URL("../hosts/package.json", import.meta.url), "utf8"));
  const own = JSON.parse(await readFile(new URL("../package.json", import.meta.url), "utf8")).devDependencies;
  const said = (name) => [...table.matchAll(new RegExp(`${name} (\\d+(?:\\.\\d+)?)`, "g"))].map(([, version]) => version);
  const names = {
    bun: "Bun",
    deno: "Deno",
    esbuild: "esbuild",
    rollup: "Rollup",
    webpack: "webpack",
    "@rspack/core": "Rspack",
    next: "Next\\.js",
    astro: "Astro",
    "@sveltejs/kit": "SvelteKit",
    parcel: "Parcel",
    vitest: "Vitest",
  };
  for (const [dependency, name] of Object.entries(names)) {
    assert.ok(said(name).length > 0, name);
    for (const version of said(name)) assert.ok(`${dependencies[dependency]}.`.startsWith(`${version}.`), `${name} ${version}`);
  }
  assert.match(table, /Jest 29 and 30,/);
  assert.match(`${dependencies.jest29} ${dependencies.jest} ${own.jest}`, /jest@29\..* 30\..* 30\./);
});

test("a page that only shows verdicts has no WebAssembly", async () => {
  await esbuilt("badge.js", "out/badge.js", { platform: "browser", format: "esm" });
  assert.ok((await readFile(project.file("out/badge.js"), "utf8")).length < 50_000);
  delete process.env.NODE_ENV;
  const outDir = project.file("out/badge");
  await vite.build({ root: project.folder, configFile: false, logLevel: "error", build: { outDir, rollupOptions: { input: project.file("badge.js") } } });
  const files = await readdir(outDir, { recursive: true });
  assert.deepEqual(
    files.filter((name) => !/^assets(\/[\w-]+\.js)?$/.test(name)),
    [],
  );
});

test("importing the elements in Node defines nothing and needs no host", async () => {
  const script = 'import * as all from "@assay/elements"; console.log(Object.keys(all).join(), typeof HTMLElement, typeof customElements)';
  assert.equal(execFileSync(process.execPath, ["--input-type=module", "-e", script], { cwd: project.folder, encoding: "utf8" }).trim(), "AssayBadge,AssayCertificate undefined undefined");
});

test("a lost WebAssembly file is one error, which names the README's table", { skip }, async () => {
  await mkdir(project.file("lost"), { recursive: true });
  await project.write({
    "lost.js": 'import { init } from "@assay/cert/init"; init().catch(({ code, message }) => (document.body.dataset.told = `${code} ${message}`));',
    "lost/index.html": html('src="lost.js"'),
  });
  await esbuild.build({ absWorkingDir: project.folder, entryPoints: ["lost.js"], outfile: project.file("lost/lost.js"), bundle: true, format: "iife", logLevel: "silent" });
  assert.match(await browser.told(project.file("lost")), /^not-initialized the WebAssembly is not loaded: .* \(see "Hosts" in the README\)$/);
});
