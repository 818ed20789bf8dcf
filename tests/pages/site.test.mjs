// Rules for every page: it runs only the service's own code, sends no requests to other hosts, and fits a phone.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { skip, start } from "./browser.mjs";

const PAGES = ["/", "/verify/", "/share/", "/issue/", "/issue/many/", "/issued/", "/certify/", "/docs/"];

let host;
before(async () => {
  if (!skip) host = await start();
});
after(() => host?.stop());

for (const address of PAGES) {
  test(`${address} loads only its own files, without errors, and has no broken links`, { skip }, () =>
    host.visit(address, async (page) => {
      const asked = await page.evaluate(() => performance.getEntriesByType("resource").map(({ name }) => name));
      assert.deepEqual(asked.filter((name) => !name.startsWith(host.url)), []);
      const links = await page.evaluate(() => [...document.querySelectorAll("a[href]")].map(({ href }) => href));
      assert.ok(links.length > 2);
      for (const link of new Set(links)) assert.equal((await page.request.get(link)).status(), 200, link);
      assert.equal(await page.evaluate(() => [...document.images].filter((image) => image.naturalWidth === 0).length), 0);
    }));

  test(`${address} runs only the service's scripts, and cannot be framed`, { skip }, () =>
    host.visit(
      address,
      async (page) => {
        // The verify page may load a document's picture from another host, but only over TLS.
        // These pages show the logos of issuers, over TLS.
        const image = `${["/verify/", "/issue/", "/issued/"].includes(address) ? "http" : "https"}://elsewhere.example/x.png`;
        await page.evaluate((source) => {
          window.blocked = new Set();
          document.addEventListener("securitypolicyviolation", (event) => window.blocked.add(event.effectiveDirective));
          const script = document.createElement("script");
          script.textContent = "window.intruded = true";
          const image = document.createElement("img");
          image.src = source;
          document.body.append(script, image);
          fetch("https://elsewhere.example/").catch(() => {});
        }, image);
        await page.waitForFunction(() => ["connect-src", "img-src", "script-src-elem"].every((directive) => window.blocked.has(directive)));
        assert.equal(await page.evaluate(() => window.intruded), undefined);
        const headers = (await page.request.get(new URL(address, host.url).href)).headers();
        assert.equal(headers["content-security-policy"], "frame-ancestors 'none'");
        assert.equal(headers["x-content-type-options"], "nosniff");
        assert.equal(headers["cross-origin-opener-policy"], "same-origin");
        assert.equal(headers["strict-transport-security"], "max-age=31536000");
      },
      { expected: [/Content Security Policy/] },
    ));

  test(`${address} fits a phone, and labels its parts`, { skip }, () =>
    host.visit(
      address,
      async (page) => {
        assert.ok((await page.evaluate(() => document.documentElement.scrollWidth)) <= 320);
        assert.equal(await page.locator("h1").count(), 1);
        assert.equal(await page.locator("main").count(), 1);
        assert.notEqual(await page.title(), "");
      },
      { viewport: { width: 320, height: 640 } },
    ));
}

test("every page has an icon, its own description and a preview", { skip }, async () => {
  const descriptions = new Set();
  for (const address of PAGES) {
    await host.visit(address, async (page) => {
      const of = (selector, attribute) => page.locator(`head ${selector}`).getAttribute(attribute);
      descriptions.add(await of("meta[name=description]", "content"));
      for (const [link, type] of [[await of("link[rel=icon]", "href"), "image/svg+xml"], [await of("meta[property='og:image']", "content"), "image/png"]]) {
        const answer = await page.request.get(new URL(link, host.url).href);
        assert.deepEqual([answer.status(), answer.headers()["content-type"]], [200, type], link);
      }
      assert.ok((await of("meta[property='og:title']", "content")).includes("Assay"));
    });
  }
  assert.equal(descriptions.size, PAGES.length);
});

for (const [address, heading] of [["/no-such-page", "Page not found"], ["/orders", "This address is for programs"], ["/health", "This service is up"]]) {
  test(`a browser gets a page for ${address}`, { skip }, () =>
    host.visit(
      address,
      async (page) => {
        assert.equal(await page.locator("h1").innerText(), heading);
        assert.ok((await page.evaluate(() => document.documentElement.scrollWidth)) <= 320);
        assert.equal(await page.evaluate(() => [...document.images].filter((image) => image.naturalWidth === 0).length), 0);
      },
      { viewport: { width: 320, height: 640 }, expected: [/status of 40[14]/] },
    ));
}

test("the worker that reads documents may load only its own files", { skip }, () =>
  host.visit(
    "/verify/#expert",
    async (page) => {
      const policies = (await page.request.get(new URL("/lib/worker.js", host.url).href)).headers()["content-security-policy"];
      assert.match(policies, /default-src 'none'; script-src 'self' 'wasm-unsafe-eval'; connect-src 'self'/);
      await page.getByRole("button", { name: "Verify", exact: true }).click();
      await page.locator("#answer[data-kind=unchecked]").waitFor();
      const [worker] = page.workers();
      const reached = await worker.evaluate(() => fetch("https://elsewhere.example/").then(() => "reached", () => "refused"));
      const policy = await worker.evaluate(() => new Promise((resolve) => {
        self.addEventListener("securitypolicyviolation", ({ effectiveDirective }) => resolve(effectiveDirective));
        fetch("https://elsewhere.example/").catch(() => {});
      }));
      assert.deepEqual([reached, policy], ["refused", "connect-src"]);
    },
    { expected: [/Content Security Policy/, /elsewhere\.example/] },
  ));
