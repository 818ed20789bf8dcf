// The package as published, in pages that bundlers build.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { build, createServer } from "vite";
import webpack from "webpack";
import { launch, openContext, skip } from "../pages/browser.mjs";
import { createProject } from "../packages/project.mjs";
import { serve } from "../packages/static.mjs";
import { certified } from "./certified.mjs";
import { markup, reaches } from "./host.mjs";
import { answerWith, fakeService } from "./reports.mjs";

let project;
let service;
let browser;
before(async () => {
  if (skip) return;
  service = await fakeService(new Map([["1", answerWith(await certified("valid", "1"))]]));
  const page = (script) =>
    `<!doctype html><title>Bundled</title><body>${markup("assay-badge", service.origin, "1")}${markup("assay-certificate", service.origin, "1")}</body><script type="module" src="${script}"></script>`;
  project = await createProject({ "page.js": 'import "@assay/elements";', "index.html": page("./page.js"), "webpack.html": page("./webpack/main.js") });
  browser = await launch();
});
after(async () => {
  await browser?.close();
  await service?.stop();
  await project?.remove();
});

/** Opens a page. Asserts that the badge shows the verdict, and that the page has checked the certificate. */
async function shows(address) {
  const context = await openContext(browser);
  try {
    const page = await context.newPage();
    await page.goto(address);
    await reaches(page.locator("assay-badge"), "valid");
    await page.locator("assay-certificate [part=sheet]").waitFor();
    assert.equal(await page.locator("assay-certificate [part=title]").innerText(), "Applied Cryptography");
  } finally {
    await context.close();
  }
}

async function served(folder, name) {
  const server = await serve(folder);
  try {
    await shows(new URL(name, server.url).href);
  } finally {
    await server.stop();
  }
}

const vite = (more) => {
  // Vite sets a missing NODE_ENV for the whole process, which would affect later builds.
  delete process.env.NODE_ENV;
  return { root: project.folder, configFile: false, logLevel: "error", clearScreen: false, ...more };
};

test("Vite, built", { skip }, async () => {
  const outDir = project.file("vite");
  await build(vite({ build: { outDir }, base: "./" }));
  await served(outDir, "index.html");
});

test("Vite, while developing", { skip }, async () => {
  const server = await createServer(vite({ cacheDir: project.file("cache"), server: { host: "127.0.0.1", port: 0, watch: null } }));
  await server.listen();
  try {
    await shows(`http://127.0.0.1:${server.httpServer.address().port}/`);
  } finally {
    await server.close();
  }
});

test("webpack", { skip }, async () => {
  const compiler = webpack({ mode: "production", context: project.folder, entry: "./page.js", output: { path: project.file("webpack"), publicPath: "auto" } });
  const stats = await new Promise((resolve, reject) => compiler.run((error, stats) => (error ? reject(error) : resolve(stats))));
  await new Promise((resolve) => compiler.close(resolve));
  assert.deepEqual(stats.toJson({ all: false, errors: true, warnings: true }).errors, []);
  await served(project.folder, "webpack.html");
});
