// The console of an issuer, `/console/`, in Chromium.
import assert from "node:assert/strict";
import { randomBytes } from "node:crypto";
import { after, before, test } from "node:test";
import { gzipSync } from "node:zlib";
import { file, listening, reload, shoot, skip, start } from "./browser.mjs";

const CONSOLE = "/console/?lang=en";

let host;
before(async () => {
  if (!skip) host = await start();
});
after(() => host?.stop());

const keyFile = (key) => file("office.key.txt", `${key}\n`);
const newKey = () => randomBytes(32).toString("hex");
const signIn = (page, key) => page.getByLabel("Open a key file").setInputFiles(keyFile(key));
const account = (page) => page.locator("#sign-in code");

test("the console loads at most 60 KB before a view, without WebAssembly", { skip }, () =>
  host.visit("/health", async (page) => {
    const loads = new Set();
    page.on("request", (request) => request.url().startsWith(host.url) && loads.add(request.url()));
    await page.goto(new URL(CONSOLE, host.url).href);
    await listening(page);
    const own = [...loads].filter((url) => !url.endsWith(".wasm"));
    const sizes = await Promise.all(own.map(async (url) => [new URL(url).pathname, gzipSync(await (await page.request.get(url)).body()).length]));
    const total = sizes.reduce((sum, [, size]) => sum + size, 0);
    console.log(`${sizes.length} requests, ${total} bytes gzipped`);
    assert.ok(total <= 60 * 1024, JSON.stringify(sizes));
  }),
);

test("an account without registers gets four steps, and what strangers see now", { skip }, () =>
  host.visit(CONSOLE, async (page) => {
    await signIn(page, newKey());
    await page.locator("#first-steps li").nth(3).waitFor();
    assert.match(await page.locator("#strangers").innerText(), /Issuer not confirmed/);
    await shoot(page, "console-first-steps");
    await page.click("#confirm-domain");
    await page.locator("#domain").waitFor();
  }),
);

test("a session stays after a reload if the person wants it, and ends in all tabs", { skip }, () =>
  host.visit(CONSOLE, async (page) => {
    const key = newKey();
    await signIn(page, key);
    await account(page).waitFor({ state: "visible" });
    const mine = await account(page).innerText();
    await reload(page);
    assert.equal(await account(page).isVisible(), false);
    await page.check("#stay");
    await signIn(page, key);
    await account(page).waitFor({ state: "visible" });
    await reload(page);
    await account(page).waitFor({ state: "visible" });
    assert.equal(await account(page).innerText(), mine);
    assert.doesNotMatch(await page.evaluate(() => JSON.stringify([document.cookie, { ...localStorage }])), new RegExp(key));
    const other = await page.context().newPage();
    await other.goto(new URL(CONSOLE, host.url).href);
    await account(other).waitFor({ state: "visible" });
    await other.getByRole("button", { name: "Use another account" }).click();
    await account(page).waitFor({ state: "hidden" });
    assert.equal(await page.locator("#lead").isVisible(), true);
  }),
);
