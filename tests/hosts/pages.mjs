// Opens built pages in Chromium.
import assert from "node:assert/strict";
import { launch, openContext } from "../pages/browser.mjs";
import { serve } from "../packages/static.mjs";

/** Starts a browser. `told(folder, page)` returns the text that the program writes into a page of a folder. */
export async function startBrowser() {
  const browser = await launch();
  async function at(address) {
    const context = await openContext(browser);
    try {
      const page = await context.newPage();
      const wrong = [];
      page.on("console", (message) => message.type() === "error" && !message.location().url.endsWith("/favicon.ico") && wrong.push(message.text()));
      page.on("pageerror", (error) => wrong.push(String(error)));
      await page.goto(address);
      await page.waitForFunction(() => document.querySelector("[data-told]"), undefined, { timeout: 30_000 }).catch(() => assert.fail(wrong.join("\n") || "the page shows nothing"));
      assert.deepEqual(wrong, []);
      return await page.evaluate(() => document.querySelector("[data-told]").dataset.told);
    } finally {
      await context.close();
    }
  }
  return {
    at,
    async told(folder, name = "index.html") {
      const server = await serve(folder);
      try {
        return await at(new URL(name, server.url).href);
      } finally {
        await server.stop();
      }
    },
    stop: () => browser.close(),
  };
}
