// The console of an issuer, `/console/`, in Chromium.
import assert from "node:assert/strict";
import { randomBytes } from "node:crypto";
import { readFile } from "node:fs/promises";
import { after, before, test } from "node:test";
import { gzipSync } from "node:zlib";
import { ActionKind, Client, LedgerCapability, PrivateKeyProvider, Priority } from "@assay/client";
import { assertAccessible } from "./axe.mjs";
import { file, listening, reload, serveSources, shoot, skip, start } from "./browser.mjs";

const CONSOLE = "/console/?lang=en";

let host;
before(async () => {
  if (!skip) host = await start({ vars: { ENVIRONMENT: "development", DEPOSITS: "test" } });
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

/** Returns a new account with a register and these certificates, and the account's key. */
async function issuerOf(ids) {
  const key = newKey();
  const client = new Client({ provider: await PrivateKeyProvider.from(key), apiUrl: new URL(host.url).origin });
  await client.init();
  await client.createDeposit(100_000);
  const { accountId: me } = client.provider;
  const ledger = {
    name: "Course certificates",
    symbol: "COURSE",
    uriPrefix: `${host.url}/files/`,
    uriPostfix: "",
    schemaId: "0".repeat(64),
    capabilities: [LedgerCapability.DESTROY_ASSET, LedgerCapability.UPDATE_ASSET],
    ownerId: me,
  };
  const deployed = await client.createDeployment(ledger, Priority.MEDIUM);
  const { ledgerId } = (await client.waitForDeployment(deployed.data.ref)).data;
  const actions = ids.map((id) => ({ kind: ActionKind.CREATE_ASSET, assetLedgerId: ledgerId, id, imprint: "a".repeat(64), senderId: me, receiverId: me }));
  const sent = await client.createOrder({ actions, signersIds: [me], payerId: me, wildcardSigner: false, automatedPerform: true }, Priority.MEDIUM);
  await client.waitForOrder(sent.data.ref);
  return { client, key, ledgerId };
}

/** Enters people into the book of the page's browser. */
async function enter(page, entries) {
  await serveSources(page);
  await page.evaluate(async (given) => {
    const { entryOf, keepEntries } = await import("/lib/book.ts");
    await keepEntries(given.map((one) => entryOf(one, 1)));
  }, entries);
}

const FAMILY = ["Lovelace", "Hopper", "Noether", "Müller"];
const personOf = (ledger, index) => ({ ledger, asset: String(1_000_000 + index), holder: `Person ${index} ${FAMILY[index % 4]}`, email: `p${index}@example.com`, title: "Logic" });
const row = (page, text) => page.locator(".rows .row", { hasText: text });

test("one person among 10,000 is found by name, and exactly that certificate is withdrawn", { skip }, async () => {
  const { client, key, ledgerId } = await issuerOf(["1004321", "1004322", "7"]);
  await host.visit(
    CONSOLE,
    async (page) => {
      await enter(page, [...Array.from({ length: 10_000 }, (_, index) => personOf(ledgerId, index)), { ledger: ledgerId, asset: "7", holder: '=HYPERLINK("x")' }]);
      await page.check("#stay");
      await signIn(page, key);
      await account(page).waitFor({ state: "visible" });
      const asked = [];
      page.on("request", (request) => asked.push(new URL(request.url()).pathname));
      await reload(page);
      await row(page, "Person 4321 Hopper").waitFor();
      assert.equal(await page.locator(".rows .row").count(), 3);
      // Each of these requests would be another round trip before the first rows.
      assert.deepEqual(
        asked.filter((path) => /^\/(health|account|ledgers\/.*)$/.test(path)),
        ["/account"],
      );
      await page.locator("#count", { hasText: "3 certificates are in force." }).waitFor();
      await shoot(page, "console-list");
      const begun = performance.now();
      await page.fill("#find", "person 4321");
      await row(page, "Person 4321 Hopper").locator("a").click();
      await page.locator("#history li", { hasText: "Issued" }).waitFor();
      console.log(`one of 10,000 people found with 2 actions in ${Math.round(performance.now() - begun)} ms`);
      assert.equal(await page.evaluate(() => document.activeElement.id), "one-title");
      assert.match(await page.locator("#one-send").getAttribute("href"), /^mailto:p4321%40example\.com\?subject=Logic&body=Hello%20Person%204321%20Hopper/);
      await shoot(page, "console-one");

      await page.click("#one-withdraw");
      const dialog = page.locator("#withdraw-dialog");
      assert.match(await dialog.innerText(), /Person 4321 Hopper, Logic, 1004321/);
      await shoot(page, "console-withdraw");
      await page.fill("#reason", "Issued by mistake");
      await page.fill("#last-digits", "4322");
      await page.click("#confirm");
      await dialog.getByText("These are not the last four digits").waitFor();
      await page.fill("#last-digits", "4321");
      await page.click("#confirm");
      // The key is not kept, so the first order after a reload asks for it.
      const unlock = page.locator("#unlock");
      await unlock.getByLabel("Open a key file").setInputFiles(keyFile(newKey()));
      await unlock.getByText("This is the key of another account").waitFor();
      await shoot(page, "console-unlock");
      await unlock.getByLabel("Open a key file").setInputFiles(keyFile(key));
      await page.locator("#answer[data-kind=withdrawn]").waitFor();
      const left = (await client.getLedgerAssets(ledgerId)).data.map(({ id }) => id);
      assert.deepEqual(left.sort(), ["1004322", "7"]);
      await page.locator("#history li", { hasText: "Issued by mistake" }).waitFor();
      assert.equal(await page.locator("#count").textContent(), "2 certificates are in force. One was withdrawn.");

      await page.goBack();
      await page.locator("#list-part").waitFor();
      assert.equal(await page.inputValue("#find"), "person 4321");
      await page.fill("#find", "");
      const [saved] = await Promise.all([page.waitForEvent("download"), page.click("#save-table")]);
      assert.equal(saved.suggestedFilename(), "certificates.csv");
      const lines = (await readFile(await saved.path(), "utf8")).trim().split(/\r?\n/);
      assert.equal(lines.length, 3);
      // A spreadsheet must not run a name.
      assert.ok(lines.some((line) => line.startsWith(`7,"'=HYPERLINK(""x"")"`)) && !lines.some((line) => /,"?=/.test(line)), lines.join("\n"));
      await page.selectOption("#status", "withdrawn");
      await row(page, "Person 4321 Hopper").waitFor();
      assert.equal(await page.locator(".rows .row").count(), 1);
    },
    { expected: [/status of 404/] },
  );
});

test("a list of 100,000 certificates draws only the rows in the window, also on a phone", { skip }, async () => {
  const { key, ledgerId, client } = await issuerOf(["7"]);
  const ledgerRef = (await client.getLedgers()).data[0].ref;
  const assetAt = (index) => ({
    id: String(9_000_000 - index),
    ledgerRef,
    ledgerId,
    ownerId: client.provider.accountId,
    imprint: "a".repeat(64),
    uri: "x",
    createdAt: new Date(Date.UTC(2026, 5, 30) - index * 60_000).toISOString(),
    updatedAt: "2026-06-30T00:00:00.000Z",
    createdBy: client.provider.accountId,
    status: "in-force",
    replacedAt: null,
    endedAt: null,
    endedBy: null,
    reason: null,
  });
  const envelope = (data, meta) => ({ json: { data, id: "1", status: 200, meta: { skip: 0, limit: data.length, ...meta } } });
  await host.visit(
    CONSOLE,
    async (page) => {
      const months = [{ month: "2026-06", issued: 100_000, inForce: 100_000, replaced: 0, withdrawn: 0 }];
      await page.route("**/certificates/counts?*", (route) => route.fulfill(envelope([{ ledgerRef, ledgerId, months }], { total: 1 })));
      await page.route("**/certificates?*", (route) => {
        const query = new URL(route.request().url()).searchParams;
        const start = Number(query.get("after") ?? 0);
        const data = Array.from({ length: Number(query.get("limit")) }, (_, index) => assetAt(start + index));
        return route.fulfill(envelope(data, { total: 100_000, ...(start + data.length < 100_000 ? { next: String(start + data.length) } : {}) }));
      });
      await page.route("**/badge.json?*", (route) => route.fulfill({ status: 503, json: {} }));
      await enter(page, [{ ...personOf(ledgerId, 1), asset: "9000000", holder: '=HYPERLINK("x")' }]);
      await signIn(page, key);
      await page.locator("#count", { hasText: "100000 certificates" }).waitFor();
      const drawn = page.locator(".rows .row");
      for (let turn = 0; turn < 10; turn += 1) {
        const before = await page.evaluate(() => document.documentElement.scrollHeight);
        await page.evaluate(() => scrollTo(0, document.documentElement.scrollHeight));
        await page.waitForFunction((height) => document.documentElement.scrollHeight > height, before);
        assert.ok((await drawn.count()) < 80, `${await drawn.count()}`);
      }
      await page.evaluate(() => scrollTo(0, 0));
      await row(page, "HYPERLINK").waitFor();
      await assertAccessible(page);
      if (process.env.ASSAY_SHOTS) await page.screenshot({ path: `${process.env.ASSAY_SHOTS}/console-phone.png` });
      assert.ok((await page.evaluate(() => document.documentElement.scrollWidth)) <= 360);
      await page.click("#views-button");
      await page.getByRole("link", { name: "Register book" }).click();
      await page.locator("#book-size", { hasText: "one certificate" }).waitFor();
      assert.equal(await page.evaluate(() => document.activeElement.id), "view-title");
      await assertAccessible(page);
      await shoot(page, "console-book");
      const [saved] = await Promise.all([page.waitForEvent("download"), page.click("#book-save")]);
      page.once("dialog", (dialog) => dialog.accept());
      await page.click("#book-remove");
      await page.getByText("Your book is empty.").waitFor();
      await page.locator("#book-files").setInputFiles(await saved.path().then(async (path) => ({ name: saved.suggestedFilename(), mimeType: "application/json", buffer: await readFile(path) })));
      await page.locator("#book-size", { hasText: "one certificate" }).waitFor();
      await page.goBack();
      await row(page, "HYPERLINK").locator("a").click();
      await page.locator("#one").waitFor();
      await assertAccessible(page);
      await shoot(page, "console-one-phone");
      await page.click("#one-withdraw");
      await page.locator("#withdraw-dialog").waitFor();
      await assertAccessible(page);
    },
    { viewport: { width: 360, height: 780 }, colorScheme: "dark", bypassCSP: true, expected: [/status of (400|404|503)/] },
  );
});
