// "Save as PDF" on the page of a certificate, and the PDF on the verify page. tests/pdf checks the PDFs themselves.
import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { after, before, test } from "node:test";
import { toFragment } from "../../www/lib/file.ts";
import { certificateIn } from "../../www/lib/pdf-file.ts";
import { skip, start } from "./browser.mjs";
import { answer, cert, certificateFile, data, ledgerId, shown } from "./shared.mjs";

const options = { skip };
let host;
before(async () => {
  if (!skip) host = await start();
});
after(() => host?.stop());

const PAGE = `/c/${ledgerId}/1?lang=en`;
const visit = (address, act) => host.visit(address, act, { routes: { "**/badge.json?*": answer() } });

/** Presses "Save as PDF" and returns the name and the bytes of the file. */
async function savePdf(page) {
  const [download] = await Promise.all([page.waitForEvent("download"), page.getByRole("button", { name: "Save as PDF" }).click()]);
  return { name: download.suggestedFilename(), bytes: new Uint8Array(await readFile(await download.path())) };
}

const settled = (page) => page.waitForFunction(() => document.querySelector(".paper .checked")?.textContent.startsWith("Checked by your browser"));

test("the page of a certificate saves a PDF, and loads what it needs only then", options, () =>
  visit(PAGE, async (page) => {
    const loads = [];
    page.on("request", (request) => loads.push(new URL(request.url()).pathname));
    await settled(page);
    const ofPdf = () => loads.filter((path) => /pdf|Noto/.test(path));
    assert.deepEqual(ofPdf(), []);
    const { name, bytes } = await savePdf(page);
    assert.match(name, /^course-certificate.*\.pdf$|\.pdf$/);
    const content = JSON.parse(await certificateIn(bytes));
    const { metadata, schema, evidence } = JSON.parse(answer().body).data;
    assert.deepEqual([content.document, content.schema, content.evidence, content.service], [metadata, schema, evidence, new URL(host.url).origin]);
    // A browser loads the fonts of Latin letters, and no others.
    const fonts = ofPdf().filter((path) => path.endsWith(".ttf"));
    assert.deepEqual(fonts.map((path) => /\/([\w]+-[A-Z][a-z]+)/.exec(path)[1]).toSorted(), ["NotoSerif-Bold", "NotoSerif-Regular"]);
    await savePdf(page);
    assert.equal(ofPdf().filter((path) => path.endsWith(".ttf")).length, 2);
  }),
);

test("the PDF of a shared part opens on the verify page", options, async () => {
  const { schema, document, evidence } = await certificateFile(shown);
  const form = await toFragment({ schema, document, evidence });
  let saved;
  await visit(`${PAGE}#${form}`, async (page) => {
    await settled(page);
    saved = await savePdf(page);
    assert.equal(JSON.parse(await certificateIn(saved.bytes)).document.hours, data.hours);
  });
  await visit("/verify/?lang=en", async (page) => {
    await page.locator("#given-files").setInputFiles({ name: saved.name, mimeType: "application/pdf", buffer: Buffer.from(saved.bytes) });
    await settled(page);
    assert.match(await page.locator(".paper").innerText(), /Hours of teaching\s+96/);
    assert.equal(await page.locator(".verdict").getAttribute("data-code"), "valid");
  });
});

test("a page loads slices for Chinese characters, and names a character without a font", options, async () => {
  const named = { ...data, name: "漢字 Course ไ" };
  const open = [["name"], ["ledgerId"], ["assetId"]];
  const changed = { metadata: cert.expose(named, open), evidence: await cert.disclose(named, open) };
  const imprint = (await cert.imprint(named)).replace("aih2:", "");
  const { data: report } = JSON.parse(answer().body);
  const routes = { "**/badge.json?*": answer({ ...changed, asset: { ...report.asset, imprint } }) };
  await host.visit(
    PAGE,
    async (page) => {
      const loads = [];
      page.on("response", (answer) => loads.push([new URL(answer.url()).pathname, answer]));
      await settled(page);
      await savePdf(page);
      await page.getByText("The PDF has no letters for ไ (U+0E44), and shows � in their place.").waitFor();
      const ofScripts = loads.filter(([path]) => /\.(ranges|slice)$/.test(path));
      const names = ofScripts.map(([path]) => path.replace(/-[\da-f]{16}|-\d+/g, "")).toSorted();
      assert.deepEqual(names, ["/chunks/sc.ranges", "/chunks/sc.slice", "/chunks/sc.slice"]);
      for (const [path, answer] of ofScripts) assert.match(await answer.headerValue("cache-control"), /immutable/, path);
    },
    { routes },
  );
});
