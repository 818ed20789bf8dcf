// Runs Debian's Chromium on the pages that the Worker serves, with functions for a visitor's actions.
import assert from "node:assert/strict";
import { chromium } from "playwright-core";
import { startServer } from "../support/server.mjs";
import { executablePath } from "./chromium.mjs";

export { skip } from "./chromium.mjs";

const FLAGS = ["--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-background-networking", "--disable-component-update", "--disable-sync"];

/** Starts a browser. */
export const launch = () => chromium.launch({ executablePath, args: FLAGS });

/** Starts a server and a browser, which run until `stop`. `options` are the server's. */
export async function start(options = { vars: { ENVIRONMENT: "development" } }) {
  const server = await startServer(options);
  const browser = await launch().catch(async (error) => {
    await server.stop();
    throw error;
  });
  return {
    url: server.url,
    /** Opens a page, runs `act` on it and asserts that the console has no errors. `options` are the browser context's. */
    async visit(address, act, { routes = {}, expected = [], ...options } = {}) {
      const context = await browser.newContext(options);
      try {
        const page = await context.newPage();
        const wrong = [];
        page.on("console", (message) => message.type() === "error" && wrong.push(message.text()));
        page.on("pageerror", (error) => wrong.push(String(error)));
        for (const [pattern, answer] of Object.entries(routes)) await page.route(pattern, (route) => route.fulfill(answer));
        await page.goto(new URL(address, server.url).href);
        await listening(page);
        await act(page);
        const unexpected = wrong.filter((text) => !expected.some((pattern) => pattern.test(text)));
        assert.deepEqual(unexpected, []);
      } finally {
        await context.close();
      }
    },
    async stop() {
      await browser.close();
      await server.stop();
    },
  };
}

/**
 * Waits until the page's modules have run. They first load the texts of the visitor's language, and the event `load` does not wait for
 * them. An earlier click would be lost. A module that fails, or leads to another page, is noticed by the test itself.
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

/** Waits for the page's answer and returns it as a screen reader reads it. */
export async function answerOf(page) {
  const answer = page.locator("#answer:not([data-kind=busy])");
  await answer.waitFor({ state: "visible" });
  return { kind: await answer.getAttribute("data-kind"), text: await answer.innerText() };
}

/** Returns a file for a file field. */
export function file(name, value) {
  const text = typeof value === "string" ? value : JSON.stringify(value);
  return { name, mimeType: "application/json", buffer: Buffer.from(text) };
}

/** Drops files onto an element, like a file manager. */
export async function drop(page, selector, files) {
  const texts = files.map(({ name, mimeType, buffer }) => ({ name, mimeType, text: buffer.toString() }));
  const dataTransfer = await page.evaluateHandle((list) => {
    const transfer = new DataTransfer();
    for (const { name, mimeType, text } of list) transfer.items.add(new File([text], name, { type: mimeType }));
    return transfer;
  }, texts);
  await page.dispatchEvent(selector, "drop", { dataTransfer });
}
