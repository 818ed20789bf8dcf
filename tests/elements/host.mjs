// Another site that embeds the elements under its own content security policy, in Chromium.
import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { createRequire } from "node:module";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { launch, openContext } from "../pages/browser.mjs";
import { LEDGER, listen } from "./reports.mjs";

const PACKAGES = fileURLToPath(new URL("../../pkg/", import.meta.url));
/** The folders of the built files, by the first segment of the path on the site. */
const FOLDERS = { elements: "elements/dist/plain", cert: "cert" };
const TYPES = { ".js": "text/javascript", ".wasm": "application/wasm" };
const RULES = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"];
const axe = await readFile(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");

/** Serves the given pages, the elements for pages without a bundler, and the certification library. */
export async function startSite() {
  const pages = new Map();
  const browser = await launch();
  const { origin, stop } = await listen(async (request, response) => {
    const { pathname } = new URL(request.url, "http://site");
    const page = pages.get(pathname);
    if (page !== undefined) {
      response.writeHead(200, { "content-type": "text/html; charset=utf-8", ...page.headers }).end(page.body);
      return;
    }
    try {
      const [, folder, ...rest] = path.posix.normalize(pathname).split("/");
      const body = await readFile(path.join(PACKAGES, FOLDERS[folder], ...rest));
      response.writeHead(200, { "content-type": TYPES[path.extname(pathname)] ?? "application/octet-stream" }).end(body);
    } catch {
      response.writeHead(404).end();
    }
  });
  let count = 0;
  return {
    origin,
    browser,
    /**
     * Opens a page with `body` under `policy`, and runs `act` on it. Asserts that the console has only `expected` errors. `module` is the
     * script, by default the badge's module.
     */
    async visit(body, act, { policy, module = "/elements/badge.js", lang = "en", expected = [], head = "", ...options } = {}) {
      count += 1;
      const address = `/page${count}`;
      const headers = policy === undefined ? {} : { "content-security-policy": policy };
      pages.set(address, {
        headers,
        body: `<!doctype html><html lang="${lang}"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width"><title>A shop</title>${head}<script type="module" src="${module}"></script></head><body><main><h1>A shop</h1>${body}</main></body></html>`,
      });
      const context = await openContext(browser, options);
      try {
        const page = await context.newPage();
        const wrong = [];
        page.on("console", (message) => message.type() === "error" && !message.location().url.endsWith("/favicon.ico") && wrong.push(message.text()));
        page.on("pageerror", (error) => wrong.push(String(error)));
        await page.goto(`${origin}${address}`);
        await act(page, wrong);
        assert.deepEqual(
          wrong.filter((text) => !expected.some((pattern) => pattern.test(text))),
          [],
        );
      } finally {
        await context.close();
      }
    },
    async stop() {
      await browser.close();
      await stop();
    },
  };
}

/** Returns the markup of an element. */
export const markup = (name, service, asset, content = "", more = "") => `<${name} ledger="${LEDGER}" asset="${asset}" service="${service}" ${more}>${content}</${name}>`;

/** Waits until an element has one of the states. */
export async function reaches(locator, ...states) {
  await locator.waitFor({ state: "attached" });
  await locator.page().waitForFunction(([element, names]) => names.some((name) => element.matches(`:state(${name})`)), [await locator.elementHandle(), states]);
}

/** Asserts that a page has no violation of WCAG 2.2 AA that axe-core finds. */
export async function isAccessible(page) {
  await page.evaluate(axe);
  const { violations } = await page.evaluate((values) => window.axe.run(document, { runOnly: { type: "tag", values } }), RULES);
  assert.deepEqual(
    violations.map(({ id, nodes }) => [id, nodes.map(({ html }) => html)]),
    [],
  );
}
