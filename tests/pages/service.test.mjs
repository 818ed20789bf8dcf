// The statements of a service: its operator, the accounts that may issue, the verdict in the page of a certificate, and short links.
import assert from "node:assert/strict";
import { randomBytes } from "node:crypto";
import { readFile } from "node:fs/promises";
import { after, before, test } from "node:test";
import { PrivateKeyProvider } from "@assay/client";
import { until } from "../support/until.mjs";
import { assertAccessible } from "./axe.mjs";
import { drop, file, launch, listening, openContext, shoot, skip, start } from "./browser.mjs";
import { readCode } from "./qr.mjs";
import { answer, ledgerId, privateFile } from "./shared.mjs";

const options = { skip };
const KEY = randomBytes(32).toString("hex");
const { accountId: ACCOUNT } = await PrivateKeyProvider.from(KEY);
const OPERATOR = {
  OPERATOR_NAME: "University <of> Example",
  OPERATOR_CONTACT: "office@uni.example",
  OPERATOR_IMPRINT_URL: "https://uni.example/imprint",
  OPERATOR_PRIVACY_URL: "https://uni.example/privacy?a=1&b=2",
};
let host;
let browser;
before(async () => {
  if (skip) return;
  host = await start({
    vars: { ENVIRONMENT: "development", PAYMENTS: "off", FILES: "on", DEPLOYERS: ACCOUNT, ADMIN_ACCOUNTS: ACCOUNT, CONFIRMED_ACCOUNTS: `${ACCOUNT} University of Example`, ...OPERATOR },
  });
  browser = await launch();
});
after(async () => {
  await browser?.close();
  await host?.stop();
});

const keyFile = (key) => file("uni.key.txt", `${key}\n`);

/** Issues a certificate, and returns the path of its page. */
let issued;
const issue = () => (issued ??= issueOne());
async function issueOne() {
  let path;
  await host.visit("/issue/?lang=en", async (page) => {
    await page.locator("#chosen input[type=file]").setInputFiles(keyFile(KEY));
    await page.getByRole("radio", { name: "Course certificate" }).press("Space");
    await page.locator("#form").getByLabel("Course required", { exact: true }).fill("Applied Cryptography");
    await page.locator("#form").getByLabel("Holder required", { exact: true }).fill("Ada Example");
    await page.locator("#ledger").waitFor();
    await page.getByRole("button", { name: "Issue the certificate" }).press("Enter");
    await page.locator("#done:not([hidden])").waitFor();
    path = new URL(await page.locator("#link").innerText()).pathname;
  });
  return path;
}

for (const address of ["/", "/verify/", "/share/", "/issued/", "/docs/", "/no-such-page", `/c/${ledgerId}/1`, `/s/${"a".repeat(16)}`]) {
  test(`the foot of ${address} names the operator`, options, () =>
    host.visit(
      `${address}?lang=de`,
      async (page) => {
        await page.locator("#operator[data-known]").waitFor();
        await page.locator("#operator", { hasText: "Impressum" }).waitFor();
        assert.equal((await page.locator("#operator").innerText()).replaceAll(/[\u2068\u2069]/g, ""), "Betrieben von University <of> Example · Kontakt · Impressum · Datenschutz");
        const links = await page.locator("#operator a").evaluateAll((all) => all.map((link) => link.getAttribute("href")));
        assert.deepEqual(links, ["mailto:office@uni.example", OPERATOR.OPERATOR_IMPRINT_URL, OPERATOR.OPERATOR_PRIVACY_URL]);
      },
      { expected: [/status of 4\d\d/] },
    ),
  );
}

test("the page of a certificate needs no request for the operator", options, () =>
  host.visit("/health", async (page) => {
    const asked = [];
    page.on("request", (request) => asked.push(new URL(request.url()).pathname));
    await page.goto(new URL(await issue(), host.url).href);
    await page.locator(".checked", { hasText: "Checked by your browser" }).waitFor();
    assert.ok(!asked.includes("/operator") && !asked.includes("/badge.json"), asked.join(" "));
  }),
);

for (const address of ["/issue/", "/issue/many/"]) {
  test(`${address} says first that only chosen accounts may issue`, options, () =>
    host.visit(`${address}?lang=en`, async (page) => {
      await page.locator("#chosen").waitFor();
      assert.match(await page.locator("#page").innerText(), /^Not everybody may issue here/);
      assert.equal(await page.locator("#sign-in").count(), 1);
      const stranger = randomBytes(32).toString("hex");
      await page.locator("#chosen input[type=file]").setInputFiles(keyFile(stranger));
      const { accountId } = await PrivateKeyProvider.from(stranger);
      const message = new URL(await page.locator("#ask-operator").getAttribute("href"));
      assert.equal(message.pathname, "office@uni.example");
      assert.match(message.searchParams.get("body"), new RegExp(`My account is ${accountId}\\.`));
      await page.getByRole("button", { name: "Use another account" }).click();
      await page.locator("#chosen input[type=file]").setInputFiles(keyFile(KEY));
      await page.locator("#may-issue").waitFor();
      assert.equal(await page.locator("#ask-operator").count(), 0);
    }),
  );
}

/** Saves and erases the personal data of an account, after mistakes in its address and in its last characters. */
async function personalData(page, account) {
  await page.fill("#personal-account", "0x12");
  await page.click("#personal-save");
  await page.locator("#answer", { hasText: "This is not an address" }).waitFor();
  await page.fill("#personal-account", account);
  const [saved] = await Promise.all([page.waitForEvent("download"), page.click("#personal-save")]);
  const { items } = JSON.parse(await readFile(await saved.path(), "utf8"));
  assert.ok(
    items.some(({ kind, data }) => kind === "admission" && data.organisation === "Night School"),
    JSON.stringify(items),
  );
  await page.click("#erase");
  await page.fill("#erase-reason", "Asked by the person");
  await page.fill("#erase-digits", "zzzz");
  await page.click("#erase-send");
  await page.locator("#answer", { hasText: "not the last four characters" }).waitFor();
  await page.fill("#erase-digits", account.slice(-4));
  await page.click("#erase-send");
  await page.locator("#answer[data-kind=valid]").waitFor();
}

/** Returns the operator's message while changes are paused, or null. */
const pauseOf = async () => (await (await fetch(new URL("/health", host.url))).json()).data.pause;

test("an account asks to be let in, and the operator lets it in with two presses", options, () =>
  host.visit(
    "/issue/?lang=en",
    async (page) => {
      await issue();
      const stranger = randomBytes(32).toString("hex");
      const { accountId: account } = await PrivateKeyProvider.from(stranger);
      const open = async (address, key) => {
        await page.goto("about:blank");
        await page.goto(new URL(address, host.url).href);
        await listening(page);
        await page.locator("#sign-in input[type=file]").setInputFiles(keyFile(key));
      };
      const check = async (name) => {
        await assertAccessible(page);
        assert.ok((await page.evaluate(() => document.documentElement.scrollWidth)) <= 360, name);
        await shoot(page, name);
      };
      await open("/issue/?lang=en", stranger);
      await page.fill("#admission-organisation", "Night School");
      await page.fill("#admission-contact", "office@night.example");
      await check("admission");
      await page.click("#admission-send");
      await page.locator("#admission-state", { hasText: "Your request reached the operator" }).waitFor();
      // The console says so before the form, too.
      await open("/console/?lang=en#issue", stranger);
      await page.locator("#chosen #admission-state", { hasText: "Your request reached the operator" }).waitFor();
      await open("/console/?lang=en#operator", stranger);
      await page.locator("#operate-refused").waitFor();
      assert.equal(await page.locator('#views a[href="#certificates"]').count(), 1);

      await open("/console/?lang=en#certificates", KEY);
      await page.locator("#list-part").waitFor();
      assert.equal(await page.locator('#views a[href="#operator"]').count(), 0);
      await open("/console/?lang=en#operator", KEY);
      const request = page.locator("#admission-list li", { hasText: "Night School" });
      await request.getByRole("button", { name: "Let in: Night School" }).click();
      await check("operator-admissions");
      await request.getByRole("button", { name: "Let in: Night School" }).click();
      await page.locator("#answer[data-kind=valid]").waitFor();
      assert.equal(await request.count(), 0);
      for (const part of ["pause", "blocks", "stuck", "tokens", "personal", "audit"]) {
        await page.click(`#operate a[href="#operator/${part}"]`);
        await page.locator(`#operate a[aria-current][href="#operator/${part}"]`).waitFor();
        if (part === "personal") await personalData(page, account);
        if (part === "audit") {
          await page.locator("#audit-list li", { hasText: new RegExp(`Let an account in.*Admitted on its request[^]*${account}`, "i") }).waitFor();
          assert.equal(await page.locator("#audit-list", { hasText: "GET /admin/pause" }).count(), 0);
          await page.check("#audit-looks");
          await page.locator("#audit-list", { hasText: "GET /admin/pause" }).waitFor();
          await page.selectOption("#audit-action", { label: "Let an account in" });
          await page.fill("#audit-account", account.slice(2, 12));
          await page.getByText(/Found 1 entry among the newest \d+/).waitFor();
          assert.equal(await page.locator("#audit-list li").count(), 1);
          await page.fill("#audit-account", "0xffffffff");
          await page.getByText(/Found 0 entries/).waitFor();
        }
        await check(`operator-${part}`);
      }

      await open("/console/?lang=en#activity", KEY);
      await page.locator("#activity-list li", { hasText: "Issued a certificate" }).waitFor();
      // The service let this account administer before.
      assert.equal(await page.locator('#views a[href="#operator"]').count(), 1);
      await check("activity");
      const [saved] = await Promise.all([page.waitForEvent("download"), page.click("#activity-save")]);
      assert.match(await readFile(await saved.path(), "utf8"), /^\uFEFFTime,What,Who,.*\r?\n.*,Issued a certificate,/);
      await page.selectOption("#activity-kind", "withdrawn");
      await page.locator("#activity-count", { hasText: "0 events." }).waitFor();

      // People hear of a pause before they begin.
      await open("/console/?lang=en#operator/pause", KEY);
      await page.click("#pause");
      await page.fill("#pause-message", "Back at noon");
      await page.fill("#pause-reason", "Move");
      await page.click("#pause-send");
      await page.locator("#resume").waitFor();
      await until(pauseOf, (message) => message === "Back at noon");
      for (const address of ["/issue/?lang=en", "/issue/many/?lang=en", "/console/?lang=en#activity"]) {
        await open(address, address.startsWith("/console") ? KEY : stranger);
        await page.locator("#paused", { hasText: "The operator has paused changes: “Back at noon”" }).waitFor();
      }
      await check("paused");
      await page.goto(new URL("/console/?lang=en#operator/pause", host.url).href);
      await page.click("#resume");
      await page.click("#resume-send");
      await page.locator("#pause").waitFor();
      await until(pauseOf, (message) => message === null);

      await open("/issue/?lang=en", stranger);
      await page.locator("#may-issue").waitFor();
      assert.equal(await page.locator("#paused").count(), 0);
    },
    { viewport: { width: 360, height: 780 }, colorScheme: "dark", bypassCSP: true, expected: [/status of 403/, /status of 503/] },
  ),
);

/** Opens a page whose scripts never arrive, as it is before they run. */
async function firstPaint(address, act, more = {}) {
  const context = await openContext(browser, more);
  try {
    const page = await context.newPage();
    await page.route("**/*.js", (route) => route.abort());
    await page.goto(new URL(address, host.url).href);
    await act(page);
  } finally {
    await context.close();
  }
}

const seen = async (page) => ({ look: await page.locator(".verdict").getAttribute("data-look"), text: (await page.locator(".headline:visible").allInnerTexts()).join("|") });
const COLOUR = (page) => page.locator(".verdict").evaluate((box) => getComputedStyle(box).getPropertyValue("--look").trim());

test("a favourable statement is grey before scripts run, and a fragment hides it", options, async () => {
  const path = await issue();
  const says = /^127\.0\.0\.1:\d+ says: Valid\. Issued by University of Example, confirmed by /;
  await firstPaint(path, async (page) => {
    const { look, text } = await seen(page);
    assert.equal(look, "grey");
    assert.match(text, says);
    assert.equal(await page.locator("head meta[property='og:image']").getAttribute("content"), new URL("/preview.png", host.url).href);
    assert.equal(await page.title(), "Certificate – Assay");
  });
  for (const hidden of [`${path}#1forged`, `${path}?x=%231forged`]) {
    await firstPaint(hidden, async (page) => {
      assert.deepEqual(await seen(page), { look: "grey", text: "Checking the certificate…" });
      assert.doesNotMatch(await page.locator("main").innerText(), /Valid|public record/);
    });
  }
  // Without scripts, the page says that nothing was checked.
  await firstPaint(
    `${path}#1forged`,
    async (page) => {
      assert.match((await seen(page)).text, says);
      assert.match(await page.locator("main").innerText(), /The certificate was not checked[^]*What the link itself shows was not read/);
    },
    { javaScriptEnabled: false },
  );
});

test("a warning has its look before scripts run, also above a fragment", options, async () => {
  const nowhere = `/c/0x${"9".repeat(40)}/1`;
  for (const address of [nowhere, `${nowhere}#1forged`]) {
    await firstPaint(address, async (page) => {
      assert.deepEqual(await seen(page), { look: "red", text: "Never issued: no such ledger" });
      assert.equal(await page.title(), "Never issued: no such ledger – Assay");
      const picture = await page.locator("head meta[property='og:image']").getAttribute("content");
      const { headers, body } = await page.request.get(picture).then(async (response) => ({ headers: response.headers(), body: await response.body() }));
      assert.deepEqual([new URL(picture).pathname, headers["content-type"], body.readUInt32BE(16), body.readUInt32BE(20)], ["/preview-red.png", "image/png", 1200, 630]);
    });
  }
  // A warning about the public documents says nothing about other values.
  const [ledger, asset] = [ledgerId, "1"];
  await firstPaint(`/c/${ledger}/${asset}#1forged`, async (page) => assert.notEqual(await COLOUR(page), ""));
});

test("a certificate that the visitor goes back to is asked for again", options, () =>
  host.visit("/health", async (page) => {
    const path = await issue();
    await page.goto(new URL(`${path}?lang=en`, host.url).href);
    await page.locator(".checked", { hasText: "Checked by your browser" }).waitFor();
    await page.goto(new URL("/health", host.url).href);
    const asked = page.waitForRequest("**/badge.json?*");
    // Without the browser's memory of whole pages, the page is loaded again.
    await page.goBack();
    const isRestored = await page.evaluate(() => performance.getEntriesByType("navigation")[0].type !== "back_forward");
    if (!isRestored) await asked;
    else asked.catch(() => {});
    await page.locator(".checked", { hasText: "Checked by your browser" }).waitFor();
  }),
);

/** Makes a link of all fields, and then a short one. Returns the short link. */
async function makeShort(page) {
  await page.locator("#ready:not(:empty)").waitFor();
  await drop(page, "body", [file("ada.private.json", privateFile())]);
  await page.locator("#holding:not([hidden])").waitFor();
  await page.getByRole("button", { name: "Tick all" }).click();
  await page.getByRole("button", { name: "Make link and file" }).click();
  await page.locator("#short:not([hidden])").waitFor();
  await page.getByRole("button", { name: "Make a short link" }).click();
  await page.locator("#short-made:not([hidden])").waitFor();
  return page.locator("#short-link").innerText();
}

test("a short link shows what the holder ticked, and ends when the holder ends it", options, () =>
  host.visit(
    "/share/?lang=en",
    async (page) => {
      const sent = [];
      page.on("request", (request) => sent.push(`${request.url()} ${request.postData() ?? ""}`));
      const link = await makeShort(page);
      const { pathname, hash } = new URL(link);
      assert.match(pathname, /^\/s\/[\w-]{16}$/);
      assert.match(hash, /^#[\w-]{22}$/);
      // Neither the key nor a value leaves the browser.
      assert.ok(sent.some((text) => text.includes("/links")));
      for (const text of sent) assert.ok(!text.includes(hash.slice(1)) && !/Ada/.test(text), text);
      const modules = await page.locator("#short-code svg").getAttribute("viewBox");
      const size = Number(modules.split(" ")[2]) - 8;
      assert.ok(size <= 37, `${size} modules`);
      assert.equal(await readCode(page.locator("#short-code svg")), link);

      const other = await page.context().newPage();
      await other.route("**/badge.json?*", (route) => route.fulfill(answer()));
      const open = async (address) => {
        // From the same page with another fragment, the browser would not load it again, and the old headline would still be there.
        await other.goto("about:blank");
        await other.goto(address);
        await other.locator(".paper, #lead:not(:empty)").first().waitFor();
        await other.waitForFunction(() => !/…/.test(document.querySelector("h1, .headline")?.textContent ?? "…"));
      };
      await open(`${link.replace("#", "?lang=en#")}`);
      assert.match(other.url(), new RegExp(`/c/${ledgerId}/1\\?lang=en#1`));
      assert.match(await other.locator(".paper").innerText(), /Ada Example/);
      // Another program wrote the `#` as `%23`.
      await open(link.replace("#", "%23"));
      assert.match(other.url(), new RegExp(`/c/${ledgerId}/1.*#1`));
      const wrong = `${link.slice(0, -1)}${link.endsWith("A") ? "Q" : "A"}`;
      await open(wrong.replace("#", "?lang=en#"));
      assert.equal(await other.locator("h1").innerText(), "This link is incomplete");
      await open(link.slice(0, link.indexOf("#")) + "?lang=en");
      assert.equal(await other.locator("h1").innerText(), "This link is incomplete");

      await page.getByRole("button", { name: "End this link now" }).click();
      await page.locator("#short-note", { hasText: "This link has ended." }).waitFor();
      await open(link.replace("#", "?lang=en#"));
      assert.equal(await other.locator("h1").innerText(), "This link has ended");
      assert.match(await other.locator("#lead").innerText(), /Ask for a new link\./);
    },
    { expected: [/status of 404/] },
  ),
);

test("a change of what is ticked hides the short link", options, () =>
  host.visit("/share/?lang=en", async (page) => {
    await makeShort(page);
    await page.getByRole("button", { name: "Tick none" }).click();
    assert.ok(!(await page.locator("#short-link").isVisible()));
  }),
);
