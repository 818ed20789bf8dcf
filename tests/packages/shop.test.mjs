// A shop's page built from the README, with genuine and forged certificates of the demonstration.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { build } from "vite";
import { launch, openContext, skip } from "../pages/browser.mjs";
import { badgesIn, keptDemo } from "../support/demo.mjs";
import { startServer } from "../support/server.mjs";
import { createProject, snippet } from "./project.mjs";
import { serve } from "./static.mjs";

const SETTINGS = { ENVIRONMENT: "development", DEPOSITS: "test", ALLOW_PRIVATE_FETCH: "true", BADGE_CACHE_SECONDS: "1" };
const FORGED = / \(forged\)$/;

let server;
let project;
let shop;
let browser;
before(async () => {
  if (skip) return;
  [server, project] = await Promise.all([
    startServer({ vars: SETTINGS, sweepEvery: 1 }),
    createProject({
      "either.js": snippet("either.js"),
      "shop.js": snippet("shop.js"),
      "page.js": `
        import { show } from "./shop.js";
        const of = new URLSearchParams(location.search);
        show(document.body, of.get("service"), of.get("ledgerId"), of.get("assetId")).finally(() => (window.isDone = true));`,
      "index.html": '<!doctype html><title>Shop</title><body></body><script type="module" src="./page.js"></script>',
    }),
  ]);
  delete process.env.NODE_ENV;
  const outDir = project.file("built");
  await build({ root: project.folder, configFile: false, logLevel: "error", base: "./", build: { outDir } });
  shop = await serve(outDir);
  browser = await launch();
});
after(async () => {
  await browser?.close();
  await shop?.stop();
  await Promise.all([server?.stop(), project?.remove()]);
});

/** Runs the demonstration, and calls `look` with the report on a forged asset while the demonstration still runs. */
const forged = (profile, look) =>
  keptDemo(server.url, ["--profile", profile], async (output) => {
    const reports = await Promise.all(badgesIn(output).map(async (badge) => (await fetch(badge.replace("/badge?", "/badge.json?"))).json()));
    const { data } = reports.find(({ data }) => data.valid === false && FORGED.test(data.metadata.name)) ?? assert.fail(`nothing is forged:\n${output}`);
    await look(data);
  });

/** Returns the shop page's text about an asset. `change` changes the service's report. */
async function shown({ ledger, asset }, change = (data) => data) {
  const context = await openContext(browser);
  try {
    const page = await context.newPage();
    await page.route("**/badge.json?*", async (route) => {
      const response = await route.fetch();
      const report = await response.json();
      await route.fulfill({ response, json: { ...report, data: change(report.data) } });
    });
    const of = new URLSearchParams({ service: server.url.replace(/\/$/, ""), ledgerId: ledger.id, assetId: asset.id });
    await page.goto(new URL(`index.html?${of}`, shop.url).href);
    await page.waitForFunction(() => window.isDone);
    return await page.innerText("body");
  } finally {
    await context.close();
  }
}

const INVALID = "This certificate is not valid.";
const UNCHECKED = "This certificate could not be checked.";

for (const profile of ["AIH-2", "AIH-1"]) {
  test(`${profile}: a shop's page built from the README refuses the demonstration's forged certificate`, { skip }, () =>
    forged(profile, async (data) => {
      const { asset, evidence, metadata } = data;
      const certified = data.metadata.name.replace(FORGED, "");
      const genuine = (data) => ({ ...data, metadata: { ...data.metadata, name: certified } });
      assert.equal(await shown(data), INVALID);
      assert.equal(await shown(data, genuine), certified);
      // The certificate copied to another asset. Only evidence of AIH-2 reveals such a copy.
      if (profile === "AIH-2") {
        const copy = { ...genuine(data), asset: { ...asset, id: `${asset.id}7` } };
        assert.equal(await shown(copy, () => copy), INVALID);
      }
      // Other changes of the report.
      const rest = Object.fromEntries(Object.entries(genuine(data).metadata).filter(([key]) => key !== "name"));
      for (const [what, change, expected] of [
        ["another imprint", (data) => ({ ...genuine(data), asset: { ...data.asset, imprint: "ab".repeat(32) } }), INVALID],
        ["an asset that is withdrawn", (data) => ({ ...genuine(data), asset: { ...data.asset, imprint: null } }), UNCHECKED],
        ["no evidence", (data) => ({ ...genuine(data), evidence: null }), UNCHECKED],
        ["a value that is hidden", (data) => ({ ...genuine(data), metadata: { ...genuine(data).metadata, hours: 96 } }), INVALID],
        ...(evidence.values
          ? [
              [
                "a genuine value among forged ones",
                (data) => ({ ...data, evidence: { ...evidence, values: evidence.values.map(([path, value]) => [path, path[0] === "name" ? metadata.name : value]) } }),
                INVALID,
              ],
              // The page shows only the values of the evidence, not the metadata.
              ["no metadata", (data) => ({ ...data, metadata: null }), certified],
              ["metadata without a name", (data) => ({ ...data, metadata: rest }), INVALID],
            ]
          : []),
      ]) {
        assert.equal(await shown(data, change), expected, what);
      }
    }),
  );
}
