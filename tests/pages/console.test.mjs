// The console of an issuer, `/console/`, in Chromium.
import assert from "node:assert/strict";
import { randomBytes } from "node:crypto";
import { readFile } from "node:fs/promises";
import { after, before, test } from "node:test";
import { gzipSync } from "node:zlib";
import { ActionKind, Client, LedgerCapability, PrivateKeyProvider, Priority } from "@assay/client";
import { assertAccessible } from "./axe.mjs";
import { endRoutes, file, listening, reload, serveSources, shoot, skip, start } from "./browser.mjs";

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
    // A balance that is too low leads to Money and back, and the form stays.
    await page.goto(new URL(`${CONSOLE}#issue`, host.url).href);
    await page.locator("[name=template][value=course]").check();
    await page.locator("#form").getByLabel("Holder required", { exact: true }).fill("Ada Example");
    await page.locator("#costs.problem").getByRole("link", { name: "Add tokens" }).click();
    await page.fill("#deposit", "10");
    await page.click("#deposit-begin");
    await page.locator("#answer[data-kind=valid]").waitFor();
    await shoot(page, "console-money-back");
    await page.locator("#money-back a").click();
    await page.locator("#costs.hint", { hasText: /^This costs 8 tokens\. Your account has 23[\d.]+\./ }).waitFor();
    assert.equal(await page.locator("#form").getByLabel("Holder required", { exact: true }).inputValue(), "Ada Example");
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
    // The book, and the names of colleagues, would stay for the next person.
    await enter(other, [{ ledger: `0x${"a".repeat(40)}`, asset: "1", holder: "Ada Lovelace" }]);
    await other.evaluate((account) => localStorage.setItem("assay.contacts", JSON.stringify({ [account]: "Grace" })), `0x${"b".repeat(40)}`);
    const keys = (act) =>
      other.evaluate(
        async ([act, account]) => (await import("/lib/stored.ts")).within({ database: "assay.book-keys", store: "keys" }, "readwrite", (keys) => keys[act](...(act === "put" ? ["", account] : []))),
        [act, mine],
      );
    await keys("put");
    const leave = other.getByRole("button", { name: "Use another account" });
    await leave.click();
    await other.locator("#stays", { hasText: "the holder of one certificate" }).waitFor();
    await assertAccessible(other);
    await shoot(other, "console-sign-out");
    await other.getByRole("button", { name: "Cancel" }).click();
    assert.equal(await account(page).isVisible(), true);
    await leave.click();
    await other.check("#remove-book");
    await other.getByLabel("The key of one account for shared books").check();
    await other.click("#sign-out");
    await account(page).waitFor({ state: "hidden" });
    assert.equal(await keys("count"), 0);
    assert.deepEqual(await other.evaluate(async () => [(await (await import("/lib/book.ts")).readEntries()).size, localStorage.getItem("assay.contacts") === null]), [0, false]);
    assert.equal(await page.locator("#lead").isVisible(), true);
  }),
);

test("the request to save a new key goes once the key is saved, also after a reload", { skip }, () =>
  host.visit(CONSOLE, async (page) => {
    const request = page.getByText("This is a new account.");
    await page.check("#stay");
    await page.getByRole("button", { name: "Make a new key" }).click();
    await request.waitFor();
    await shoot(page, "console-new-key");
    await Promise.all([page.waitForEvent("download"), page.getByRole("button", { name: "Save the key file" }).click()]);
    await request.waitFor({ state: "hidden" });
    await page.getByText("The key file is saved with your downloads.").waitFor();
    assert.equal(await page.evaluate(() => document.activeElement.textContent), "Use another account");
    await shoot(page, "console-key-saved");
    await reload(page);
    await account(page).waitFor({ state: "visible" });
    assert.equal(await request.isVisible(), false);
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
  await issueMore(client, ledgerId, ids);
  return { client, key, ledgerId };
}

/** The rest of an order that an account sends, signs and pays alone. */
const ownOrder = ({ provider: { accountId } }) => ({ signersIds: [accountId], payerId: accountId, wildcardSigner: false, automatedPerform: true });

async function issueMore(client, ledgerId, ids) {
  const { accountId: me } = client.provider;
  const actions = ids.map((id) => ({ kind: ActionKind.CREATE_ASSET, assetLedgerId: ledgerId, id, imprint: "a".repeat(64), senderId: me, receiverId: me }));
  const sent = await client.createOrder({ ...ownOrder(client), actions }, Priority.MEDIUM);
  await client.waitForOrder(sent.data.ref);
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
      await row(page, "Person 4321 Hopper").waitFor();
      const asked = [];
      page.on("request", (request) => asked.push(new URL(request.url()).pathname));
      await reload(page);
      await row(page, "Person 4321 Hopper").waitFor();
      assert.equal(await page.locator(".rows .row").count(), 3);
      // Other requests to these routes would be another round trip before the first rows, and so would a module that the page does not name early.
      assert.deepEqual(
        asked.filter((path) => /^\/(health|account|account\/abilities|deployments|ledgers.*)$/.test(path)),
        // The last one asks for a pause, at the same time as for the rows.
        ["/account", "/deployments", "/ledgers", "/account/abilities", "/health"],
      );
      const late = asked.slice(asked.indexOf("/certificates"));
      assert.deepEqual(
        asked.filter((path, index) => /\.(js|wasm|json)$/.test(path) && path !== "/badge.json" && (asked.indexOf(path) < index || late.includes(path))),
        [],
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

      const dialog = page.locator("#withdraw-dialog");
      await page.click("#one-withdraw");
      await dialog.waitFor();
      await page.goBack();
      await dialog.waitFor({ state: "detached" });
      assert.match(await page.evaluate(() => document.activeElement.textContent), /Person 4321 Hopper/);
      await page.goForward();
      await page.click("#one-withdraw");
      assert.match(await dialog.innerText(), /Person 4321 Hopper, Logic, 1004321/);
      assert.match(await dialog.locator("#withdraw-costs").innerText(), /^This costs [\d.,]+ tokens\. Your account has [\d.,]+\.$/);
      await shoot(page, "console-withdraw");
      await page.fill("#reason", "Issued by mistake");
      await page.fill("#last-digits", "4322");
      await page.click("#confirm");
      await dialog.getByText("These are not the last four digits").waitFor();
      await page.fill("#last-digits", "4321");
      await page.click("#confirm");
      // The key is not kept, so the first order after a reload asks for it. Going back withdraws nothing.
      const unlock = page.locator("#unlock");
      await unlock.waitFor();
      await page.goBack();
      await unlock.waitFor({ state: "detached" });
      await page.goForward();
      await page.click("#one-withdraw");
      await page.fill("#reason", "Issued by mistake");
      await page.fill("#last-digits", "4321");
      await page.click("#confirm");
      await unlock.getByLabel("Open a key file").setInputFiles(keyFile(newKey()));
      await unlock.getByText("This is the key of another account").waitFor();
      await shoot(page, "console-unlock");
      await unlock.getByLabel("Open a key file").setInputFiles(keyFile(key));
      await page.locator("#answer[data-kind=withdrawn]", { hasText: /Withdrawn: .Person 4321 Hopper, Logic., number ending in 4321/ }).waitFor();
      const left = (await client.getLedgerAssets(ledgerId)).data.map(({ id }) => id);
      assert.deepEqual(left.sort(), ["1004322", "7"]);
      await page.locator("#history li", { hasText: "Issued by mistake" }).waitFor();
      assert.equal(await page.locator("#count").textContent(), "One certificate was found. 2 certificates are in force. One was withdrawn.");

      await page.goBack();
      await page.locator("#list-part").waitFor();
      assert.equal(await page.inputValue("#find"), "person 4321");
      // The row stays in sight, and has the focus again.
      await row(page, "Person 4321 Hopper").getByText("Withdrawn").waitFor();
      assert.match(await page.evaluate(() => document.activeElement.textContent), /Person 4321 Hopper/);
      // Another filter keeps the search, and what is known of the found certificates.
      await page.selectOption("#status", "");
      await row(page, "Person 4321 Hopper").getByText("Withdrawn").waitFor();
      await row(page, "Person 4321 Hopper").locator(".date", { hasText: /\d{4}/ }).waitFor();
      await page.selectOption("#status", "inForce");
      await row(page, "Person 4321 Hopper").waitFor({ state: "detached" });
      await page.fill("#find", "");
      await page.check("#tick-all");
      await page.locator("#note", { hasText: "2 of 2 ticked." }).waitFor();
      await page.fill("#find", "person 4322");
      await page.locator("#note", { hasText: "One of 1 ticked. One more is ticked, but not in this search." }).waitFor();
      await page.fill("#find", "");
      await page.uncheck("#tick-all");
      const [saved] = await Promise.all([page.waitForEvent("download"), page.click("#save-table")]);
      assert.equal(saved.suggestedFilename(), "certificates.csv");
      const lines = (await readFile(await saved.path(), "utf8")).trim().split(/\r?\n/);
      assert.equal(lines.length, 3);
      // A spreadsheet must not run a name.
      assert.ok(lines.some((line) => line.startsWith(`7,"'=HYPERLINK(""x"")"`)) && !lines.some((line) => /,"?=/.test(line)), lines.join("\n"));
      await issueMore(client, ledgerId, ["1009999"]);
      await page.click("#list-again");
      await row(page, "Person 9999 Müller").waitFor();
      await page.locator("#count", { hasText: "3 certificates are in force." }).waitFor();
      // Another tab withdraws it meanwhile.
      await row(page, "Person 9999 Müller").locator("input").check();
      const actions = [{ kind: ActionKind.DESTROY_ASSET, assetLedgerId: ledgerId, id: "1009999", senderId: client.provider.accountId }];
      await client.waitForOrder((await client.createOrder({ ...ownOrder(client), actions }, Priority.MEDIUM)).data.ref);
      await page.click("#withdraw");
      await page.fill("#reason", "Issued by mistake");
      await page.fill("#last-digits", "9999");
      await page.click("#confirm");
      await page.locator("#answer", { hasText: /Withdrawn by now: .Person 9999 Müller, Logic/ }).waitFor();
      await row(page, "Person 9999 Müller").getByText("Withdrawn").waitFor();
      await page.selectOption("#status", "withdrawn");
      await row(page, "Person 4321 Hopper").waitFor();
      assert.equal(await page.locator(".rows .row").count(), 2);
      // A list that cannot be read is not called empty.
      await page.route("**/certificates?**", (route) => route.fulfill({ status: 400, json: { id: "x", status: 400, errors: [{ code: 400101, message: "m", path: "" }] } }));
      await page.click("#list-again");
      await page.locator("#list-note", { hasText: "The list could not be read." }).waitFor();
      assert.equal(await page.locator("#list-note").innerText(), "The list could not be read.");
      await endRoutes(page);
      await page.click("#list-again");
      await row(page, "Person 4321 Hopper").waitFor();
      // The service has ended the session, such as from another device.
      await page.route("**/certificates?**", (route) => route.fulfill({ status: 401, json: { id: "x", status: 401, errors: [{ code: 401001, message: "m", path: "" }] } }));
      await page.click("#list-again");
      await page.getByText("Your session has ended. Sign in again").waitFor();
      await page.locator("#sign-in input[type=file]").waitFor();
      assert.equal(await account(page).isVisible(), false);
    },
    { expected: [/status of 400/, /status of 401/, /status of 404/, /status of 422/] },
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
      for (const part of [".number", ".date", ".by"]) assert.ok(await row(page, "HYPERLINK").locator(part).isVisible(), part);
      await page.check("#tick-all");
      const note = /^(\d+) ticked of the \1 read so far\. The list has more\.$/;
      assert.match(await page.locator("#note").innerText(), note);
      assert.ok(Number(note.exec(await page.locator("#note").innerText())[1]) > (await drawn.count()));
      await page.locator("#tick-list").waitFor();
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
