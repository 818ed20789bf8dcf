// The elements as the service itself serves them, with certificates of the demonstration.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { skip } from "../pages/browser.mjs";
import { badgesIn, keptDemo } from "../support/demo.mjs";
import { startServer } from "../support/server.mjs";
import { reaches, startSite } from "./host.mjs";

/** A ledger that the service does not have. */
const LEDGER = "0xf9196f9f176fd2ef9243e8960817d5fbe63d79aa";
const SETTINGS = { ENVIRONMENT: "development", DEPOSITS: "test", ALLOW_PRIVATE_FETCH: "true", BADGE_CACHE_SECONDS: "1" };

let site;
let server;
let service;
before(async () => {
  if (skip) return;
  [site, server] = await Promise.all([startSite(), startServer({ vars: SETTINGS, sweepEvery: 1 })]);
  service = server.url.replace(/\/$/, "");
});
after(async () => {
  await site?.stop();
  await server?.stop();
});

const markupOf = (name, asset) => `<assay-${name} service="${service}" ledger="${asset.get("ledgerId")}" asset="${asset.get("assetId")}"></assay-${name}>`;

test("any page may load the modules and the library, and read a verdict", { skip }, async () => {
  const paths = ["elements/badge.js", "elements/certificate.js", "elements/check-here.js", "cert/verify/src/init.js", "cert/verify/dist/verify_bg.wasm", `badge.json?ledgerId=${LEDGER}&assetId=1`];
  for (const path of paths) {
    const response = await fetch(new URL(path, server.url), { headers: { origin: "https://shop.example" } });
    assert.equal(response.status, 200, path);
    assert.equal(response.headers.get("access-control-allow-origin"), "*", path);
    await response.arrayBuffer();
  }
});

test("a badge from the service shows that the ledger does not exist", { skip }, () =>
  site.visit(markupOf("badge", new URLSearchParams({ ledgerId: LEDGER, assetId: "1" })), (page) => reaches(page.locator("assay-badge"), "unknown-ledger"), {
    module: `${service}/elements/badge.js`,
    policy: `default-src 'none'; script-src ${service}; connect-src ${service}`,
  }),
);

for (const profile of ["AIH-2", "AIH-1"]) {
  test(`${profile}: the elements distinguish the demonstration's genuine and forged certificates`, { skip }, () =>
    keptDemo(server.url, ["--profile", profile], async (output) => {
      const assets = badgesIn(output).map((badge) => new URL(badge).searchParams);
      assert.equal(assets.length, 2);
      await site.visit(
        assets.map((asset) => markupOf("badge", asset) + markupOf("certificate", asset)).join("\n"),
        async (page) => {
          await page.addScriptTag({ type: "module", url: `${service}/elements/certificate.js` });
          for (const [index, state] of ["issuer-not-confirmed", "changed"].entries()) {
            await reaches(page.locator("assay-badge").nth(index), state);
            const certificate = page.locator("assay-certificate").nth(index);
            await certificate.locator("[part=note]", { hasText: "Checked by your browser" }).waitFor();
            await reaches(certificate, state);
          }
          assert.equal(await page.locator("assay-certificate [part=sheet]").count(), 1);
        },
        { module: `${service}/elements/badge.js`, policy: `default-src 'none'; script-src ${service} 'wasm-unsafe-eval'; connect-src ${service}` },
      );
      // Without WebAssembly, the service's own page checks the certificate in a frame.
      await site.visit(
        markupOf("certificate", assets[0]),
        async (page) => {
          const headline = page.frameLocator("assay-certificate iframe").getByText("Unchanged. Issuer not confirmed", { exact: true });
          await headline.waitFor();
          await page
            .frameLocator("assay-certificate iframe")
            .getByText(/^Checked by your browser/)
            .first()
            .waitFor();
        },
        {
          module: `${service}/elements/certificate.js`,
          policy: `default-src 'none'; script-src ${service}; connect-src ${service}; frame-src ${service}`,
          expected: [/WebAssembly|Content Security Policy|violates/],
        },
      );
    }),
  );
}
