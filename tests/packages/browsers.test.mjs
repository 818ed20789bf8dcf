// The published packages in a browser, with and without a bundler.
import assert from "node:assert/strict";
import { readdir, stat } from "node:fs/promises";
import path from "node:path";
import { after, before, test } from "node:test";
import * as vite5 from "vite5";
import * as vite7 from "vite7";
import * as vite8 from "vite";
import * as library from "@assay/cert";
import * as aih2 from "@assay/cert/aih2";
import webpack from "webpack";
import { launch, openContext, skip } from "../pages/browser.mjs";
import { aih2Certificate, aih2Expected, certificate, expected } from "./certificate.mjs";
import { createProject, imprint, policy, readme, snippet } from "./project.mjs";
import { serve } from "./static.mjs";

const KEY = "0x59c6995e998f97a5a0044966f0945389dc9e86dae88c7a8412f4603b6b78690d";
const ACCOUNT = "0x70997970C51812dc3A010C7d01b50e0d17dc79C8";

/** Returns a script that runs the story with these modules. It runs in addition to the README's page. */
const tell = (cert, conventions, aih2, verifier, validation) => `
  import * as library from "${cert}";
  import * as aih2 from "${aih2}";
  import * as verifier from "${verifier}";
  import { init, validate } from "${validation}";
  import { conventions } from "${conventions}";
  import { aih2Story, story } from "./story.mjs";
  window.told = library.init().then(() => story(library, ${JSON.stringify(certificate)})).then(async (told) => {
    await Promise.all([init(), aih2.init(), verifier.init()]);
    return { told, aih2: await aih2Story(aih2, verifier, ${JSON.stringify(aih2Certificate)}), conventions: conventions.length, violations: validate({ type: "integer" }, "1").length };
  });`;
const CLIENT = `
  import { PrivateKeyProvider } from "@assay/client";
  window.account = PrivateKeyProvider.from("${KEY}").then(({ accountId }) => accountId);`;
/** Modules that import more than they use. */
const UNUSED = ["@assay/cert", "@assay/cert/init", "@assay/cert/aih2", "@assay/cert/verify", "@assay/validate"].map((entry, index) => [
  `unused${index}.js`,
  `import { ${entry.includes("validate") ? "Validator" : "Cert"} as Used, init } from "${entry}"; console.log(Used);`,
]);
const page = (entry) => `<!doctype html><title>Bundled</title><body></body><script type="module" src="${entry}"></script>`;

let project;
let browser;
before(async () => {
  if (skip) return;
  project = await createProject({
    "page.js": snippet("page.js"),
    "entry.js": `import "./page.js";${tell("@assay/cert", "@assay/cert/conventions", "@assay/cert/aih2", "@assay/cert/verify", "@assay/validate")}${CLIENT}`,
    "index.html": page("./entry.js"),
    "webpack.html": page("./webpack/main.js"),
    ...Object.fromEntries(UNUSED),
    "either.js": snippet("either.js"),
    "given.js": 'import { verify } from "./either.js"; window.answer = verify(window.given).then(({ valid }) => valid);',
    "given.html": page("./given.js"),
    "page.html": snippet("page.html"),
    "policy.html": page("./policy.mjs"),
    "policy.mjs": /<script type="module">(.*)<\/script>/s.exec(snippet("page.html"))[1],
    "plain.mjs": tell(
      "./node_modules/@assay/cert/src/init.js",
      "./node_modules/@assay/cert/src/conventions.js",
      ...["cert/aih2", "cert/verify", "validate"].map((entry) => `./node_modules/@assay/${entry}/src/init.js`),
    ),
  });
  browser = await launch();
});
after(async () => {
  await browser?.close();
  await project?.remove();
});

/** Opens an address, asserts that the README's page shows its imprint there, and runs `act`. The console must have no errors. */
async function open(address, act) {
  const context = await openContext(browser);
  try {
    const opened = await context.newPage();
    const wrong = [];
    opened.on("console", (message) => message.type() === "error" && !message.location().url.endsWith("/favicon.ico") && wrong.push(message.text()));
    opened.on("pageerror", (error) => wrong.push(String(error)));
    await opened.goto(address);
    await opened.waitForFunction(() => document.body.innerText.trim() !== "").catch((error) => assert.fail(`${wrong.join("\n")}\n${error}`));
    assert.equal((await opened.innerText("body")).trim(), imprint);
    await act(opened);
    assert.deepEqual(wrong, []);
  } finally {
    await context.close();
  }
}

const told = { told: expected, aih2: aih2Expected, conventions: 10, violations: 1 };
async function tellsTheStory(opened) {
  await opened.waitForFunction(() => window.told);
  assert.deepEqual(await opened.evaluate(() => window.told), told);
}
async function tellsEverything(opened) {
  await tellsTheStory(opened);
  assert.equal(await opened.evaluate(() => window.account), ACCOUNT);
}

async function served(folder, name, act, options) {
  const server = await serve(folder, options);
  try {
    await open(new URL(name, server.url).href, act);
  } finally {
    await server.stop();
  }
}

for (const [version, { build, createServer }] of [
  [5, vite5],
  [7, vite7],
  [8, vite8],
]) {
  const config = () => {
    // Vite sets a missing NODE_ENV for the whole process, which would affect later builds.
    delete process.env.NODE_ENV;
    return { root: project.folder, configFile: false, logLevel: "error", clearScreen: false };
  };

  test(`Vite ${version}, built`, { skip }, async () => {
    const outDir = project.file(`vite${version}`);
    // Builds for Vite's default browsers.
    await build({ ...config(), build: { outDir, emptyOutDir: true }, base: "./" });
    await served(outDir, "index.html", tellsEverything);
    // The WebAssembly is in separate files.
    for (const file of await readdir(outDir, { recursive: true })) {
      assert.ok(!file.endsWith(".js") || (await stat(path.join(outDir, file))).size < 200_000, file);
    }
  });

  test(`Vite ${version}, while developing`, { skip }, async () => {
    const cacheDir = project.file(`vite${version}-cache`);
    const server = await createServer({ ...config(), cacheDir, server: { host: "127.0.0.1", port: 0, watch: null } });
    await server.listen();
    try {
      await open(`http://127.0.0.1:${server.httpServer.address().port}/`, tellsEverything);
    } finally {
      await server.close();
    }
  });
}

test("the README names the bundlers that these tests use", () => {
  const [, ofVite, ofWebpack] = /through a bundler\*\* \(Vite ([\d, and]+), webpack (\d+)\)/.exec(readme);
  const major = ({ version }) => version.split(".")[0];
  assert.deepEqual(ofVite.match(/\d+/g), [vite5, vite7, vite8].map(major));
  assert.equal(ofWebpack, major(webpack));
});

test("as in the README, each profile loads only its own WebAssembly file", { skip }, async () => {
  const { schema, data, paths } = certificate;
  const issuer = new library.Cert({ schema });
  const holder = new aih2.Cert({ schema: aih2Certificate.schema, key: Buffer.from(aih2Certificate.key, "hex") });
  const outDir = project.file("either");
  delete process.env.NODE_ENV;
  await vite8.build({ root: project.folder, configFile: false, logLevel: "error", base: "./", build: { outDir, rollupOptions: { input: project.file("given.html") } } });
  const server = await serve(outDir);
  try {
    for (const [given, entry] of [
      [{ schema, document: issuer.expose(data, paths), evidence: await issuer.disclose(data, paths), imprint: expected.imprint }, "cert"],
      [{ schema: aih2Certificate.schema, evidence: await holder.disclose(aih2Certificate.data, aih2Certificate.paths), imprint: aih2Expected.imprint }, "verify"],
    ]) {
      const context = await openContext(browser);
      const opened = await context.newPage();
      const loaded = [];
      opened.on("request", (request) => loaded.push(/(\w+)_bg[^/]*\.wasm$/.exec(request.url())?.[1]));
      await opened.addInitScript((value) => (window.given = value), given);
      await opened.goto(new URL("given.html", server.url).href);
      assert.equal(await opened.evaluate(() => window.answer), true);
      assert.deepEqual(loaded.filter(Boolean), [entry]);
      await context.close();
    }
  } finally {
    await server.stop();
  }
});

/** Bundles a module with webpack. Returns its errors and warnings. */
async function bundled(entry, mode, output) {
  // The WebAssembly for validation exceeds webpack's recommended size.
  const performance = { assetFilter: (name) => !name.endsWith(".wasm") };
  const compiler = webpack({ mode, context: project.folder, entry, output, performance });
  const stats = await new Promise((resolve, reject) => compiler.run((error, stats) => (error ? reject(error) : resolve(stats))));
  await new Promise((resolve) => compiler.close(resolve));
  const { errors, warnings } = stats.toJson({ all: false, errors: true, warnings: true });
  return [...errors, ...warnings].map(({ message }) => message);
}

test("webpack", { skip }, async () => {
  const output = { path: project.file("webpack"), publicPath: "auto" };
  assert.deepEqual(await bundled("./entry.js", "production", output), []);
  await served(project.folder, "webpack.html", tellsEverything);
});

for (const [name, code] of UNUSED) {
  for (const mode of ["production", "development"]) {
    test(`webpack, ${mode}: ${code}`, { skip }, async () => {
      assert.deepEqual(await bundled(`./${name}`, mode, { path: project.file(`webpack-${mode}-${name}`) }), []);
    });
  }
}

test("no bundler, under the README's content security policy", { skip }, () =>
  served(project.folder, "policy.html", () => {}, { headers: { "content-security-policy": `default-src 'none'; ${policy}` } }),
);

for (const [what, types] of [
  ["a file server", {}],
  ["a file server without the WebAssembly type", { ".wasm": "application/octet-stream" }],
]) {
  test(`no bundler, ${what}`, { skip }, () =>
    served(
      project.folder,
      "page.html",
      async (opened) => {
        await opened.addScriptTag({ type: "module", url: "./plain.mjs" });
        await tellsTheStory(opened);
      },
      { types },
    ),
  );
}
