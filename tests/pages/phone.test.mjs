// A holder on a phone keeps the certificate, opens the kept copies after its service has ended, and shows a part of it at a counter.
import assert from "node:assert/strict";
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { after, before, test } from "node:test";
import { pathToFileURL } from "node:url";
import { toFragment, writeFile as writeCertificate } from "../../www/lib/file.ts";
import { certificateIn } from "../../www/lib/pdf-file.ts";
import { file, launch, openContext, shoot, skip, start } from "./browser.mjs";
import { answer, cert, data, evidence, imprint, ledgerId, metadata, schema } from "./shared.mjs";

const options = { skip };
const PHONE = { viewport: { width: 390, height: 844 }, deviceScaleFactor: 2, isMobile: true, hasTouch: true };
/** The public files do not show the holder. */
const ROUTES = { "**/badge.json?*": answer({ metadata, evidence }) };
const VARS = { ENVIRONMENT: "development", FILES: "on" };

const whole = async () => `/c/${ledgerId}/1?lang=en#${await toFragment({ schema, document: data, evidence: await cert.notarize(data) })}`;
const box = (page, name) => page.locator(".tree label", { has: page.getByText(name, { exact: true }) }).locator("input");

/** Asserts that nothing scrolls sideways, and saves a picture. */
async function fits(page, name) {
  assert.ok((await page.evaluate(() => document.documentElement.scrollWidth)) <= PHONE.viewport.width, name);
  await shoot(page, `phone-${name}`);
}

/** Presses a button that downloads. Returns the name and the bytes of the file. */
async function save(page, name) {
  const [download] = await Promise.all([page.waitForEvent("download"), page.getByRole("button", { name }).first().click()]);
  return { name: download.suggestedFilename(), buffer: await readFile(await download.path()) };
}

let host;
before(async () => {
  if (!skip) host = await start({ vars: VARS, quiet: true });
});
after(() => host?.stop());

test("a certificate kept as PDF and as a page is opened after its service has ended", options, async () => {
  const ended = await start({ vars: VARS, quiet: true });
  const kept = {};
  try {
    await ended.visit(
      await whole(),
      async (page) => {
        await page.locator(".holders .tree input").first().waitFor();
        await fits(page, "holder");
        kept.pdf = await save(page, "Save as PDF");
        kept.page = await save(page, "Save as a page");
      },
      { ...PHONE, routes: ROUTES },
    );
  } finally {
    await ended.stop();
  }
  const folder = await mkdtemp(path.join(tmpdir(), "assay-phone-"));
  const browser = await launch();
  try {
    const saved = path.join(folder, kept.page.name);
    await writeFile(saved, kept.page.buffer);
    const context = await openContext(browser, { offline: true, ...PHONE });
    const page = await context.newPage();
    await page.goto(`${pathToFileURL(saved)}?lang=en`);
    await page.getByText("The content matches the check number in this file.").waitFor();
    assert.match(await page.locator(".paper").innerText(), /Ada Example/);
    await fits(page, "kept-page");
  } finally {
    await browser.close();
    await rm(folder, { recursive: true });
  }
  // Another service has no record of the certificate. It names the service that had one, and shows no verdict.
  assert.equal(JSON.parse(await certificateIn(new Uint8Array(kept.pdf.buffer))).document.holder.name, data.holder.name);
  await host.visit(
    "/verify/?lang=en",
    async (page) => {
      for (const [one, mimeType] of [
        [kept.pdf, "application/pdf"],
        [kept.page, "text/html"],
      ]) {
        await page.locator("#given-files").setInputFiles({ ...one, mimeType });
        await page.locator("#refusal", { hasText: `This file belongs to another service, ${new URL(ended.url).host}.` }).waitFor();
        assert.equal(await page.locator(".headline").count(), 0);
      }
      await fits(page, "other-service");
    },
    PHONE,
  );
});

/** Opens the code in a picture of the phone's screen, as a counter does on the verify page. */
async function scan(picture, act) {
  await host.visit(
    "/verify/?lang=en",
    async (page) => {
      await page.locator("#given-files").setInputFiles({ name: "screen.png", mimeType: "image/png", buffer: picture });
      await page.waitForURL(/\/c\/0x/);
      await page.locator(".checked", { hasText: "Checked by your browser" }).waitFor();
      await act(page);
    },
    { routes: ROUTES },
  );
}

test("a counter scans the code on the screen and sees only what the holder ticked", options, async () =>
  host.visit(
    await whole(),
    async (page) => {
      await page.locator(".holders .tree input").first().waitFor();
      await box(page, "Email").check();
      await page.getByRole("button", { name: "Make the link" }).click();
      await page.getByRole("button", { name: "Show a code to scan" }).click();
      await page.locator(".big-code svg").waitFor();
      await fits(page, "code");
      await scan(await page.screenshot(), async (counter) => {
        const words = await counter.locator(".paper").innerText();
        assert.match(words, /ada@example\.com/);
        assert.doesNotMatch(words, /Ada Example/);
      });
    },
    { ...PHONE, routes: ROUTES },
  ),
);

test("a counter scans a short link, until the holder ends it", options, () =>
  host.visit(
    "/share/?lang=en",
    async (page) => {
      await page.locator("#ready:not(:empty)").waitFor();
      const text = writeCertificate({ service: new URL(host.url).origin, ledger: ledgerId, asset: "1", imprint, schema, document: data, evidence: await cert.notarize(data) });
      await page.locator("#files").setInputFiles(file("ada.private.assay.json", text));
      await page.locator("#holding").waitFor();
      await page.getByRole("button", { name: "Tick none" }).click();
      await box(page, "Email").check();
      await page.getByRole("button", { name: "Make link and file" }).click();
      await page.getByRole("button", { name: "Make a short link" }).click();
      await page.locator("#short-made:not([hidden])").waitFor();
      await fits(page, "short");
      const code = page.locator("#short-code svg");
      await code.scrollIntoViewIfNeeded();
      const picture = await page.screenshot();
      await scan(picture, async (counter) => assert.match(await counter.locator(".paper").innerText(), /ada@example\.com/));
      await page.getByRole("button", { name: "End this link now" }).click();
      await page.locator("#short-note", { hasText: "This link has ended." }).waitFor();
      await host.visit(
        "/verify/?lang=en",
        async (counter) => {
          await counter.locator("#given-files").setInputFiles({ name: "screen.png", mimeType: "image/png", buffer: picture });
          await counter.getByRole("heading", { name: "This link has ended" }).waitFor();
        },
        { expected: [/status of 404/] },
      );
    },
    { ...PHONE, routes: ROUTES },
  ),
);

test("a short link of another service is opened only there", options, () =>
  host.visit(
    "/verify/?lang=en",
    async (page) => {
      for (const [host, isOwn] of [
        ["other.example", false],
        [new URL(page.url()).host, true],
      ]) {
        await page.getByLabel("Link of the certificate").fill(`See http://${host}/s/${"a".repeat(16)}?lang=en#${"A".repeat(22)}.`);
        await page.keyboard.press("Enter");
        if (isOwn) await page.waitForURL(/\/s\/a{16}#A{22}$/);
        else await page.locator("#refusal", { hasText: "This short link belongs to another service, other.example. Only that service can open it." }).waitFor();
      }
    },
    { expected: [/status of 404/] },
  ),
);
