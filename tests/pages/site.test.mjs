// Rules for every page: it runs only the service's own code, sends no requests to other hosts, and fits a phone.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { gzipSync } from "node:zlib";
import { assertPolicy, listening, skip, start } from "./browser.mjs";

const PAGES = ["/", "/verify/", "/share/", "/issue/", "/issue/many/", "/console/", "/certify/", "/docs/"];

let host;
before(async () => {
  if (!skip) host = await start();
});
after(() => host?.stop());

for (const address of PAGES) {
  test(`${address} loads only its own files, without errors, and has no broken links`, { skip }, () =>
    host.visit(address, async (page) => {
      const asked = await page.evaluate(() => performance.getEntriesByType("resource").map(({ name }) => name));
      assert.deepEqual(
        asked.filter((name) => !name.startsWith(host.url)),
        [],
      );
      const links = await page.evaluate(() => [...document.querySelectorAll("a[href]")].map(({ href }) => href));
      assert.ok(links.length > 2);
      for (const link of new Set(links)) assert.equal((await page.request.get(link)).status(), 200, link);
      assert.equal(await page.evaluate(() => [...document.images].filter((image) => image.naturalWidth === 0).length), 0);
    }),
  );

  test(`${address} runs only the service's scripts, and cannot be framed`, { skip }, () =>
    host.visit(
      address,
      async (page) => {
        // The verify page may load a document's picture from another host, but only over TLS.
        // These pages show the logos of issuers, over TLS.
        const image = `${["/verify/", "/issue/", "/issue/many/", "/console/"].includes(address) ? "http" : "https"}://elsewhere.example/x.png`;
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
    ),
  );

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
    ),
  );
}

test("every page has an icon, its own description and a preview", { skip }, async () => {
  const descriptions = new Set();
  for (const address of PAGES) {
    await host.visit(address, async (page) => {
      const of = (selector, attribute) => page.locator(`head ${selector}`).getAttribute(attribute);
      descriptions.add(await of("meta[name=description]", "content"));
      for (const [link, type] of [
        [await of("link[rel=icon]", "href"), "image/svg+xml"],
        [await of("meta[property='og:image']", "content"), "image/png"],
      ]) {
        const answer = await page.request.get(new URL(link, host.url).href);
        assert.deepEqual([answer.status(), answer.headers()["content-type"]], [200, type], link);
      }
      assert.ok((await of("meta[property='og:title']", "content")).includes("Assay"));
    });
  }
  assert.equal(descriptions.size, PAGES.length);
});

for (const [address, heading] of [
  ["/no-such-page", "Page not found"],
  ["/orders", "This address is for programs"],
  ["/health", "This service is up"],
]) {
  test(`a browser gets a page for ${address}`, { skip }, () =>
    host.visit(
      address,
      async (page) => {
        assert.equal(await page.locator("h1").innerText(), heading);
        assert.ok((await page.evaluate(() => document.documentElement.scrollWidth)) <= 320);
        assert.equal(await page.evaluate(() => [...document.images].filter((image) => image.naturalWidth === 0).length), 0);
      },
      { viewport: { width: 320, height: 640 }, expected: [/status of 40[14]/] },
    ),
  );
}

test("the worker that reads documents may load only its own files", { skip }, () =>
  host.visit(
    "/verify/#expert",
    async (page) => {
      await page.getByRole("button", { name: "Verify", exact: true }).click();
      await page.locator("#answer[data-kind=unchecked]").waitFor();
      const [worker] = page.workers();
      assert.match(new URL(worker.url()).pathname, /^\/workers\/documents\//);
      const reached = await worker.evaluate(() =>
        fetch("https://elsewhere.example/").then(
          () => "reached",
          () => "refused",
        ),
      );
      const policy = await worker.evaluate(
        () =>
          new Promise((resolve) => {
            self.addEventListener("securitypolicyviolation", ({ effectiveDirective }) => resolve(effectiveDirective));
            fetch("https://elsewhere.example/").catch(() => {});
          }),
      );
      assert.deepEqual([reached, policy], ["refused", "connect-src"]);
    },
    { expected: [/Content Security Policy/, /elsewhere\.example/] },
  ),
);

test("files with a hash in their names are immutable, and workers have the policies of their folders", { skip }, () =>
  host.visit("/health", async (page) => {
    const { files } = await (await page.request.get(new URL("/release.json", host.url).href)).json();
    const started = new Set();
    for (const file of files) {
      const address = new URL(file, host.url).href;
      const { "cache-control": cache } = (await page.request.get(address)).headers();
      assert.equal(cache, "public, max-age=31536000, immutable", file);
      if (file.startsWith("/workers/")) {
        await assertPolicy(page, address);
        started.add(file.replace(/-\w+\.js$/, ""));
      }
    }
    assert.deepEqual([...started].sort(), [
      "/workers/documents/badge",
      "/workers/documents/batch",
      "/workers/documents/one",
      "/workers/documents/pdf",
      "/workers/documents/table",
      "/workers/issuers/did",
      "/workers/issuers/issuer",
    ]);
  }),
);

/** The KB of scripts, gzipped, that a page may load before it is used. */
const SCRIPTS = [["/issue/many/", 30]];

for (const [address, most] of SCRIPTS) {
  test(`${address} loads at most ${most} KB of scripts`, { skip }, () =>
    host.visit("/health", async (page) => {
      const scripts = new Set();
      page.on("request", (request) => request.resourceType() === "script" && scripts.add(request.url()));
      await page.goto(new URL(`${address}?lang=en`, host.url).href);
      await listening(page);
      const sizes = await Promise.all([...scripts].map(async (url) => gzipSync(await (await page.request.get(url)).body()).length));
      const total = sizes.reduce((sum, size) => sum + size, 0);
      console.log(`${sizes.length} scripts, ${total} bytes gzipped`);
      assert.ok(sizes.length > 1 && total <= most * 1024, JSON.stringify([...scripts]));
    }),
  );
}

test("scripts, styles and pages are revalidated", { skip }, () =>
  host.visit("/health", async (page) => {
    for (const address of ["/verify/verify.js", "/style.css", "/verify/", "/release.json"]) {
      assert.equal((await page.request.get(new URL(address, host.url).href)).headers()["cache-control"], "public, max-age=0, must-revalidate", address);
    }
  }),
);

const MISSING = [/404/, /Failed to fetch dynamically imported module/, /could not be loaded/];

/**
 * Opens the home page, whose files with these addresses are missing at first. `act` gets the page after its reload. Before the reload, no function may
 * run in the page, because playwright would run it as an action of the visitor.
 */
const visitWithout = (pattern, times, act) =>
  host.visit(
    "/health",
    async (page) => {
      let misses = 0;
      await page.route(pattern, (route) => (misses++ < times ? route.fulfill({ status: 404, body: "" }) : route.continue()));
      const errors = [];
      page.on("pageerror", (error) => errors.push(error));
      let visits = 0;
      const again = new Promise((resolve) => page.on("framenavigated", () => ++visits === 2 && resolve()));
      await page.goto(new URL("/?lang=en#demo", host.url).href, { waitUntil: "commit" });
      await again;
      await act(page, errors);
      assert.equal(visits, 2);
    },
    { expected: MISSING },
  );

for (const [name, pattern] of [
  ["text", "**/chunks/en-*.json"],
  ["module", "**/chunks/demo-*.js"],
  ["worker", "**/workers/documents/*.js"],
]) {
  test(`a page that misses a ${name} of an old release loads itself again`, { skip }, () => visitWithout(pattern, 1, (page) => page.locator("#demo-verdict[data-code]").waitFor()));
}

test("a page whose files stay missing loads itself again only once", { skip }, () =>
  visitWithout("**/chunks/demo-*.js", Infinity, async (page, errors) => {
    // The first page loads itself again, so only the second one reports the error.
    if (errors.length === 0) await page.waitForEvent("pageerror");
    assert.match(String(errors[0]), /A part of this page could not be loaded/);
  }),
);

test("a page that the visitor has used does not load itself again", { skip }, () =>
  host.visit(
    "/verify/?lang=en#expert",
    async (page) => {
      await page.route("**/workers/**", (route) => route.fulfill({ status: 404, body: "" }));
      await page.fill("#metadata", "{}");
      await page.getByRole("button", { name: "Verify", exact: true }).click();
      await page.locator("#answer[data-kind=unchecked]", { hasText: "Reload the page" }).waitFor();
      assert.equal(await page.inputValue("#metadata"), "{}");
    },
    { expected: MISSING },
  ),
);
