// The home page's example: a certified document, which the visitor's browser checks again after each change.
import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { after, before, test } from "node:test";
import { Cert } from "@assay/cert/aih2";
import { skip, start } from "./browser.mjs";
import { cert, data } from "./shared.mjs";

const read = (path) => readFile(new URL(`../../www/${path}`, import.meta.url), "utf8");
const [page, { data: example }] = [await read("index.html"), JSON.parse(await read("verify/example.json"))];
const LANGUAGES = ["en", "de", "fr", "es"];
const texts = {};
for (const language of LANGUAGES) {
  const parts = ["", ".home", ".issue", ".console", ".short", ".error"].map(async (group) => JSON.parse(await read(`../pkg/view/texts/${language}${group}.json`)));
  texts[language] = Object.assign({}, ...(await Promise.all(parts)));
}

let host;
before(async () => {
  if (!skip) host = await start();
});
after(() => host?.stop());

test("the example is what the library certifies, and its evidence proves each value", async () => {
  const { schema, evidence, metadata, asset, ledger } = example;
  assert.equal(`aih2:${asset.imprint}`, await cert.imprint(data));
  assert.equal(ledger.schemaId, cert.identify());
  const { valid, entries } = await new Cert({ schema }).verify(evidence, asset.imprint, { asset: { ledgerId: ledger.id, assetId: asset.id } });
  assert.ok(valid);
  for (const { path, value } of entries)
    assert.deepEqual(
      path.reduce((at, key) => at[key], metadata),
      value,
    );
  assert.equal(example.issuer.kind, "notConfirmed");
});

test("without JavaScript, the page shows the example's own values", () => {
  const shown = [...page.matchAll(/data-path='([^']+)' data-name="[^"]+">([^<]+)</g)];
  assert.equal(shown.length, 6);
  for (const [, path, text] of shown) assert.equal(text, String(JSON.parse(path).reduce((at, key) => at[key], example.metadata)));
  for (const value of [example.metadata.description, `datetime="${example.metadata.issuedAt}"`, `datetime="${example.metadata.validUntil}"`, example.metadata.image])
    assert.ok(page.includes(value), value);
  for (const { subject } of example.metadata.grades) assert.ok(page.includes(`<td>${subject}</td>`));
});

const verdict = (page, code) => page.locator(`#demo-verdict[data-code=${code}]`).waitFor();
const why = (page) => page.locator("#demo-verdict .why").innerText();

test("a value changed with the keyboard is detected, and can be restored", { skip }, () =>
  host.visit("/?lang=en", async (page) => {
    await page.locator("#demo").scrollIntoViewIfNeeded();
    await verdict(page, "issuer-not-confirmed");
    assert.deepEqual(await page.locator("#demo-verdict .parts li > span:last-child").allInnerTexts(), ["Unchanged", "Status not known", "Issuer not known"]);

    // From the button before the certificate, Tab reaches the certificate's values in their order.
    await page.getByRole("button", { name: "Restore" }).focus();
    for (let presses = 0; presses < 3; presses += 1) await page.keyboard.press("Tab");
    await page.keyboard.press("End");
    await page.keyboard.press("Enter");
    await page.keyboard.type("0");
    await verdict(page, "changed");
    assert.equal(await why(page), "Not as it was certified: Hours of teaching.");
    assert.deepEqual(await page.locator("#demo .mark").allInnerTexts(), ["Changed. Certified was: 96"]);

    const title = page.getByRole("textbox", { name: "Course", exact: true });
    await title.fill("Applied Cryptography, <b>master</b> course");
    await page.waitForFunction(() => document.querySelectorAll("#demo .mark").length === 2);
    assert.equal(await why(page), "Not as it was certified: Course and Hours of teaching.");
    assert.equal(await page.locator("#demo b").count(), 0);

    await page.getByRole("button", { name: "Restore" }).click();
    await verdict(page, "issuer-not-confirmed");
    assert.equal(await page.locator("#demo .mark").count(), 0);
    await page.getByRole("button", { name: "Forge a value" }).click();
    await verdict(page, "changed");
  }),
);

test("the verifier is loaded when the example comes into view", { skip }, () =>
  host.visit(
    "/?lang=en",
    async (page) => {
      const loaded = () => page.evaluate(() => performance.getEntriesByType("resource").some(({ name }) => /\/workers\/|\.wasm/.test(name)));
      assert.equal(await loaded(), false);
      await page.locator("#demo").scrollIntoViewIfNeeded();
      await verdict(page, "issuer-not-confirmed");
      assert.equal(await loaded(), true);
    },
    { viewport: { width: 390, height: 200 } },
  ),
);

const TRANSLATED = ["/", "/verify/", "/share/", "/console/", "/certify/", "/no-such-page", "/orders", "/health"];
for (const language of LANGUAGES) {
  test(`the pages have their texts in ${language}`, { skip }, async () => {
    for (const address of TRANSLATED) {
      await host.visit(
        `${address}?lang=${language}`,
        async (page) => {
          assert.equal(await page.locator("html").getAttribute("lang"), language, address);
          const said = await page.locator("[data-text]").evaluateAll((all) => all.map(({ dataset, textContent }) => [dataset.text, textContent]));
          assert.ok(said.length > 5, address);
          for (const [key, text] of said)
            assert.equal(
              text,
              key.split(".").reduce((at, step) => at[step], texts[language]),
              `${address}: ${key}`,
            );
          assert.deepEqual(await page.locator("#languages [aria-current=true]").allInnerTexts(), [{ en: "English", de: "Deutsch", fr: "Français", es: "Español" }[language]]);
        },
        { expected: [/status of 40[14]/] },
      );
    }
  });
}
