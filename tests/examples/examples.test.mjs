// The examples, run with the commands of their READMEs against one service.
import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { randomBytes } from "node:crypto";
import { cp, readFile } from "node:fs/promises";
import path from "node:path";
import { after, before, test } from "node:test";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { Miniflare } from "miniflare";
import { build } from "vite";
import { modules } from "../../edge-api/host/runtime.mjs";
import { reaches } from "../elements/host.mjs";
import { listen } from "../elements/reports.mjs";
import { createProject } from "../packages/project.mjs";
import { serve } from "../packages/static.mjs";
import { launch, openContext, skip as noBrowser } from "../pages/browser.mjs";
import { startServer } from "../support/server.mjs";
import { example, python, skip as noPython } from "./python.mjs";

const run = promisify(execFile);
const WRANGLER = fileURLToPath(new URL("../../node_modules/wrangler/bin/wrangler.js", import.meta.url));
const DATE = "2026-01-01";

let server;
let project;
let site;
/** The issuer's output: the certificate that the other examples verify. */
let issued;
before(async () => {
  const settings = { ENVIRONMENT: "development", DEPOSITS: "test", ALLOW_PRIVATE_FETCH: "true", BADGE_CACHE_SECONDS: "1" };
  [server, project] = await Promise.all([startServer({ vars: settings }), createProject()]);
  await Promise.all(["node-issuer", "edge-verifier", "shop"].map((name) => cp(example(name), project.file(name), { recursive: true })));
  const folder = project.file("node-issuer");
  site = await serve(path.join(folder, "site"));
  const env = { ...process.env, ASSAY_KEY: randomBytes(32).toString("hex"), ASSAY_API: server.url, ASSAY_SITE: new URL(site.url).origin };
  const { stdout } = await run(process.execPath, ["issue.mjs", "document.json"], { cwd: folder, env });
  issued = JSON.parse(stdout);
});
after(() => Promise.all([server?.stop(), site?.stop(), project?.remove()]));

test("the Node issuer's certificate is valid and hides the grade", async () => {
  const { data } = await (await fetch(issued.badge.replace("/badge?", "/badge.json?"))).json();
  assert.deepEqual([data.valid, data.metadata.name, data.metadata.grade], [true, "Ada Lovelace", undefined]);
});

test("examples depend on the packages of this version", async () => {
  for (const name of ["node-issuer", "edge-verifier", "shop"]) {
    const { dependencies } = JSON.parse(await readFile(path.join(example(name), "package.json"), "utf8"));
    for (const [dependency, version] of Object.entries(dependencies)) {
      const own = new URL(`../../pkg/${dependency.replace("@assay/", "")}/package.json`, import.meta.url);
      assert.equal(version, JSON.parse(await readFile(own, "utf8")).version, `${name}: ${dependency}`);
    }
  }
});

test("the Python verifier reads the holder's file, and refuses it under another imprint", { skip: noPython }, async () => {
  const file = project.file("node-issuer/certificate.private.assay.json");
  const { stdout } = await python("python-verifier", ["verify.py", file, issued.imprint]);
  const proven = stdout
    .trim()
    .split("\n")
    .map((line) => JSON.parse(line));
  assert.deepEqual(
    proven.find(([steps]) => steps.join() === "grade"),
    [["grade"], "A"],
  );
  await assert.rejects(python("python-verifier", ["verify.py", file, `aih2:${"0".repeat(64)}`]), { code: 1 });
});

test("the service accepts a deployment and an order that Python signs", { skip: noPython }, async () => {
  const imprint = randomBytes(32).toString("hex");
  const { stdout } = await python("python-orders", ["issue.py", imprint], { ASSAY_KEY: randomBytes(32).toString("hex"), ASSAY_API: server.url });
  const { data } = await (await fetch(`${server.url}/badge.json?${new URLSearchParams({ ledgerId: stdout.trim(), assetId: "1" })}`)).json();
  assert.equal(data.asset.imprint, imprint);
});

test("the Worker verifies at the edge, and refuses a forged document", async () => {
  const folder = project.file("edge-verifier");
  const env = { ...process.env, WRANGLER_SEND_METRICS: "false", WRANGLER_SEND_ERROR_REPORTS: "false" };
  await run(process.execPath, [WRANGLER, "deploy", "--dry-run", "--outdir", "bundle"], { cwd: folder, env });
  // A server between the Worker and the service. It can forge the document.
  let forged = {};
  const between = await listen(async ({ url }, response) => {
    const answer = await (await fetch(new URL(url, server.url))).json();
    Object.assign(answer.data.metadata, forged);
    response.writeHead(200, { "content-type": "application/json" }).end(JSON.stringify(answer));
  });
  const manifest = await modules(path.join(folder, "bundle"), "worker.js");
  const config = { name: "edge", compatibilityDate: DATE, manifest, env: { SERVICE: { type: "text", value: between.origin } } };
  const worker = new Miniflare({ workers: [{ config }], cf: false, telemetry: { enabled: false } });
  try {
    const ask = async () => (await worker.dispatchFetch(`http://edge.example/${issued.ledgerId}/${issued.assetId}`)).json();
    const { valid, document } = await ask();
    assert.deepEqual([valid, document.name], [true, "Ada Lovelace"]);
    forged = { name: "Eve" };
    assert.deepEqual([(await ask()).valid, (await ask()).document], [false, null]);
  } finally {
    await worker.dispose();
    await between.stop();
  }
});

test("the shop's page shows the badge and the certificate", { skip: noBrowser }, async () => {
  Object.assign(process.env, { VITE_SERVICE: server.url.replace(/\/$/, ""), VITE_LEDGER: issued.ledgerId });
  delete process.env.NODE_ENV;
  const outDir = project.file("shop/built");
  await build({ root: project.file("shop"), configFile: false, logLevel: "error", base: "./", build: { outDir } });
  const [shop, browser] = await Promise.all([serve(outDir), launch()]);
  try {
    const page = await (await openContext(browser)).newPage();
    await page.goto(shop.url + "index.html");
    await reaches(page.locator("assay-badge"), "issuer-not-confirmed");
    await page.getByRole("button").click();
    await page.locator("assay-certificate [part=sheet]").waitFor();
    assert.equal(await page.locator("assay-certificate [part=title]").innerText(), "Ada Lovelace");
  } finally {
    await browser.close();
    await shop.stop();
  }
});
