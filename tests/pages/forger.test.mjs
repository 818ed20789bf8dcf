// A paper with another name above a genuine code, as an employer meets it on a phone: the page shows the certified name, or says that it confirms none.
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { after, before, test } from "node:test";
import { Cert, generateKey } from "@assay/cert/aih2";
import encodeQR from "qr";
import { toCompact } from "../../www/lib/compact.ts";
import { writeFile as writeCertificate } from "../../www/lib/file.ts";
import { codeText } from "../../www/lib/qr.ts";
import { skip as noPrograms } from "../pdf/programs.mjs";
import { launch, shoot, skip, start } from "./browser.mjs";
import { answer, cert, data, evidence, imprint, ledgerId, metadata, schema } from "./shared.mjs";

const PHONES = [
  [360, 640],
  [390, 844],
  [412, 915],
];
const phone = ([width, height]) => ({ viewport: { width, height }, deviceScaleFactor: 2, isMobile: true, hasTouch: true });
const IDS = { ledger: ledgerId, asset: "1" };
const CERTIFIED = data.holder.name;
/** The name on the forger's paper. */
const FORGED = "Eve Example";
/** The public files do not show the holder. */
const ROUTES = { "**/badge.json?*": answer({ metadata, evidence }) };
/** The smallest size of a text that counts as large, in CSS pixels. The page's own text has 16. */
const LARGE = 20;

const printed = async (document = data, by = cert) => toCompact({ schema, document, evidence: await by.notarize(document) }, IDS);

let host;
before(async () => {
  if (!skip) host = await start();
});
after(() => host?.stop());

const settled = (page) => page.locator(".checked", { hasText: "Checked by your browser" }).waitFor();

/** Opens the address of a code on each phone, and asserts that nothing scrolls sideways. */
async function scan(fragment, name, act) {
  for (const size of PHONES) {
    await host.visit(
      `/C/${ledgerId.toUpperCase()}/1?lang=en${fragment}`,
      async (page) => {
        await page.waitForFunction(() => !/…$/.test(document.querySelector("h1, .headline")?.textContent ?? "…"));
        await act(page, size);
        assert.ok((await page.evaluate(() => document.documentElement.scrollWidth)) <= size[0], `scrolls at ${size}`);
        await shoot(page, `forger-${name}-${size[0]}`);
      },
      { ...phone(size), routes: ROUTES },
    );
  }
}

/** Asserts that the certified name is shown as large text in the first screen, and the forged one nowhere. */
async function showsCertifiedName(page, [, height]) {
  const value = page.locator(".compare .value", { hasText: CERTIFIED });
  await value.waitFor();
  const { y, height: own } = await value.boundingBox();
  assert.ok(y + own <= height, `the name ends at ${y + own} of ${height}`);
  assert.ok((await value.evaluate((one) => Number.parseFloat(getComputedStyle(one).fontSize))) >= LARGE);
  assert.doesNotMatch(await page.locator("body").innerText(), new RegExp(FORGED));
}

test("the code of a sheet shows the certified name large, on each phone", { skip }, async () =>
  scan(`#${await printed()}`, "sheet", async (page, size) => {
    await settled(page);
    assert.equal(await page.locator(".verdict").getAttribute("data-code"), "valid");
    await showsCertifiedName(page, size);
  }),
);

test("the code of a public page says that it confirms no name, on each phone", { skip }, () =>
  scan("", "public", async (page, [, height]) => {
    const warning = page.locator(".unconfirmed");
    await warning.waitFor();
    assert.match(await warning.innerText(), /^Not shown here: .*Holder.*this page does not confirm them\./);
    const { y } = await warning.boundingBox();
    assert.ok(y < height, `the warning begins at ${y} of ${height}`);
    assert.doesNotMatch(await page.locator("body").innerText(), /Ada Example|Eve Example/);
  }),
);

test("a cut code is incomplete, and the fragment of another certificate counts as changed", { skip }, async () => {
  const form = await printed();
  await scan(`#${form.slice(0, -40)}`, "cut", async (page) => {
    assert.equal(await page.locator("h1").innerText(), "This link is incomplete");
    assert.equal(await page.locator(".compare, .verdict[data-look=green], .verdict[data-look=amber]").count(), 0);
  });
  // The forger certifies a document with their own name, and writes it behind the address of the genuine certificate.
  const other = new Cert({ schema, key: generateKey() });
  const forged = await printed({ ...data, holder: { ...data.holder, name: FORGED } }, other);
  await scan(`#${forged}`, "other", async (page) => {
    await settled(page);
    assert.equal(await page.locator(".headline").innerText(), "Changed");
    assert.equal(await page.locator(".compare").count(), 0);
    assert.doesNotMatch(await page.locator("body").innerText(), new RegExp(FORGED));
  });
});

test("a code of a foreign service is named, and this service answers itself", { skip }, async () => {
  const text = codeText(`https://certs.evil.example/c/${ledgerId}/1#${await printed()}`);
  const picture = Buffer.from(encodeQR(text, "gif", { scale: 6 }));
  for (const size of PHONES) {
    await host.visit(
      "/verify/?lang=en",
      async (page) => {
        await page.locator("#given-files").setInputFiles({ name: "code.gif", mimeType: "image/gif", buffer: picture });
        await showsCertifiedName(page, [size[0], Infinity]);
        assert.match(await page.locator("#whose").innerText(), /^The link leads to another service, certs\.evil\.example\. What you see here is the answer of this service\.$/);
        await shoot(page, `forger-foreign-${size[0]}`);
      },
      { ...phone(size), routes: ROUTES },
    );
  }
});

test("a PDF with another name on its page shows the certified name", { skip: skip || noPrograms }, async () => {
  const folder = await mkdtemp(path.join(tmpdir(), "assay-forger-"));
  const file = (name) => path.join(folder, name);
  try {
    const text = writeCertificate({ service: new URL(host.url).origin, ...IDS, imprint, schema, document: data, evidence: await cert.notarize(data) });
    await writeFile(file("ada.private.assay.json"), text);
    const browser = await launch();
    const page = await browser.newPage();
    await page.setContent(`<h1>${FORGED}</h1>${encodeQR(codeText(`${new URL(host.url).origin}/c/${ledgerId}/1#${await printed()}`), "svg")}`);
    await page.pdf({ path: file("page.pdf") });
    await browser.close();
    execFileSync("qpdf", [file("page.pdf"), "--add-attachment", file("ada.private.assay.json"), "--mimetype=application/vnd.assay.certificate+json", "--", file("forged.pdf")]);
    assert.match(execFileSync("pdftotext", [file("forged.pdf"), "-"], { encoding: "utf8" }), new RegExp(FORGED));
    const buffer = await readFile(file("forged.pdf"));
    for (const size of PHONES) {
      await host.visit(
        "/verify/?lang=en",
        async (page) => {
          await page.locator("#given-files").setInputFiles({ name: "eve.pdf", mimeType: "application/pdf", buffer });
          await showsCertifiedName(page, [size[0], Infinity]);
          await shoot(page, `forger-pdf-${size[0]}`);
        },
        { ...phone(size), routes: ROUTES },
      );
    }
  } finally {
    await rm(folder, { recursive: true });
  }
});
