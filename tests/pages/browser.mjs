// Debian's Chromium on the pages as the Worker serves them, and what a person does there.
import assert from "node:assert/strict";
import { chromium } from "playwright-core";
import { startServer } from "../support/server.mjs";
import { executablePath } from "./chromium.mjs";

export { skip } from "./chromium.mjs";

const FLAGS = ["--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-background-networking", "--disable-component-update", "--disable-sync"];

/** A browser, until it is closed. */
export const launch = () => chromium.launch({ executablePath, args: FLAGS });

/** A server and a browser, until `stop`. `options` are the server's. */
export async function start(options = { vars: { ENVIRONMENT: "development" } }) {
  const server = await startServer(options);
  const browser = await launch().catch(async (error) => {
    await server.stop();
    throw error;
  });
  return {
    url: server.url,
    /** Opens a page, runs `act` on it and makes sure that the console stayed without errors. `options` are a browser context's. */
    async visit(address, act, { routes = {}, expected = [], ...options } = {}) {
      const context = await browser.newContext(options);
      try {
        const page = await context.newPage();
        const wrong = [];
        page.on("console", (message) => message.type() === "error" && wrong.push(message.text()));
        page.on("pageerror", (error) => wrong.push(String(error)));
        for (const [pattern, answer] of Object.entries(routes)) await page.route(pattern, (route) => route.fulfill(answer));
        await page.goto(new URL(address, server.url).href);
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

/** The answer as it is read out, once it is more than the promise of one. */
export async function answerOf(page) {
  const answer = page.locator("#answer:not([data-kind=busy])");
  await answer.waitFor({ state: "visible" });
  return { kind: await answer.getAttribute("data-kind"), text: await answer.innerText() };
}

/** A file as it is chosen in a file field. */
export function file(name, value) {
  const text = typeof value === "string" ? value : JSON.stringify(value);
  return { name, mimeType: "application/json", buffer: Buffer.from(text) };
}

/** Drops files onto an element, as a file manager would. */
export async function drop(page, selector, files) {
  const texts = files.map(({ name, mimeType, buffer }) => ({ name, mimeType, text: buffer.toString() }));
  const dataTransfer = await page.evaluateHandle((list) => {
    const transfer = new DataTransfer();
    for (const { name, mimeType, text } of list) transfer.items.add(new File([text], name, { type: mimeType }));
    return transfer;
  }, texts);
  await page.dispatchEvent(selector, "drop", { dataTransfer });
}
