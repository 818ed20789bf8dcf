// Texts on a certificate: scripts, emoji, long and hostile texts, numbers, dates and texts that look alike, on screen and on paper.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { Cert } from "@assay/cert/aih2";
import { shoot, skip, start } from "./browser.mjs";
import { answer, key, ledgerId, report } from "./shared.mjs";

const options = { skip };
let host;
before(async () => {
  if (!skip) host = await start();
});
after(() => host?.stop());

const text = (title) => ({ type: "string", title });
const schema = {
  title: "Certificate of attendance at the international summer school on the preservation of manuscripts, printed books and digital collections",
  type: "object",
  properties: {
    name: text("Name"),
    persian: text("Persian"),
    sinhala: text("Sinhala"),
    hindi: text("Hindi"),
    malayalam: text("Malayalam"),
    hebrew: text("Hebrew"),
    german: text("German"),
    family: text("Family"),
    flags: text("Flags"),
    override: text("Override"),
    stack: text("Stack of marks"),
    number: { type: "integer", title: "Number" },
    at: text("Examined at"),
    long: text("Long text"),
    ledgerId: text("Ledger"),
    assetId: text("Asset"),
  },
};
const LONG = `${"All that was said in the lectures, in order. ".repeat(34)}👩‍👩‍👧‍👦 The end.`;
const data = {
  name: "José Muñoz",
  persian: "علی\u200cرضا می\u200cخواهم",
  sinhala: "ශ\u0dca\u200dර\u0dd3 ලංකා",
  hindi: "क\u094d\u200dष",
  malayalam: "അവന\u0d4d\u200d",
  hebrew: "שלום\u200e (C++)",
  german: "Universitäts\u00adbibliothek",
  family: "👩\u200d👩\u200d👧\u200d👦 ❤\ufe0f\u200d🔥",
  flags: "🏴\u{e0067}\u{e0062}\u{e0073}\u{e0063}\u{e0074}\u{e007f} 🏳\ufe0f\u200d🌈 1\ufe0f\u20e3",
  override: "abc\u202edef",
  stack: `A${"\u0315\u0300\u031b\u0347".repeat(120)}B`,
  number: 20231234,
  at: "2026-06-30T00:30:00+02:00",
  long: LONG,
  ledgerId,
  assetId: "1",
};
const cert = new Cert({ schema, key });
const imprint = (await cert.imprint(data)).replace("aih2:", "");
const all = Object.keys(data).map((step) => [step]);
const ofAll = { schema, metadata: data, evidence: await cert.disclose(data, all), ledger: { ...report.ledger, schemaId: cert.identify() }, asset: { ...report.asset, imprint } };

const PAGE = `/c/${ledgerId}/1?lang=en`;
/** Opens the certificate's page, and waits for the check in the browser. */
const visit = (changes, act, more = {}) =>
  host.visit(
    PAGE,
    async (page) => {
      await page.locator(".checked", { hasText: "Checked by your browser" }).waitFor();
      await act(page);
    },
    { routes: { "**/badge.json?*": answer({ ...ofAll, ...changes }) }, ...more },
  );

const valueOf = (page, title) => page.locator(".fields > div", { has: page.locator("dt", { hasText: new RegExp(`^${title}$`) }) }).locator("dd");

for (const [width, height] of [
  [390, 844],
  [1280, 900],
]) {
  test(`names of all scripts and long texts are shown as they were certified, ${width} pixels wide`, options, () =>
    visit(
      {},
      async (page) => {
        await shoot(page, `scripts-${width}`);
        for (const key of ["persian", "sinhala", "hindi", "malayalam", "hebrew", "german", "family", "flags", "long"]) {
          assert.equal(await valueOf(page, schema.properties[key].title).textContent(), data[key], key);
        }
        assert.equal(await page.locator(".kicker").textContent(), schema.title);
        assert.equal(await valueOf(page, "Override").textContent(), "abc\\u{202e}def");
        assert.equal(await valueOf(page, "Number").textContent(), "20231234");
        assert.equal(await valueOf(page, "Examined at").textContent(), "30 June 2026 at 00:30:00 UTC+02:00");
        assert.equal(await page.locator(".rest").count(), 0);
      },
      { viewport: { width, height } },
    ),
  );
}

test("a long name or title is set smaller, so it does not fill pages", options, async () => {
  const named = { ...data, name: LONG };
  const asset = { ...ofAll.asset, imprint: (await cert.imprint(named)).replace("aih2:", "") };
  await visit(
    { metadata: named, evidence: await cert.disclose(named, all), asset },
    async (page) => {
      const size = (selector) => page.locator(selector).evaluate((one) => Number.parseFloat(getComputedStyle(one).fontSize));
      assert.equal(await page.locator(".paper .name").textContent(), LONG);
      for (const media of ["screen", "print"]) {
        await page.emulateMedia({ media });
        assert.ok((await size(".paper .name")) <= 20, media);
        assert.equal(await page.locator(".kicker").evaluate((one) => getComputedStyle(one).textTransform), "none");
      }
      await page.emulateMedia({ media: "screen" });
      await shoot(page, "long-name");
    },
    { viewport: { width: 360, height: 800 } },
  );
  await visit({}, async (page) => assert.equal(await page.locator(".paper .name.long").count(), 0));
});

test("a stack of marks is drawn only in its own box, on screen and on paper", options, () =>
  visit(
    {},
    async (page) => {
      // The page adds these last, and the first moves the sheet.
      for (const late of [".verdict .next", ".foot .qr"]) await page.locator(late).waitFor({ state: "attached" });
      for (const media of ["screen", "print"]) {
        await page.emulateMedia({ media });
        const draw = async () => {
          const box = await page.locator(".paper").boundingBox();
          const own = await valueOf(page, "Stack of marks").boundingBox();
          const picture = await page.screenshot({ clip: { x: box.x, y: own.y - 80, width: box.width, height: 70 } });
          return picture.toString("base64");
        };
        const before = await draw();
        await valueOf(page, "Stack of marks").evaluate((dd) => (dd.style.color = "transparent"));
        assert.equal(await draw(), before, media);
        await valueOf(page, "Stack of marks").evaluate((dd) => (dd.style.color = ""));
      }
    },
    { viewport: { width: 390, height: 2400 } },
  ),
);

test("long texts that are not proven are cut, and can be opened", options, () =>
  visit({ metadata: { ...data, long: `${LONG}!` } }, async (page) => {
    const field = valueOf(page, "Long text");
    assert.match(await field.locator("> .said").textContent(), /^.{590,600}…$/);
    await field.locator("summary").first().click();
    await shoot(page, "cut-opened");
    assert.equal(`${(await field.locator("> .said").textContent()).slice(0, -1)}${await field.locator("> .rest > .said").textContent()}`, `${LONG}!`);
    // The certified text is proven, so it is shown in full.
    assert.ok((await field.locator(".mark").textContent()).includes(LONG));
  }),
);

test("a name in another normal form is changed, and the verdict says that it looks alike", options, () =>
  visit({ metadata: { ...data, name: data.name.normalize("NFD") } }, async (page) => {
    await shoot(page, "alike");
    assert.equal(await page.locator(".headline").innerText(), "Changed");
    assert.equal(await page.locator(".why").innerText(), "A text looks like the certified one, but has other characters. The characters are listed below.");
    const mark = (await page.locator(".mark").innerText()).replace(/\s+/g, " ").normalize("NFC");
    assert.equal(
      mark,
      "Changed. Certified was: José Muñoz The two texts look alike, but their characters differ: here é (U+0065 U+0301), certified was é (U+00E9) here ñ (U+006E U+0303), certified was ñ (U+00F1)",
    );
  }),
);

test("browsers do not translate certified values, names, domains and accounts", options, () =>
  visit({}, async (page) => {
    await page.locator("details.technical summary").click();
    const translated = await page.locator("#view").evaluate((view) => {
      const texts = [];
      const walker = document.createTreeWalker(view, NodeFilter.SHOW_TEXT);
      while (walker.nextNode()) if (walker.currentNode.parentElement.translate) texts.push(walker.currentNode.data);
      return texts.join("\n");
    });
    for (const value of [
      ...Object.values(data)
        .filter((value) => value !== "1")
        .map(String),
      "University of Example",
      "uni.example",
      "Courses",
      report.issuer.account,
      imprint,
      "30 June 2026 at 00:30",
    ]) {
      assert.ok(!translated.includes(value), value);
    }
    assert.match(translated, /Persian[\s\S]*Check this certificate at/);
  }),
);
