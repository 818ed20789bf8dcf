// Refusals are shown below the control that was used, are announced, and stay in view on a phone.
import assert from "node:assert/strict";
import { randomBytes } from "node:crypto";
import { after, before, test } from "node:test";
import { file, shoot, skip, start } from "./browser.mjs";

let host;
before(async () => {
  if (!skip) host = await start({ vars: { ENVIRONMENT: "development", ALLOW_PRIVATE_FETCH: "true" } });
});
after(() => host?.stop());

const PHONE = { viewport: { width: 360, height: 640 } };
/** The largest distance between a control's row and its answer, in pixels. */
const NEAR = 40;

/** Asserts that the answer is announced, in view, and directly below the control. Returns its text. */
async function refusedBelow(page, control, selector = "#answer") {
  const region = page.locator(`${selector}[role=alert]:not([hidden])`);
  await region.waitFor();
  const [box, own] = [
    await region.boundingBox(),
    await control.evaluate((one) => {
      const { bottom } = (one.closest(".drop, .actions, .pair, ul") ?? one).getBoundingClientRect();
      return { bottom, height: innerHeight };
    }),
  ];
  const text = await region.innerText();
  assert.ok(Math.abs(box.y - own.bottom) < NEAR, `${text}: ${own.bottom} → ${box.y}`);
  assert.ok(box.y >= 0 && box.y + box.height <= own.height, `${text} is in view: ${box.y} of ${own.height}`);
  return text;
}

const visit = (address, act, expected = []) => test(`on ${address}, refusals are below the control, and announced`, { skip }, () => host.visit(address, act, { ...PHONE, expected }));

visit("/issue/?lang=en", async (page) => {
  await page.getByRole("radio", { name: "Something else" }).press("Space");
  const make = page.getByRole("button", { name: "Make the form" });
  await make.press("Enter");
  await refusedBelow(page, make);
  await shoot(page, "refused-example");
  await page.fill("#example", JSON.stringify({ name: "Ada" }));
  await page.fill("#kind", "Report");
  await make.press("Enter");
  await page.getByLabel("Open a key file").setInputFiles(file("uni.key.txt", `${randomBytes(32).toString("hex")}\n`));
  await page.locator("#ledger").waitFor();
  const issue = page.getByRole("button", { name: "Issue the certificate" });
  await issue.press("Enter");
  assert.match(await refusedBelow(page, issue), /folder/);
  await page.fill("#kind", "");
  // The answer moves to the control that is used next.
  await make.press("Enter");
  await refusedBelow(page, make);
});

visit("/issue/many/?lang=en", async (page) => {
  await page.locator("#file").setInputFiles({ name: "a.csv", mimeType: "text/csv", buffer: Buffer.from("Holder,Hours\nAda,5\n") });
  const check = page.locator("#check");
  await page.locator("#columns").waitFor();
  for (const select of await page.locator("#mapping select").all()) await select.selectOption("");
  await page.locator("#form").getByLabel("Course").first().fill("Logic");
  await page.locator("#form").getByLabel("Holder").first().fill("Ada");
  await check.press("Enter");
  await refusedBelow(page, check);
  for (const [index, value] of [
    [0, "Holder"],
    [1, "Hours"],
  ])
    await page.locator("#mapping select").nth(index).selectOption({ label: value });
  await page.locator("#form").getByLabel("Course").first().fill("Logic");
  await check.press("Enter");
  await page.locator("#preview").waitFor();
  await page.locator("#sign-in input[type=file]").setInputFiles(file("uni.key.txt", `${randomBytes(32).toString("hex")}\n`));
  await page.locator("#ledger").waitFor();
  await page.locator("#issue").press("Enter");
  assert.match(await refusedBelow(page, page.locator("#issue")), /tokens/);
  await page.locator("#list-file").setInputFiles(file("x.json", "{}"));
  await refusedBelow(page, page.locator("#list-file"));
});

visit("/console/?lang=en#issued", async (page) => {
  const open = page.locator("#sign-in input[type=file]");
  await open.setInputFiles(file("wrong.txt", "secret"));
  const report = page.locator("#sign-in [role=alert]");
  await report.waitFor();
  const [box, height] = [await report.boundingBox(), await page.evaluate(() => innerHeight)];
  assert.ok(box.y + box.height <= height);
  await open.setInputFiles(file("uni.key.txt", `${randomBytes(32).toString("hex")}\n`));
  assert.match(await refusedBelow(page, page.locator("#sign-in")), /nothing|not|no /i);
});

visit("/share/?lang=en", async (page) => {
  await page.locator("#ready:not(:empty)").waitFor();
  await page.locator("#files").setInputFiles(file("a.json", "{}"));
  await refusedBelow(page, page.locator("#files"));
});

visit("/verify/?lang=en", async (page) => {
  await page.fill("#given", "nonsense");
  const go = page.getByRole("button", { name: "Check", exact: true });
  await go.press("Enter");
  await refusedBelow(page, go, "#refusal");
});

visit(
  "/verify/?lang=en#expert",
  async (page) => {
    const verify = page.getByRole("button", { name: "Verify", exact: true });
    await verify.press("Enter");
    await refusedBelow(page, verify);
    const load = page.locator("#load");
    await load.press("Enter");
    await refusedBelow(page, load);
  },
  [/400/],
);

visit("/certify/?lang=en", async (page) => {
  const read = page.locator("#read");
  await read.press("Enter");
  await refusedBelow(page, read);
  await page.fill("#data", JSON.stringify({ name: "Ada" }));
  await page.fill("#schema", JSON.stringify({ type: "object", properties: { name: { type: "string" } } }));
  await read.press("Enter");
  await page.locator("#choice").waitFor();
  const certify = page.locator("#form [type=submit]");
  await certify.press("Enter");
  await refusedBelow(page, certify);
});

/** Returns the controls whose focus ring covers the text of a label. */
const coveringRings = (page) =>
  page.evaluate(() => {
    // In the page's coordinates, because browsers scroll to a date field that gets the focus.
    const onPage = ({ left, right, top, bottom }) => ({ left: left + scrollX, right: right + scrollX, top: top + scrollY, bottom: bottom + scrollY });
    const texts = [...document.querySelectorAll("main label")].flatMap((label) => {
      const walker = document.createTreeWalker(label, NodeFilter.SHOW_TEXT);
      const found = [];
      while (walker.nextNode()) {
        const range = document.createRange();
        range.selectNodeContents(walker.currentNode);
        if (walker.currentNode.textContent.trim() !== "") found.push(...[...range.getClientRects()].map(onPage));
      }
      return found;
    });
    const controls = [...document.querySelectorAll("main :is(input, select, textarea, button, summary)")].filter((one) => one.checkVisibility() && getComputedStyle(one).opacity !== "0");
    return controls
      .filter((one) => {
        one.focus({ focusVisible: true, preventScroll: true });
        const { outlineStyle, outlineWidth, outlineOffset } = getComputedStyle(one);
        const reach = Number.parseFloat(outlineWidth) + Number.parseFloat(outlineOffset);
        const { left, right, top, bottom } = onPage(one.getBoundingClientRect());
        return outlineStyle === "none" || texts.some((text) => text.left < right + reach && text.right > left - reach && text.top < bottom + reach && text.bottom > top - reach);
      })
      .map((one) => one.outerHTML.slice(0, 80));
  });

for (const width of [360, 1280]) {
  test(`no focus ring covers a label at a width of ${width}`, { skip }, async () => {
    const size = { viewport: { width, height: 800 } };
    await host.visit(
      "/issue/?lang=de",
      async (page) => {
        await page.locator("[name=template][value=product]").press("Space");
        await page.locator("#sign-in input[type=file]").setInputFiles(file("uni.key.txt", randomBytes(32).toString("hex")));
        await page.locator("#ledger").waitFor();
        await page.locator("#domain summary").click();
        assert.deepEqual(await coveringRings(page), []);
      },
      size,
    );
    await host.visit(
      "/issue/many/?lang=fr",
      async (page) => {
        await page.locator("#file").setInputFiles({ name: "a.csv", mimeType: "text/csv", buffer: Buffer.from("Titulaire,Heures\nAda,5\n") });
        await page.locator("#columns").waitFor();
        assert.deepEqual(await coveringRings(page), []);
      },
      size,
    );
    await host.visit(
      "/certify/?lang=en",
      async (page) => {
        await page.fill("#data", JSON.stringify({ name: "Ada" }));
        await page.fill("#schema", JSON.stringify({ type: "object", properties: { name: { type: "string" } } }));
        await page.locator("#read").press("Enter");
        await page.locator("#choice").waitFor();
        assert.deepEqual(await coveringRings(page), []);
      },
      size,
    );
    await host.visit("/verify/?lang=es#expert", async (page) => assert.deepEqual(await coveringRings(page), []), size);
  });
}
