// The holder's page: from a private file, it makes a link and a file that show a part of the certificate.
import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { after, before, test } from "node:test";
import { Cert as First } from "@assay/cert";
import { Cert } from "@assay/cert/aih2";
import { fromFragment, readFile as readCertificateFile } from "../../www/lib/file.ts";
import { readSdJwt } from "../../www/lib/sd-jwt.ts";
import { drop, file, shoot, skip, start } from "./browser.mjs";
import { cert, certificateFile, data, imprint, ledgerId, privateFile, schema } from "./shared.mjs";

const options = { skip };
let host;
before(async () => {
  if (!skip) host = await start();
});
after(() => host?.stop());

/** Opens the page and waits until it no longer needs the network. */
const visit = (act, { address = "/share/?lang=en", ...more } = {}) =>
  host.visit(
    address,
    async (page) => {
      await page.locator("#ready:not(:empty)").waitFor();
      await act(page);
    },
    more,
  );

async function openFiles(page, ...files) {
  await drop(page, "body", files);
  await page.locator("#holding:not([hidden]), #answer:not([hidden])").first().waitFor();
}

/** Returns the preview's text without the characters (U+2068, U+2069) that isolate the writing direction of names. */
const paperOf = async (page) => (await page.locator("#paper").innerText()).replace(/[\u2068\u2069]/g, "");
const sentence = (page) => page.locator("#answer").innerText();
const box = (page, name) =>
  page
    .locator("#tree label", { has: page.getByText(name, { exact: true }) })
    .locator("input")
    .first();

async function make(page) {
  await page.getByRole("button", { name: "Make link and file" }).click();
  await page.locator("#made:not([hidden]), #answer:not([hidden])").first().waitFor();
}

/** Returns the document that a recipient of the link can verify with the ledger's imprint. */
async function received(link) {
  const { pathname, hash } = new URL(link);
  const { schema, document, evidence } = await fromFragment(hash.slice(1));
  assert.equal(document, null);
  const [, , ledger, asset] = pathname.split("/");
  const report = await new Cert({ schema }).verify(evidence, imprint, { asset: { ledgerId: ledger, assetId: asset } });
  assert.deepEqual(report.errors, []);
  return report.document;
}

const open = (page) => openFiles(page, file("ada.private.json", privateFile()));

test("a private file is opened in UTF-16, and refused in Windows-1252", options, () =>
  visit(async (page) => {
    const text = JSON.stringify(privateFile());
    const choose = (buffer) => page.locator("#files").setInputFiles({ name: "ada.private.json", mimeType: "application/json", buffer });
    await choose(Buffer.from(text.replace("Ada", "Zoë"), "latin1"));
    await page.locator("#answer:not([hidden])").waitFor();
    assert.match(await sentence(page), /ada\.private\.json is not readable as text/);
    await choose(Buffer.from(`\ufeff${text}`, "utf16le"));
    await page.locator("#holding").waitFor();
  }),
);

test("a private file becomes a link with two fields, without a request", options, () =>
  visit(async (page) => {
    const asked = [];
    page.on("request", (request) => asked.push(request.url()));
    await page.context().setOffline(true);
    await open(page);
    await page.getByRole("button", { name: "Tick none" }).click();
    assert.ok(await page.locator("#make").isDisabled());
    await box(page, "Course").check();
    await box(page, "Hours of teaching").check();
    // The title also stands among those that are not shown.
    await page.locator("#paper", { hasText: /Hours of teaching\s*96/ }).waitFor();
    const paper = await paperOf(page);
    assert.match(paper, /Applied Cryptography, advanced course[\s\S]*Hours of teaching\s+96/);
    assert.match(paper, /Not shown: Achievement, Picture, Holder, Issued on, Grade and Valid until\./);
    assert.doesNotMatch(paper, /Ada Example/);
    await make(page);
    const link = await page.locator("#link").innerText();
    assert.ok(link.startsWith(`${new URL(host.url).origin}/c/${ledgerId}/1#1`));
    assert.deepEqual(await received(link), { name: data.name, hours: 96, ledgerId, assetId: "1" });
    assert.equal(await page.locator("#open").getAttribute("href"), link);
    assert.deepEqual(asked, []);
  }),
);

test("the shared file has the same fields, and names the service", options, () =>
  visit(async (page) => {
    await open(page);
    await make(page);
    const [download] = await Promise.all([page.waitForEvent("download"), page.getByRole("button", { name: "Download the file" }).click()]);
    assert.equal(download.suggestedFilename(), "applied-cryptography-advanced-course-1.shared.assay.json");
    const made = readCertificateFile(await readFile(await download.path(), "utf8"));
    assert.deepEqual([made.service, made.ledger, made.asset, made.imprint], [new URL(host.url).origin, ledgerId, "1", imprint]);
    // The fields that the issuer published are ticked at first.
    assert.deepEqual(Object.keys(made.document).sort(), ["assetId", "description", "image", "issuedAt", "ledgerId", "name"]);
    assert.equal(await new Cert({ schema }).calculate(made.document, made.evidence), `aih2:${imprint}`);
  }),
);

test("part of a list and of an object can be shown", options, () =>
  visit(async (page) => {
    await open(page);
    await page.getByRole("button", { name: "Tick none" }).click();
    await box(page, "Name").check();
    await page.locator("#tree label", { hasText: "Merkle trees" }).locator("input").check();
    await make(page);
    const shown = await received(await page.locator("#link").innerText());
    assert.deepEqual(shown, { holder: { name: "Ada Example" }, grades: [null, null, { subject: "Merkle trees" }], ledgerId, assetId: "1" });
  }),
);

test("the holder of an SD-JWT shows two of its nine fields, without a request", options, () =>
  visit(async (page) => {
    const vectors = JSON.parse(await readFile(new URL("../vectors/vc/jwts.json", import.meta.url), "utf8"));
    const { service, ledger, asset, imprint, schema, document, evidence, sdJwt } = vectors;
    const holders = file("ada.private.assay.json", { assay: 1, service, ledger, asset, imprint: imprint.replace("aih2:", ""), schema, document, evidence });
    const sdJwtFile = file("ada.sdjwt", sdJwt);
    const asked = [];
    page.on("request", (request) => asked.push(request.url()));
    await page.context().setOffline(true);
    for (const files of [[sdJwtFile], [holders, sdJwtFile]]) {
      await openFiles(page, ...files);
      assert.equal(await page.locator("#tree > li").count(), 9);
      await page.getByRole("button", { name: "Tick none" }).click();
      const field = (name) => page.locator("#tree > li > label", { has: page.getByText(name, { exact: true }) }).locator("input");
      await field("name").check();
      await field("grade").check();
      await page.locator("#paper", { hasText: /grade\s*A/ }).waitFor();
      assert.match(await paperOf(page), /Applied Cryptography[\s\S]*grade\s+A/);
      await make(page);
      assert.equal(await page.locator("#link-made").isVisible(), files.length === 2);
      assert.equal(await page.locator("#save").isVisible(), files.length === 2);
      await shoot(page, `share-sd-jwt-${files.length}`);
      const [download] = await Promise.all([page.waitForEvent("download"), page.getByRole("button", { name: "Download the SD-JWT" }).click()]);
      assert.equal(download.suggestedFilename(), "applied-cryptography-17.shared.sdjwt");
      const reduced = await readFile(await download.path(), "utf8");
      assert.deepEqual((await readSdJwt(reduced)).document, { name: "Applied Cryptography", grade: "A" });
      assert.ok(reduced.startsWith(sdJwt.split("~")[0]));
    }
    assert.deepEqual(asked, []);
    for (const [files, expected] of [
      [[file("a.json", privateFile()), sdJwtFile], /This SD-JWT does not belong to the opened certificate/],
      [[file("ada.sdjwt", sdJwt.replace("~WyJ", "~WyK"))], /This is not the SD-JWT of an Assay certificate, or it was changed/],
      [[sdJwtFile, file("eve.sdjwt", vectors.bound)], /These are too many files/],
    ]) {
      await openFiles(page, ...files);
      assert.match(await sentence(page), expected);
    }
  }),
);

test("a certificate's file, or complete evidence with its schema, can also be opened", options, async () => {
  const whole = await certificateFile(
    Object.keys(data)
      .filter((key) => !["ledgerId", "assetId"].includes(key))
      .map((key) => [key]),
  );
  const everything = await cert.disclose(
    data,
    Object.keys(data).map((key) => [key]),
  );
  for (const files of [
    [file("ada.assay.json", whole)],
    [file("everything.json", everything), file("schema.json", schema)],
    [file("schema.json", schema), file("document.json", data), file("e.json", await cert.notarize(data))],
  ]) {
    await visit(async (page) => {
      await openFiles(page, ...files);
      await box(page, "Hours of teaching").check();
      await make(page);
      assert.deepEqual(await received(await page.locator("#link").innerText()), { hours: 96, ledgerId, assetId: "1" });
    });
  }
});

test("a reduced file can be reduced further, but not extended", options, () =>
  visit(async (page) => {
    await openFiles(page, file("a.assay.json", await certificateFile([["name"], ["hours"]])));
    assert.equal(await page.locator("#tree input").count(), 2);
    await box(page, "Course").check();
    await make(page);
    assert.deepEqual(await received(await page.locator("#link").innerText()), { name: data.name, ledgerId, assetId: "1" });
  }),
);

test("for an AIH-1 private file, which does not name its ledger, the page asks for the certificate's link", options, async () => {
  const text = { type: "string" };
  const old = { type: "object", properties: { name: { ...text, title: "Course" }, holder: { ...text, title: "Holder" } } };
  const document = { name: "Applied Cryptography", holder: "Ada Example" };
  const issuer = new First({ schema: old, noncer: { secret: "correct horse battery staple" } });
  const kept = { "assay private file": 1, imprint: await issuer.imprint(document), secret: "correct horse battery staple", shown: [["name"]], data: document, schema: old };
  await visit(async (page) => {
    await openFiles(page, file("old.private.json", kept));
    await make(page);
    assert.match(await sentence(page), /Enter the link of your certificate first\./);
    await page.getByLabel("Link of your certificate").fill(`https://assay.example/c/${ledgerId}/7`);
    await make(page);
    const link = new URL(await page.locator("#link").innerText());
    assert.equal(link.pathname, `/c/${ledgerId}/7`);
    const shown = await fromFragment(link.hash.slice(1));
    assert.deepEqual(shown.document, { name: "Applied Cryptography" });
    assert.equal(await new First({ schema: old }).calculate(shown.document, shown.evidence), kept.imprint);
  });
});

const REFUSED = [
  [
    "a private file of another certificate",
    [file("a.json", privateFile())],
    /^Not possible\. This private file belongs to another certificate\. Open the one of this certificate\.$/,
    `/share/?lang=en#${ledgerId}/2`,
  ],
  ["a changed private file", [file("a.json", privateFile({ data: { ...data, hours: 960 } }))], /This file was changed/],
  ["a private file with another key", [file("a.json", privateFile({ secret: "0".repeat(64) }))], /This file was changed/],
  ["a private file cut in half", [file("a.json", JSON.stringify(privateFile()).slice(0, 500))], /The private file is damaged/],
  ["a private file with an invalid key", [file("a.json", privateFile({ secret: "secret" }))], /The private file is damaged/],
  ["a table", [file("list.csv", "name,holder\nA,B\n")], /This is a table \(CSV\)\./],
  ["a PDF without a certificate", [file("a.pdf", "%PDF-1.7\n")], /This PDF has no certificate in it\./],
  ["an Excel file", [file("a.xlsx", "PK\u0003\u0004")], /This is an Excel, Word or ZIP file\./],
  ["a list of documents", [file("a.json", [data, data])], /This is a list\. Open one certificate at a time\./],
  ["the document alone", [file("a.json", data)], /This is not a private file\./],
  ["evidence alone", [file("a.json", {})], /This is not a private file\./],
  ["a schema alone", [file("a.json", schema)], /This file alone is not enough\./],
  ["four files", [1, 2, 3, 4].map((name) => file(`${name}.json`, {})), /These are too many files\./],
  ["a file of 6 MB", [file("a.json", `{"assay private file":1,"x":"${"x".repeat(6 << 20)}"}`)], /The file is too large: 6\.0 MB/],
];
for (const [what, files, expected, address] of REFUSED) {
  test(`${what} is refused with one message`, options, () =>
    visit(
      async (page) => {
        await openFiles(page, ...files);
        assert.match(await sentence(page), expected);
        assert.ok(!(await page.locator("#holding").isVisible()));
      },
      address ? { address } : {},
    ),
  );
}

test("a document too large for a link is shared as a file", options, async () => {
  const noise = Array.from({ length: 9000 }, (_, index) => ((index * 2654435761) >>> 7).toString(36)).join("");
  const long = { ...data, description: noise };
  await visit(async (page) => {
    await openFiles(page, file("a.json", privateFile({ data: long, imprint: (await cert.imprint(long)).replace("aih2:", "") })));
    await make(page);
    assert.match(await page.locator("#made").innerText(), /This is too much for a link\. Pass on the file instead\./);
    assert.ok(!(await page.locator("#link").isVisible()));
    assert.ok(await page.getByRole("button", { name: "Download the file" }).isVisible());
  });
});

test("the whole page works with a keyboard", options, () =>
  visit(async (page) => {
    await open(page);
    assert.equal(await page.evaluate(() => document.activeElement.id), "choice-title");
    for (let steps = 0; steps < 3; steps += 1) await page.keyboard.press("Tab");
    await page.keyboard.press("Space");
    assert.ok(!(await box(page, "Course").isChecked()));
    for (let steps = 0; steps < 60 && (await page.evaluate(() => document.activeElement.id)) !== "make"; steps += 1) await page.keyboard.press("Tab");
    await page.keyboard.press("Enter");
    await page.locator("#made").waitFor();
    assert.equal(await page.evaluate(() => document.activeElement.id), "made-title");
  }),
);

test("markup and hidden characters of a document are shown as text", options, async () => {
  const odd = { ...data, name: "<img src=x onerror=alert(1)>\u202eX", holder: { ...data.holder, name: "<b>Ada</b>" } };
  await visit(async (page) => {
    await openFiles(page, file("a.json", privateFile({ data: odd, imprint: (await cert.imprint(odd)).replace("aih2:", "") })));
    await page.getByRole("button", { name: "Tick all" }).click();
    assert.equal(await page.locator("#paper b, #tree b, #paper img[src=x], #tree img").count(), 0);
    await page.locator("#paper", { hasText: "<img src=x" }).waitFor();
    assert.match(await page.locator("#paper").innerText(), /<img src=x onerror=alert\(1\)>\\u\{202e\}X/);
  });
});

test("the page uses the language of its address, then the browser's language, then English", options, async () => {
  for (const [locale, address, title] of [
    ["de-AT", "/share/", "Einen Teil Ihres Zertifikats zeigen"],
    ["fr-FR", "/share/?lang=es", "Mostrar una parte de su certificado"],
    ["ja-JP", "/share/", "Share a part of your certificate"],
  ]) {
    await visit(
      async (page) => {
        assert.equal(await page.locator("h1").innerText(), title);
        await open(page);
        await page.locator("#paper .name").waitFor();
        if (locale === "de-AT") assert.match(await page.locator("#paper").innerText(), /30\. Juni 2026/);
      },
      { address, locale },
    );
  }
});
