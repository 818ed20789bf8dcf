// Runs Debian's Chromium on the pages that the Worker serves, with functions for a visitor's actions.
import assert from "node:assert/strict";
import { mkdir, readFile, writeFile } from "node:fs/promises";
import { stripTypeScriptTypes } from "node:module";
import { fileURLToPath } from "node:url";
import { chromium } from "playwright-core";
import { startServer } from "../support/server.mjs";
import { executablePath } from "./chromium.mjs";

export { skip } from "./chromium.mjs";

const FLAGS = ["--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-background-networking", "--disable-component-update", "--disable-sync"];

/** Starts a browser. */
export const launch = () => chromium.launch({ executablePath, args: FLAGS });

/**
 * Opens a browser context, in which an action may take three minutes. Playwright's limit of 30 s is too short: on a slow machine that runs
 * several tests at a time, the API reference alone took longer. The limit of the test runner ends a test that hangs.
 */
export async function openContext(browser, options = {}) {
  const context = await browser.newContext(options);
  context.setDefaultTimeout(180_000);
  const close = context.close.bind(context);
  // A handler of `route` may still wait for an answer of the service. Its failure after the test would fail the file.
  context.close = async () => {
    await Promise.all([context, ...context.pages()].map((one) => one.unrouteAll({ behavior: "ignoreErrors" })));
    await close();
  };
  return context;
}

/**
 * Ends the routes of a page when the calls of their handlers are over. Playwright's own `unroute` does not wait: a handler that then still answers a request
 * fails, and with it the file.
 */
export const endRoutes = (page) => page.unrouteAll({ behavior: "wait" });

/** The content policies of workers by the folder below `/workers/`. */
export const POLICIES = {
  documents: "default-src 'none'; script-src 'self' 'wasm-unsafe-eval'; connect-src 'self'",
  issuers: "default-src 'none'; script-src 'self'; connect-src https: http://localhost:* http://127.0.0.1:*",
};

/** Asserts that a worker's script has the policy of its folder. */
export async function assertPolicy(page, address) {
  const [, folder] = /^\/workers\/(\w+)\/[\w-]+\.js$/.exec(new URL(address).pathname) ?? [];
  assert.ok(Object.hasOwn(POLICIES, folder ?? ""), address);
  const policy = (await page.request.get(address)).headers()["content-security-policy"];
  assert.ok(policy.split(", ").includes(POLICIES[folder]), `${address}: ${policy}`);
}

/** Starts a server with these options, and a browser. Both run until `stop`. */
export async function start(options = { vars: { ENVIRONMENT: "development" } }) {
  const server = await startServer(options);
  const browser = await launch().catch(async (error) => {
    await server.stop();
    throw error;
  });
  return {
    url: server.url,
    /**
     * Opens a page, runs `act` on it and asserts that the console has no errors, except those that match `expected`. Asserts that each
     * worker that the page started has the policy of its folder. `routes` has the responses to requests by URL pattern. The other options are for the browser context.
     */
    async visit(address, act, { routes = {}, expected = [], ...options } = {}) {
      const context = await openContext(browser, options);
      try {
        const page = await context.newPage();
        const wrong = [];
        page.on("console", (message) => message.type() === "error" && wrong.push(message.text()));
        page.on("pageerror", (error) => wrong.push(String(error)));
        const workers = new Set();
        page.on("worker", (worker) => workers.add(worker.url()));
        for (const [pattern, answer] of Object.entries(routes)) await page.route(pattern, (route) => route.fulfill(answer));
        await page.goto(new URL(address, server.url).href);
        await listening(page);
        await act(page);
        const unexpected = wrong.filter((text) => !expected.some((pattern) => pattern.test(text)));
        assert.deepEqual(unexpected, []);
        for (const worker of workers) await assertPolicy(page, worker);
      } finally {
        await context.close();
      }
    },
    async stop() {
      await Promise.all(browser.contexts().map((context) => context.close()));
      await browser.close();
      await server.stop();
    },
  };
}

/** The folders of modules that tests import into a page, by their addresses. The service itself serves bundles only. */
const SOURCES = { "/client/": "pkg/client/dist/", "/lib/": "www/lib/", "/pkg/": "pkg/", "/lean-qr/": "node_modules/lean-qr/" };

/** Lets a page import modules of the sources, without their types. */
export function serveSources(page) {
  const folderOf = (url) => Object.keys(SOURCES).find((start) => url.pathname.startsWith(start));
  return page.route(
    (url) => folderOf(url) !== undefined,
    async (route) => {
      const url = new URL(route.request().url());
      const start = folderOf(url);
      const path = fileURLToPath(new URL(`../../${SOURCES[start]}${url.pathname.slice(start.length)}`, import.meta.url));
      if (!path.endsWith(".ts")) return route.fulfill({ path });
      const body = stripTypeScriptTypes(await readFile(path, "utf8")).replace("from 'lean-qr'", "from '/lean-qr/index.mjs'");
      return route.fulfill({ contentType: "text/javascript", body });
    },
  );
}

/**
 * Waits until the page's modules have run. They first load the texts of the visitor's language, and the event `load` does not wait for
 * them. An earlier click would be lost. Ignores a module that fails or opens another page, because the test then fails itself.
 */
export async function listening(page) {
  const modules = () => Promise.allSettled([...document.querySelectorAll("script[type=module][src]")].map(({ src }) => import(src)));
  await page.evaluate(modules).catch(() => undefined);
}

/** Reloads the page, and waits until its modules have run. */
export async function reload(page) {
  await page.reload();
  await listening(page);
}

/** Waits until the page shows its answer. Returns the kind and the text of the answer. */
export async function answerOf(page) {
  const answer = page.locator("#answer:not([data-kind=busy])");
  await answer.waitFor({ state: "visible" });
  return { kind: await answer.getAttribute("data-kind"), text: await answer.innerText() };
}

/** Returns a file for a file field or for `drop`. */
export function file(name, value) {
  const text = typeof value === "string" ? value : JSON.stringify(value);
  return { name, mimeType: "application/json", buffer: Buffer.from(text) };
}

/** Drops files onto an element, as a visitor does with a file manager. */
export async function drop(page, selector, files) {
  const texts = files.map(({ name, mimeType, buffer }) => ({ name, mimeType, text: buffer.toString() }));
  const dataTransfer = await page.evaluateHandle((list) => {
    const transfer = new DataTransfer();
    for (const { name, mimeType, text } of list) transfer.items.add(new File([text], name, { type: mimeType }));
    return transfer;
  }, texts);
  await page.dispatchEvent(selector, "drop", { dataTransfer });
}

/** Saves a picture and the printed form of the page, if `ASSAY_SHOTS` names a folder. */
export async function shoot(page, name) {
  const folder = process.env.ASSAY_SHOTS;
  if (!folder) return;
  await mkdir(folder, { recursive: true });
  await page.screenshot({ path: `${folder}/${name}.png`, fullPage: true });
  await writeFile(`${folder}/${name}.pdf`, await page.pdf({ format: "A4" }));
}
