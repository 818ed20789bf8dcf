// Checks the pages in many states against WCAG 2.2 AA, on a desktop screen with light colours and on a phone screen with dark colours.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { pathToFileURL } from "node:url";
import { assertAccessible } from "./axe.mjs";
import { answerOf, drop, file, skip, start } from "./browser.mjs";
import { badge, data, evidence, imprint, metadata, neverIssued, schema, withdrawn } from "./certificate.mjs";
import { toFragment } from "../../www/lib/file.ts";
import * as course from "./shared.mjs";
import { STATES as VERDICTS, answer, ledgerId, privateFile } from "./shared.mjs";

let host;
before(async () => {
  if (!skip) host = await start();
});
after(() => host?.stop());

async function fill(page, documents) {
  for (const [id, value] of Object.entries(documents)) await page.fill(`#${id}`, typeof value === "string" ? value : JSON.stringify(value));
}

const verified = (changes) => async (page) => {
  await fill(page, { metadata, evidence, schema, imprint, ...changes });
  await page.getByRole("button", { name: "Verify", exact: true }).click();
  await answerOf(page);
};
/** Certifies with AIH-1. The page reports values that the schema does not describe, and does not certify them. */
async function certified(page) {
  await page.selectOption("#profile", "AIH-1");
  await certify(page, { ...data, extra: 1 });
}
async function certify(page, data) {
  await fill(page, { data, schema });
  await page.getByRole("button", { name: "Choose fields" }).click();
  await page.locator("#tree input").nth(2).check();
  const asset = { "ledger-id": "0xF9196F9f176fd2eF9243E8960817d5FbE63D79aa", "asset-id": "1" };
  if (await page.locator("#asset").isVisible()) await fill(page, asset);
  await page.getByRole("button", { name: "Certify", exact: true }).click();
  await answerOf(page);
}
async function saved(page) {
  await certify(page, data);
  await Promise.all([page.waitForEvent("download"), page.getByRole("button", { name: "Download the private file" }).click()]);
}
async function held(page) {
  await page.locator("#ready:not(:empty)").waitFor();
  await drop(page, "body", [file("private.json", privateFile())]);
  await page.locator("#holding").waitFor();
  await page.click("#all");
}
async function shared(page) {
  await held(page);
  await page.click("#make");
  await page.locator("#made").waitFor();
}
async function withoutRegister(page) {
  await page.getByRole("button", { name: "Make a new key" }).click();
  await page.locator("#first-steps").waitFor();
  await page.click("#confirm-domain");
  await page.locator("#domain summary").click();
}
async function refusedToIssue(page) {
  await page.getByRole("radio", { name: "Course certificate" }).check();
  await page.getByRole("button", { name: "Make a new key" }).click();
  await page.locator("#ledger").waitFor();
  await page.locator("#domain summary").click();
  await page.click("#issue");
  await page.locator("#answer:not([data-kind=busy])").waitFor();
}
const table = (rows) => ({ name: "people.csv", mimeType: "text/csv", buffer: Buffer.from(`Holder;E-Mail;Hours\n${rows}`) });
/** Returns a function that enters a table of course certificates and has its rows checked. The function then waits for the element `id`. */
const checkedTable = (rows, id) => async (page) => {
  await page.locator("#file").setInputFiles(table(rows));
  await page.locator("#form input").first().fill("Applied Cryptography");
  await page.locator("#form input[type=date]").first().fill("2026-06-30");
  await page.click("#check");
  await page.locator(id).waitFor();
};
async function certificate(page) {
  await page.waitForFunction(() => document.querySelector(".headline") && !document.querySelector("main").innerText.includes("…"));
  await page.locator(".technical summary").click();
}
/** The link of a holder, which shows the whole certificate, and the service's answer, which shows a part of it. */
const WHOLE = `/c/${ledgerId}/1?lang=en#${await toFragment({ schema: course.schema, document: course.data, evidence: await course.cert.notarize(course.data) })}`;
const PUBLIC = answer({ metadata: course.metadata, evidence: course.evidence });
async function holders(page) {
  await page.locator(".holders .tree input").first().waitFor();
  await page.getByRole("button", { name: "Make the link" }).click();
  await page.locator(".made").waitFor();
}
async function code(page) {
  await holders(page);
  await page.getByRole("button", { name: "Show a code to scan" }).click();
  await page.locator("dialog svg").waitFor();
}
async function savedPage(page) {
  const [download] = await Promise.all([page.waitForEvent("download"), page.getByRole("button", { name: "Save as a page" }).click()]);
  const kept = `${await download.path()}.html`;
  await download.saveAs(kept);
  await page.goto(pathToFileURL(kept).href);
  await page.locator(".technical summary").click();
}
async function example(page) {
  await page.click("#forged");
  await page.locator(".mark").waitFor();
}
async function demo(page, code) {
  await page.locator("#demo").scrollIntoViewIfNeeded();
  await page.locator(`#demo-verdict[data-code=${code}]`).waitFor();
}
async function forged(page) {
  await demo(page, "issuer-not-confirmed");
  await page.click("#demo-forge");
  await demo(page, "changed");
}
async function refused(page) {
  await drop(page, "body", [file("a.pdf", "%PDF-1.7")]);
  await page.locator("#answer").waitFor();
}
const LINK = "/verify/?ledgerId=0xF9196F9f176fd2eF9243E8960817d5FbE63D79aa&assetId=1";
const STATES = [
  ["/", "unchanged example", (page) => demo(page, "issuer-not-confirmed")],
  ["/", "forged example", forged],
  ["/docs/", "as it is", (page) => page.locator("#reference .opblock-tag").first().waitFor()],
  ["/verify/", "empty", async () => {}],
  ["/verify/?lang=en", "example", example, answer()],
  ["/verify/#expert", "unchanged", verified({})],
  ["/verify/#expert", "changed", verified({ metadata: { ...metadata, name: "Forged", hours: 1 } })],
  ["/verify/#expert", "untrusted", verified({ imprint: "" })],
  ["/verify/#expert", "unchecked", verified({ schema: "" })],
  [LINK, "unchanged", answerOf, badge()],
  [LINK, "changed", answerOf, badge({ metadata: { ...metadata, name: "Forged" } })],
  [LINK, "withdrawn", answerOf, badge(withdrawn)],
  [LINK, "never issued", answerOf, badge(neverIssued)],
  ["/certify/", "empty", async () => {}],
  ["/certify/", "certified", certified],
  ["/certify/", "saved", saved],
  ...["valid", "changed", "withdrawn", "never-issued", "expired", "not-checked", "issuer-not-confirmed"].map((code) => [`/c/${ledgerId}/1?lang=en`, code, certificate, answer(VERDICTS[code])]),
  [WHOLE, "for its holder", holders, PUBLIC],
  [WHOLE, "as a code", code, PUBLIC],
  [WHOLE, "saved with everything", savedPage, PUBLIC],
  ["/share/", "empty", (page) => page.locator("#ready:not(:empty)").waitFor()],
  ["/share/", "opened", held],
  ["/share/", "shared", shared],
  ["/share/", "refused", refused],
  ["/issue/?lang=en", "empty", (page) => page.locator("#templates label").first().waitFor()],
  ["/issue/?lang=en", "refused", refusedToIssue],
  ["/issue/many/?lang=en", "problems", checkedTable("Ada;ada@example.com;9,5 h\n", "#problems")],
  ["/issue/many/?lang=en", "ready to sign", checkedTable("Ada;ada@example.com;95\n", "#signing")],
  ["/console/?lang=en#issued", "empty", (page) => page.locator("#sign-in button").first().waitFor()],
  ["/console/?lang=en", "without a register", withoutRegister],
  ["/no-such-page", "not found", async () => {}],
  ["/orders", "unsigned", async () => {}],
  ["/health", "as it is", async () => {}],
];
const LOOKS = [
  ["light", 1280],
  ["dark", 390],
];
/** The width in pixels at which a page must not need horizontal scrolling (WCAG 2.2, 1.4.10). */
const NARROWEST = 320;

for (const [address, state, act, loaded] of STATES) {
  for (const [colorScheme, width] of LOOKS) {
    test(`${address.replace(/#1.*/, "#1…")}, ${state}, ${colorScheme}, ${width} pixels wide`, { skip }, () =>
      host.visit(
        address,
        async (page) => {
          await act(page);
          assert.ok((await page.evaluate(() => document.documentElement.scrollWidth)) <= width);
          await assertAccessible(page);
          await page.setViewportSize({ width: NARROWEST, height: 800 });
          assert.ok((await page.evaluate(() => document.documentElement.scrollWidth)) <= NARROWEST);
        },
        { colorScheme, viewport: { width, height: 800 }, bypassCSP: true, expected: [/status of 40[14]/], routes: loaded ? { "**/badge.json?*": loaded } : {} },
      ),
    );
  }
}
