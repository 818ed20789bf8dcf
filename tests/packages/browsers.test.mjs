// The packages as they are published, in a browser: through bundlers, and without one.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { build, createServer } from "vite";
import webpack from "webpack";
import { launch, skip } from "../pages/browser.mjs";
import { certificate, expected } from "./certificate.mjs";
import { createProject, imprint, snippet } from "./project.mjs";
import { serve } from "./static.mjs";

const KEY = "0x59c6995e998f97a5a0044966f0945389dc9e86dae88c7a8412f4603b6b78690d";
const ACCOUNT = "0x70997970C51812dc3A010C7d01b50e0d17dc79C8";

/** After the README's page has loaded the library, the same modules tell the story. */
const tell = (cert, conventions, validation) => `
  import * as library from "${cert}";
  import { init, validate } from "${validation}";
  import { conventions } from "${conventions}";
  import { story } from "./story.mjs";
  window.told = story(library, ${JSON.stringify(certificate)}).then(async (told) => {
    await init();
    return { told, conventions: conventions.length, violations: validate({ type: "integer" }, "1").length };
  });`;
const CLIENT = `
  import { PrivateKeyProvider } from "@assay/client";
  window.account = PrivateKeyProvider.from("${KEY}").then(({ accountId }) => accountId);`;
const page = (entry) => `<!doctype html><title>Bundled</title><body></body><script type="module" src="${entry}"></script>`;

let project;
let browser;
before(async () => {
  if (skip) return;
  project = await createProject({
    "page.js": snippet("page.js"),
    "entry.js": `import "./page.js";${tell("@assay/cert", "@assay/cert/conventions", "@assay/cert/validate")}${CLIENT}`,
    "index.html": page("./entry.js"),
    "webpack.html": page("./webpack/main.js"),
    "page.html": snippet("page.html"),
    "plain.mjs": tell("./node_modules/@assay/cert/src/init.js", "./node_modules/@assay/cert/src/conventions.js", "./node_modules/@assay/cert/validate/src/init.js"),
  });
  browser = await launch();
});
after(async () => {
  await browser?.close();
  await project?.remove();
});

/** Opens an address: the README's page has to show its imprint. Then `act` goes on. */
async function open(address, act) {
  const context = await browser.newContext();
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

const told = { told: expected, conventions: 10, violations: 1 };
async function tellsTheStory(opened) {
  await opened.waitForFunction(() => window.told);
  assert.deepEqual(await opened.evaluate(() => window.told), told);
}
async function tellsEverything(opened) {
  await tellsTheStory(opened);
  assert.equal(await opened.evaluate(() => window.account), ACCOUNT);
}

async function served(folder, name, act, types) {
  const server = await serve(folder, types);
  try {
    await open(new URL(name, server.url).href, act);
  } finally {
    await server.stop();
  }
}

const vite = (more) => ({ root: project.folder, configFile: false, logLevel: "error", clearScreen: false, ...more });

test("Vite, built", { skip }, async () => {
  await build(vite({ build: { outDir: "vite", emptyOutDir: true }, base: "./" }));
  await served(project.file("vite"), "index.html", tellsEverything);
});

test("Vite, while developing", { skip }, async () => {
  const server = await createServer(vite({ cacheDir: project.file("vite-cache"), server: { host: "127.0.0.1", port: 0, watch: null } }));
  await server.listen();
  try {
    await open(`http://127.0.0.1:${server.httpServer.address().port}/`, tellsEverything);
  } finally {
    await server.close();
  }
});

test("webpack", { skip }, async () => {
  // The WebAssembly that validates is larger than webpack recommends.
  const performance = { assetFilter: (name) => !name.endsWith(".wasm") };
  const output = { path: project.file("webpack"), publicPath: "auto" };
  const compiler = webpack({ mode: "production", context: project.folder, entry: "./entry.js", output, performance });
  const stats = await new Promise((resolve, reject) => compiler.run((error, stats) => (error ? reject(error) : resolve(stats))));
  await new Promise((resolve) => compiler.close(resolve));
  const { errors, warnings } = stats.toJson({ all: false, errors: true, warnings: true });
  assert.deepEqual([...errors, ...warnings].map(({ message }) => message), []);
  await served(project.folder, "webpack.html", tellsEverything);
});

for (const [what, types] of [["a file server", {}], ["a file server that knows nothing of WebAssembly", { ".wasm": "application/octet-stream" }]]) {
  test(`no bundler, ${what}`, { skip }, () =>
    served(
      project.folder,
      "page.html",
      async (opened) => {
        await opened.addScriptTag({ type: "module", url: "./plain.mjs" });
        await tellsTheStory(opened);
      },
      types,
    ));
}
