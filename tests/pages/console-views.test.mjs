// The console's views of people, problems, developers, money and the organisation, in Chromium.
import assert from "node:assert/strict";
import { randomBytes } from "node:crypto";
import { readFile } from "node:fs/promises";
import { after, before, test } from "node:test";
import { deflateRawSync, inflateRawSync } from "node:zlib";
import { ActionKind, Client, PrivateKeyProvider, Priority } from "@assay/client";
import { until } from "../support/until.mjs";
import { assertAccessible } from "./axe.mjs";
import { file, listening, shoot, skip, start } from "./browser.mjs";

const LOOK = { viewport: { width: 360, height: 780 }, colorScheme: "dark" };

let host;
before(async () => {
  if (!skip) host = await start({ vars: { ENVIRONMENT: "development", DEPOSITS: "test", FILES: "on" } });
});
after(() => host?.stop());

const newKey = () => randomBytes(32).toString("hex");
const at = (address) => new URL(address, host.url).href;

/** Returns a client with tokens, and its key. */
async function funded() {
  const key = newKey();
  const client = new Client({ provider: await PrivateKeyProvider.from(key), apiUrl: new URL(host.url).origin });
  await client.init();
  await client.createDeposit(100_000);
  return { client, key };
}

/** Counts what people do: presses of a mouse or of a key that acts, and files that they choose. */
async function counting(context, actions) {
  await context.exposeFunction("counted", () => (actions.count += 1));
  await context.addInitScript(() => {
    // A press on a label presses its control too, and counts once.
    addEventListener("click", ({ isTrusted, target }) => isTrusted && !(target instanceof HTMLInputElement && target.labels?.length && target.type === "file") && window.counted(), true);
    addEventListener("change", ({ target }) => target instanceof HTMLInputElement && target.type === "file" && window.counted(), true);
  });
}

/** Fills in a course certificate, and opens a key file. */
async function prepareCourse(page, key) {
  await page.goto(at("/issue/?lang=en"));
  await listening(page);
  await page.locator("[name=template][value=course]").check();
  await page.locator("#form").getByLabel("Course required", { exact: true }).fill("Logic");
  await page.locator("#form").getByLabel("Holder required", { exact: true }).fill("Ada Example");
  await page.getByLabel("Open a key file").setInputFiles(file("key.txt", `${key}\n`));
  await page.locator("#ledger").waitFor();
}

/** Returns the fragment of a whole certificate with another holder. */
function forged(fragment) {
  const copy = JSON.parse(inflateRawSync(Buffer.from(fragment.slice(1), "base64url")));
  const text = JSON.stringify(copy).replaceAll("Ada Example", "Eve Example");
  assert.notEqual(text, JSON.stringify(copy));
  return `1${deflateRawSync(text).toString("base64url")}`;
}

/** The manager prepares a certificate, which the colleague looks at and signs. */
async function reviewed(manager, colleague, { key, theirKey }) {
  // With a kept session, the page for issuing is a view of the console.
  await manager.goto(at("/issue/?lang=en"));
  await manager.waitForURL("**/console/?lang=en#issue");
  await manager.locator("[name=template][value=course]").check();
  await manager.locator("#form").getByLabel("Course required", { exact: true }).fill("Logic");
  await manager.locator("#form").getByLabel("Holder required", { exact: true }).fill("Ada Example");
  // Leaving the view loses nothing.
  await manager.getByRole("link", { name: "Problems" }).click();
  await manager.locator("#problems-count").waitFor();
  await manager.goBack();
  assert.equal(await manager.locator("#form").getByLabel("Holder required", { exact: true }).inputValue(), "Ada Example");
  await manager.selectOption("#reviewer", { label: "Ada Desk" });
  await shoot(manager, "console-issue");
  await assertAccessible(manager);
  await manager.getByRole("button", { name: "Issue the certificate" }).click();
  await manager.locator("#review-link, #unlock-file").first().waitFor();
  if (await manager.locator("#unlock-file").isVisible()) await manager.locator("#unlock-file").setInputFiles(file("key.txt", `${key}\n`));
  const link = await manager.locator("#review-link").innerText();
  const [whole, ref, fragment] = /#review\/([^/]+)\/([\w-]+)$/.exec(link);
  await shoot(manager, "console-issue-review");
  await manager.getByRole("link", { name: "Problems" }).click();
  await manager.locator("#problems-count").waitFor();
  await manager.goBack();
  const [saved] = await Promise.all([manager.waitForEvent("download"), manager.locator("#save-file").click()]);
  await saved.path();

  const open = async (end) => {
    await colleague.goto("about:blank");
    await colleague.goto(at(`/console/?lang=en#review/${ref}/${end}`));
    await listening(colleague);
    await colleague.getByLabel("Open a key file").setInputFiles(file("key.txt", `${theirKey}\n`));
    await colleague.locator("#review-count", { hasText: "One order waits" }).waitFor();
  };
  const sign = colleague.getByRole("button", { name: "Sign", exact: true });
  await open(forged(fragment));
  await colleague.locator("#review-other").waitFor();
  assert.equal(await sign.isDisabled(), true);
  await open("");
  await colleague.getByText("open the link that your colleague sent you").waitFor();
  assert.equal(await sign.isDisabled(), true);
  await open(fragment);
  await colleague.locator("#review-proven").waitFor();
  assert.match(await colleague.locator("#review-paper").innerText(), /Ada Example/);
  await shoot(colleague, "console-review");
  await assertAccessible(colleague);
  await sign.click();
  await colleague.locator("#answer[data-kind=valid]", { hasText: "is being issued" }).waitFor();
  assert.ok(link.endsWith(whole));
  const [, ledger, asset] = /\/c\/(\w+)\/(\d+)$/.exec(await manager.locator("#link").innerText());
  const kindOf = async () => (await (await fetch(at(`/badge.json?ledgerId=${ledger}&assetId=${asset}`))).json()).data.status.kind;
  assert.equal(await until(kindOf, (kind) => kind === "inForce"), "inForce");
}

/** Issues a course certificate with a key file. `register` is a part of the name of a register that is offered. */
async function issueCourse(page, key, register) {
  await prepareCourse(page, key);
  if (register !== undefined) await page.selectOption("#ledger-choice", { label: await page.locator("#ledger-choice option", { hasText: register }).innerText() });
  await page.getByRole("button", { name: "Issue the certificate" }).click();
  await page.locator("#done").waitFor();
  const [saved] = await Promise.all([page.waitForEvent("download"), page.locator("#save-file").click()]);
  await saved.path();
}

/** Opens the view of the register book, and signs in with a key file if the browser did not stay signed in. */
async function openBook(page, key) {
  await page.goto(at("/console/?lang=en#book"));
  await listening(page);
  if (await page.locator("#sign-in input[type=file]").isVisible()) await page.getByLabel("Open a key file").setInputFiles(file("key.txt", `${key}\n`));
  await page.locator("#sharing").waitFor();
}

/** Makes a key for shared books. Returns its recovery key. */
async function makeBookKey(page, key) {
  await page.click("#sharing-key");
  await page.locator("#recovery, #unlock-file").first().waitFor();
  if (await page.locator("#unlock-file").isVisible()) await page.locator("#unlock-file").setInputFiles(file("key.txt", `${key}\n`));
  const recovery = await page.locator("#recovery").innerText();
  await shoot(page, "book-recovery");
  await page.click("#recovery-kept");
  await page.locator("#sharing-state").waitFor();
  return recovery;
}

const stateOf = (page, kind, text = "") => page.locator(`#sharing-state[data-state=${kind}]`, { hasText: text }).waitFor();
const bookOf = (page, count) => page.locator("#book-size", { hasText: `${count} certificates` }).waitFor();

/** The manager and the colleague share their books, and the colleague's browser refuses what the service makes up. */
async function shareBook(manager, colleague, { key, theirKey }) {
  await openBook(manager, key);
  await makeBookKey(manager, key);
  await stateOf(manager, "none");
  await manager.click("#sharing-write");
  await stateOf(manager, "good", /Version 1, changed .* by you/);
  await manager.locator("#readers", { hasText: "No colleague has made a key yet" }).waitFor();

  await openBook(colleague, theirKey);
  const recovery = await makeBookKey(colleague, theirKey);
  // The manager's account is unknown to this browser until the person has compared its digits.
  await stateOf(colleague, "stranger");
  await assertAccessible(colleague);
  await shoot(colleague, "book-stranger");
  await colleague.click("#writer-trust");
  await colleague.locator("#sharing-not-reader").waitFor();
  assert.equal(await colleague.isDisabled("#sharing-write"), true);

  await manager.click("#sharing-read");
  await manager.locator("#readers").getByLabel("Ada Desk").check();
  await shoot(manager, "book-readers");
  await assertAccessible(manager);
  await manager.click("#sharing-write");
  await stateOf(manager, "good", "Version 2");
  const books = `**/ledgers/*/book`;
  let earlier;
  await colleague.route(books, async (route) => {
    const response = await route.fetch();
    earlier = await response.json();
    await route.fulfill({ response });
  });
  await colleague.click("#sharing-read");
  await stateOf(colleague, "good", "Version 2");
  await colleague.unroute(books);
  const { data, ...envelope } = earlier;
  // The manager issued one certificate, and the colleague another one.
  await bookOf(colleague, 2);
  await colleague.click("#sharing-write");
  await stateOf(colleague, "good", /Version 3, changed .* by you/);
  await manager.click("#sharing-read");
  await stateOf(manager, "good", "by Ada Desk");
  await bookOf(manager, 2);
  await shoot(manager, "book-shared");

  const [newest, ...older] = data.versions;
  const eve = `0x${"e".repeat(40)}`;
  const answers = [
    ["older", { data }],
    ["forged", { data: { ...data, versions: [{ ...newest, version: 4, readers: [...newest.readers, eve] }, ...older] } }],
    ["forged", { data: { ...data, versions: [{ ...newest, version: 4, writerId: eve }, ...older] } }],
  ];
  for (const [kind, changes] of answers) {
    await colleague.route(books, (route) => route.fulfill({ json: { ...envelope, ...changes } }));
    await colleague.click("#sharing-read");
    await stateOf(colleague, kind);
    assert.equal(await colleague.locator("#sharing-write").count(), 0);
    await colleague.unroute(books);
  }
  await shoot(colleague, "book-refused");
  // Another content under a signed hash, and a key that its account has not signed.
  await colleague.route("**/ledgers/*/book/*", (route) => route.fulfill({ json: { ...envelope, data: { hash: newest.hash, content: "AAAA" } } }));
  await colleague.click("#sharing-read");
  await colleague.locator("#answer[data-kind=unchecked]", { hasText: "was not signed by the person" }).waitFor();
  await colleague.unroute("**/ledgers/*/book/*");
  await colleague.route("**/ledgers/*/book-keys", async (route) => {
    const { data, ...rest } = await (await route.fetch()).json();
    await route.fulfill({ json: { ...rest, data: { keys: [...data.keys, { ...data.keys[0], accountId: eve }] } } });
  });
  await colleague.click("#sharing-read");
  await colleague.locator("#unsigned", { hasText: "One key was left out" }).waitFor();
  assert.equal(await colleague.locator("#readers li").count(), 1);
  await colleague.unroute("**/ledgers/*/book-keys");

  // The device is lost: the recovery key opens the shared book, and an encrypted file, in another browser.
  const [saved] = await Promise.all([manager.waitForEvent("download"), manager.click("#sharing-save")]);
  const context = await manager.context().browser().newContext();
  const other = await context.newPage();
  await openBook(other, theirKey);
  const sealed = { name: saved.suggestedFilename(), mimeType: "application/octet-stream", buffer: await readFile(await saved.path()) };
  await other.locator("#book-files").setInputFiles(sealed);
  await other.locator("#book-note", { hasText: "has no key for shared books yet" }).waitFor();
  await other.click("#recovering > summary");
  await other.fill("#recovery-entered", recovery.replace(/(.{10})/g, "$1 "));
  await other.getByRole("button", { name: "Use the recovery key" }).click();
  await stateOf(other, "good", "Version 3");
  await bookOf(other, 2);
  await other.locator("#book-files").setInputFiles(sealed);
  await other.locator("#book-note", { hasText: "2 certificates were read, 0 new." }).waitFor();
  await context.close();
}

test("a manager lets a colleague in, who then issues, and takes everything back", { skip }, async () => {
  const { key } = await funded();
  const managing = async (page) => {
    const actions = { count: 0 };
    await issueCourse(page, key);
    await counting(page.context(), actions);
    await page.goto(at("/console/?lang=en#people"));
    await listening(page);
    const begun = performance.now();
    await page.check("#stay");
    await page.getByLabel("Open a key file").setInputFiles(file("key.txt", `${key}\n`));
    await page.locator("#people-list tbody tr").first().waitFor();
    assert.match(await page.locator("#people-list tbody").innerText(), /Without a name.*\(you\)[^]*Everything: /);
    await shoot(page, "people-list");
    await page.click("#invite");
    await page.fill("#inviter-name", "Grace Office");
    const [invitation] = /http\S+#join\S+/.exec(await page.locator("#invitation-text").innerText());
    assert.doesNotMatch(invitation, new RegExp(key));
    await shoot(page, "people-invite");

    const colleague = await page.context().browser().newContext();
    await counting(colleague, actions);
    const joining = await colleague.newPage();
    await joining.goto(invitation);
    await listening(joining);
    assert.match(await joining.locator("#lead").innerText(), /Grace Office/);
    await joining.getByRole("button", { name: "Make a new key" }).click();
    const [saved] = await Promise.all([joining.waitForEvent("download"), joining.getByRole("button", { name: "Save the key file" }).click()]);
    const theirKey = (await readFile(await saved.path(), "utf8")).trim();
    await joining.fill("#own-name", "Ada Desk");
    const text = await joining.locator("#join-text").innerText();
    assert.match(text, /^Hello Grace Office,/);
    const [answer] = /http\S+#people\S+/.exec(text);
    const digits = await joining.locator("#fingerprint").innerText();
    assert.equal(await joining.locator("#inviter-digits").innerText(), await page.locator("#fingerprint").innerText());
    await shoot(joining, "join");

    // The manager opens the link of the answer, in a new tab.
    const manager = await page.context().newPage();
    await manager.goto(`${answer.replace("/console/#", "/console/?lang=en#")}`);
    await manager.locator("#role-form").waitFor();
    assert.equal(await manager.locator("#fingerprint").innerText(), digits);
    assert.equal(await manager.inputValue("#person-name"), "Ada Desk");
    assert.equal(await manager.isChecked("#role-issue"), true);
    await shoot(manager, "people-add");
    await manager.fill("#person-tokens", "50");
    await manager.click("#role-save");
    await shoot(manager, "people-confirm");
    await manager.click("#people-confirm");
    await manager.locator("#unlock-file").setInputFiles(file("key.txt", `${key}\n`));
    await manager.locator("#answer[data-kind=valid]").waitFor();
    assert.equal(await manager.evaluate(() => document.activeElement.id), "answer");

    await issueCourse(joining, theirKey, "set up for you by another account");
    console.log(`a colleague was let in and issued with ${actions.count} presses and files in ${Math.round((performance.now() - begun) / 1000)} s`);

    await shareBook(manager, joining, { key, theirKey });
    await reviewed(manager, joining, { key, theirKey });
    await manager.goto(`${answer.replace("/console/#", "/console/?lang=en#")}`);

    // The register has one certificate of the colleague. Taking everything back keeps it, and ends issuing.
    await manager.click("#list-issued");
    await manager.locator("#issued-by", { hasText: "1 certificate of this account" }).waitFor();
    await shoot(manager, "people-leaving");
    // The colleague may withdraw what they issued: their account first lets the service do so.
    const own = await manager.locator("#issued-by a").getAttribute("href");
    await issueCourse(joining, theirKey, "set up for you by another account");
    await joining.goto(at(`/console/?lang=en${own}`));
    await listening(joining);
    await joining.getByLabel("Open a key file").setInputFiles(file("key.txt", `${theirKey}\n`));
    await joining.click("#one-withdraw");
    await joining.fill("#reason", "Issued by mistake");
    await joining.fill("#last-digits", own.slice(-4));
    await joining.click("#confirm");
    await joining.locator("#answer[data-kind=withdrawn]").waitFor();
    await manager.click("#take-all");
    await manager.click("#people-confirm");
    await manager.locator("#answer[data-kind=valid]", { hasText: "may do nothing" }).waitFor();
    await prepareCourse(joining, theirKey);
    assert.doesNotMatch((await joining.locator("#ledger-choice option").allInnerTexts()).join(), /another account/);
    await colleague.close();

    await manager.getByRole("link", { name: "Back" }).click();
    await manager.locator("#people-list tbody tr").first().waitFor();
    assert.equal(await manager.evaluate(() => document.activeElement.id), "view-title");

    // The link of an impostor has the name of a colleague.
    await manager.goto(at(`/console/?lang=en#people/add/0x${"c".repeat(40)}/ada%20desk`));
    await manager.locator("#same-name").waitFor();
    await manager.goto(at("/console/?lang=en#people"));

    // The last manager may not leave without a warning.
    await manager.locator("#people-list tbody a").click();
    await manager.locator("#take-all").click();
    assert.match(await manager.locator("#people-dialog").innerText(), /nobody can give or take roles on this register, for ever/);
    assert.equal(await manager.isDisabled("#people-confirm"), true);
    await manager.click("#people-cancel");
  };
  await host.visit("/health", managing, { expected: [/status of 40[14]/] });
});

test("people are accessible on a phone", { skip }, () =>
  host.visit(
    "/health",
    async (page) => {
      const { key } = await funded();
      await issueCourse(page, key);
      await page.goto(at("/console/?lang=de#people"));
      await listening(page);
      await page.locator("#sign-in input[type=file]").setInputFiles(file("key.txt", `${key}\n`));
      await page.locator("#people-list tbody a").waitFor();
      const opens = [
        () => {},
        () => page.click("#invite"),
        () => page.goto(at("/console/?lang=de#people/add")),
        () => page.goto(at(`/console/?lang=de#join/0x${"b".repeat(40)}/Grace`)),
        () => page.goto(at(`/console/?lang=de#people/one/0x${"a".repeat(40)}`)),
        () => page.click("#role-save"),
        () => page.goto(at("/console/?lang=de#review")),
        () => page.goto(at("/console/?lang=de#issue")),
        () => page.goto(at("/console/?lang=de#many")),
        async () => {
          await page.goto(at("/console/?lang=de#book"));
          await page.click("#sharing-key");
        },
      ];
      for (const open of opens) {
        await open();
        await page.locator(":is(#people-list, #part-title, #people-dialog, #join-text, #review-count, #templates, #file, #recovery)").first().waitFor();
        await assertAccessible(page);
        assert.ok((await page.evaluate(() => document.documentElement.scrollWidth)) <= 360);
        await shoot(page, `people-phone-${new URL(page.url()).hash.slice(1).replaceAll("/", "-")}`);
      }
    },
    { ...LOOK, bypassCSP: true, expected: [/status of 40[14]/] },
  ),
);

test("problems, organisation, money and developers, on a phone", { skip }, async () => {
  const { client, key } = await funded();
  const { accountId: me } = client.provider;
  const { data: account } = await client.getAccount();
  const actions = [{ kind: ActionKind.TRANSFER_VALUE, valueLedgerId: account.payment.tokenAddress, value: "0.001", senderId: me, receiverId: me }];
  await client.createOrder({ actions, signersIds: [me], payerId: me, wildcardSigner: false, automatedPerform: false }, Priority.MEDIUM);
  const looking = async (page) => {
    const open = async (view, sign) => {
      await page.goto(new URL(`/console/?lang=en#${view}`, host.url).href);
      await sign?.();
      await page.locator(`#views a[aria-current][href="#${view}"]`).waitFor({ state: "attached" });
    };
    const check = async (name) => {
      await assertAccessible(page);
      assert.ok((await page.evaluate(() => document.documentElement.scrollWidth)) <= 360, name);
      await shoot(page, `views-phone-${name}`);
    };
    await open("problems", async () => {
      await listening(page);
      await page.getByLabel("Open a key file").setInputFiles(file("key.txt", `${key}\n`));
    });
    await page.locator("#problems-count", { hasText: "1 problem needs a look." }).waitFor();
    assert.match(await page.locator("#problems-list").innerText(), /An order is signed, but not performed/);
    await check("problems");
    await page.getByRole("button", { name: "Perform it now" }).click();
    await page.locator("#problems-count", { hasText: "0 problems need a look." }).waitFor();
    assert.deepEqual(
      (await client.getOrders({ limit: 1 })).data.map(({ status }) => status),
      [7],
    );

    await open("organisation");
    await page.locator("#standing[data-standing=none]").waitFor();
    await page.click("#domain > summary");
    await page.fill("#domain-name", "127.0.0.1:1");
    await page.click("#check-domain");
    await page.locator("#domain-answer:not(:empty)").waitFor();
    await check("organisation");

    await open("money");
    await page.locator("#prices dt").first().waitFor();
    const balance = await page.locator("#balance").innerText();
    await page.fill("#deposit", "0");
    await page.click("#deposit-begin");
    await page.locator("#answer[data-kind=unchecked]", { hasText: "from 0.01 to 10,000 euros" }).waitFor();
    await page.fill("#deposit", "12,5");
    await page.click("#deposit-begin");
    await page.locator("#answer[data-kind=valid]").waitFor();
    await page.waitForFunction((before) => document.querySelector("#balance").textContent !== before, balance);
    await page.locator("#month-sum", { hasText: "Orders: 1." }).waitFor();
    const [saved] = await Promise.all([page.waitForEvent("download"), page.click("#statement-save")]);
    assert.match(await readFile(await saved.path(), "utf8"), /^\uFEFFDay,Orders,Registers,Permissions,Actions,Tokens\r?\n\d{4}-\d\d-\d\d,1,0,0,/);
    await check("money");

    await open("developers");
    await page.locator("#keys").getByText("No keys.").waitFor();
    await page.click("#key-new");
    await page.fill("#key-name", "Nightly report");
    await page.click("#key-make");
    const secret = await page.locator("#key-secret").innerText();
    assert.equal((await (await fetch(new URL("/account", host.url), { headers: { authorization: `Bearer ${secret}` } })).json()).status, 200);
    await check("developers");
    await page.click("#key-hide");
    assert.equal(await page.locator("#key-secret").count(), 0);
    page.once("dialog", (dialog) => dialog.accept());
    await page.getByRole("button", { name: "Revoke the key Nightly report" }).click();
    await page.locator("#keys").getByText("No keys.").waitFor();
    assert.equal((await fetch(new URL("/account", host.url), { headers: { authorization: `Bearer ${secret}` } })).status, 401);
    await page.locator("#sessions").getByText("This one").waitFor();

    await page.fill("#webhook-url", "https://receiver.example/events");
    await page.click("#webhook-save");
    await page.locator("#webhook-state", { hasText: "Not active yet" }).waitFor();
    await page.click("#webhook-test");
    await page.locator("#answer[data-kind=valid], #answer[data-kind=unchecked]").waitFor();
    page.once("dialog", (dialog) => dialog.accept());
    await page.click("#webhook-remove");
    await page.locator("#webhook-state").waitFor({ state: "detached" });

    await page.locator("#request-list li").first().getByRole("button").click();
    const curl = await page.locator("#request-list pre").innerText();
    assert.match(curl, /^curl .*\$ASSAY_API_KEY/);
    await page.fill("#request-id", "7");
    await page.click("#request-find");
    await page.locator("#answer[data-kind=unchecked]", { hasText: "36 characters" }).waitFor();
    await page.fill("#request-id", await page.locator("#request-list li .hint code").first().innerText());
    await page.click("#request-find");
    await page.locator("#request-found li").waitFor();
  };
  await host.visit("/health", looking, { ...LOOK, bypassCSP: true, expected: [/status of 4(0[0-9]|22)/] });
});
