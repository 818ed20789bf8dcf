// A verified document on the page: titles, the order of the fields, dates, numbers, links, pictures, and printing.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { Cert, generateKey } from "@assay/cert/aih2";
import { answerOf, file, skip, start } from "./browser.mjs";
import { badge, asset as issued, ledger } from "./certificate.mjs";

const options = { skip };
let host;
before(async () => {
  if (!skip) host = await start();
});
after(() => host?.stop());

const PIXEL = "data:image/gif;base64,R0lGODlhAQABAIAAAAAAAP///yH5BAEAAAAALAAAAAABAAEAAAIBRAA7";
const text = { type: "string" };
const schema = {
  title: "Course certificate",
  type: "object",
  properties: {
    name: { ...text, title: "Course" },
    issuedAt: { ...text, title: "Issued on" },
    examinedAt: { ...text, title: "Examined at" },
    hours: { type: "integer", title: "Hours" },
    born: { type: "integer", title: "Born" },
    credits: { type: "number", title: "Credits" },
    passed: { type: "boolean", title: "Passed" },
    notes: { ...text, title: "Notes" },
    grades: { type: "array", title: "Grades", items: { type: "object", properties: { subject: { ...text, title: "Subject" }, points: { type: "number" } } } },
    more: { ...text, title: "More" },
    image: { ...text, title: "Picture" },
    seal: { ...text, title: "Seal" },
    amount: { title: "Amount" },
  },
};
const data = {
  name: "Applied Cryptography",
  issuedAt: "2026-06-30",
  examinedAt: "2026-06-28T09:30:00+02:00",
  hours: 12500,
  born: 1990,
  credits: 7.5,
  passed: true,
  notes: "First line\nSecond line",
  grades: [{ subject: "Hash functions", points: 97.5 }],
  more: "https://school.example/courses/7",
  image: "https://school.example/certificates/7",
  seal: PIXEL,
  amount: 1,
};
const cert = new Cert({ schema, key: generateKey() });
const imprint = await cert.imprint(data);
/** Returns evidence that contains the value of every field. */
const shownBy = (document) =>
  cert.disclose(
    document,
    Object.keys(document).map((key) => [key]),
  );
const evidence = await shownBy(data);

/** Verifies `metadata` on the page. */
async function verify(page, metadata = data, given = {}) {
  const documents = { metadata, evidence, schema, imprint, ...given };
  for (const [id, value] of Object.entries(documents)) await page.fill(`#${id}`, typeof value === "string" ? value : JSON.stringify(value));
  await page.getByRole("button", { name: "Verify", exact: true }).click();
  return answerOf(page);
}

const shown = (page) => page.locator("#fields tr").evaluateAll((rows) => rows.map((row) => [row.querySelector("th > bdi").textContent, row.cells[2].innerText.trim()]));

test("fields have the schema's order and titles, and are shown as text, dates and numbers", options, () =>
  host.visit("/verify/#expert", async (page) => {
    assert.equal((await verify(page)).kind, "unchanged");
    assert.equal(await page.locator("#result-title").innerText(), "Course certificate");
    const rows = await shown(page);
    assert.deepEqual(rows.slice(0, 10), [
      ["Course", "Applied Cryptography"],
      ["Issued on", "30 June 2026"],
      ["Examined at", "28 June 2026 at 09:30:00 UTC+02:00"],
      ["Hours", "12500"],
      ["Born", "1990"],
      ["Credits", "7.5"],
      ["Passed", "Yes"],
      ["Notes", "First line\nSecond line"],
      ["Grades 1 · Subject", "Hash functions"],
      ["grades[0].points", "97.5"],
    ]);
    assert.deepEqual(
      rows.slice(10).map(([name]) => name),
      ["More", "Picture", "Seal", "Amount"],
    );
    assert.equal(await page.locator("#fields time").first().getAttribute("datetime"), "2026-06-30");
  }),
);

test("text that is not a date, and text that looks like another value, is shown unchanged", options, () =>
  host.visit("/verify/#expert", async (page) => {
    const odd = { name: " padded", issuedAt: "2026-02-30", notes: "", more: "javascript:alert(1)", image: "http://school.example/x.png", seal: "data:text/html,<b>x</b>", amount: "1" };
    await verify(page, odd, { evidence: await shownBy(odd), imprint: await cert.imprint(odd) });
    assert.deepEqual(await shown(page), [
      ["Course", '" padded"'],
      ["Issued on", "2026-02-30"],
      ["Notes", '""'],
      ["More", "javascript:alert(1)"],
      ["Picture", "http://school.example/x.png"],
      ["Seal", "data:text/html,<b>x</b>"],
      ["Amount", "1"],
    ]);
    assert.equal(await page.locator("#fields :is(a, img)").count(), 0);
    // The string "1" is not the certified number 1.
    await verify(page, { ...data, amount: "1" });
    assert.match(await page.locator("#fields tr", { hasText: "Amount" }).innerText(), /Certified: 1\s+This document says: "1"/);
  }),
);

test("a picture of another host is fetched on request, and an embedded picture is shown immediately", options, () =>
  host.visit(
    "/verify/#expert",
    async (page) => {
      const asked = [];
      page.on("request", (request) => asked.push(request.url()));
      await verify(page);
      const [seal] = await page.locator("#fields img").evaluateAll((all) => all.map(({ src, naturalWidth }) => [src, naturalWidth]));
      assert.deepEqual(seal, [PIXEL, 1]);
      const link = page.locator("#fields tr", { hasText: "More" }).getByRole("link");
      assert.deepEqual([await link.getAttribute("href"), await link.getAttribute("rel")], [data.more, "noopener noreferrer nofollow"]);
      assert.deepEqual(
        asked.filter((address) => address.includes("school.example")),
        [],
      );
      await page.getByRole("button", { name: "Show the picture from school.example" }).click();
      await page.getByText("Loaded from school.example, which may change it: only its address is certified.").waitFor();
    },
    { routes: { [data.image]: { contentType: "image/gif", body: Buffer.from(PIXEL.split(",")[1], "base64") } } },
  ),
);

test("a forged link is shown as text, and a forged picture is not offered", options, () =>
  host.visit("/verify/#expert", async (page) => {
    await verify(page, { ...data, more: "https://evil.example/", image: "https://evil.example/x.png", seal: `${PIXEL}=` });
    for (const field of ["More", "Picture", "Seal"]) assert.equal(await page.locator("#fields tr", { hasText: field }).locator("a, button, img").count(), 0, field);
  }),
);

const STRANGE = [
  ["marks.csv", "name,hours\nAda,96\nEve,1\n", /The file marks\.csv is a table \(CSV\)\. Save each row as a JSON file of its own/],
  ["marks.xlsx", "PK\u0003\u0004xl", /The file marks\.xlsx is an Excel, Word or ZIP file\./],
  ["diploma.pdf", "%PDF-1.7\n%", /The file diploma\.pdf is a PDF\. Use the JSON file of the document instead\./],
];
for (const [address, label] of [
  ["/verify/#expert", "Metadata from a file"],
  ["/certify/", "Document or private file"],
]) {
  test(`${address} recognizes a table, a workbook and a PDF`, options, () =>
    host.visit(address, async (page) => {
      for (const [name, text, sentence] of STRANGE) {
        await page.getByLabel(label).setInputFiles(file(name, text));
        await page.locator("#note", { hasText: name }).waitFor();
        assert.match(await page.locator("#note").innerText(), sentence);
      }
      assert.deepEqual(await page.locator("textarea").evaluateAll((all) => all.map(({ value }) => value).join("")), "");
    }),
  );
}

test("a pasted table and a list of documents are refused with a message", options, async () => {
  await host.visit("/verify/#expert", async (page) => {
    assert.match((await verify(page, "a;b\n1;2")).text, /The metadata is a table \(CSV\)\./);
    assert.match((await verify(page, [data])).text, /This is a list\. Verify one document at a time\.$/);
  });
  await host.visit("/certify/", async (page) => {
    await page.fill("#schema", JSON.stringify(schema));
    for (const [given, sentence] of [
      ["a;b\n1;2", /The document is a table \(CSV\)\./],
      [JSON.stringify([data, data]), /This is a list\. Certify one document at a time\.$/],
    ]) {
      await page.fill("#data", given);
      await page.getByRole("button", { name: "Choose fields" }).click();
      assert.match((await answerOf(page)).text, sentence);
    }
  });
});

const LINK = `/verify/?ledgerId=${ledger.id}&assetId=1`;
const linked = badge({ metadata: data, evidence, schema, ledger: { ...ledger, schemaId: cert.identify() }, asset: { ...issued, imprint: imprint.replace("aih2:", "") } });

for (const colorScheme of ["light", "dark"]) {
  test(`verdict and certificate print on one sheet, from a ${colorScheme} screen`, options, () =>
    host.visit(
      LINK,
      async (page) => {
        assert.equal((await answerOf(page)).kind, "unchanged");
        const sheets = (await page.pdf({ format: "A4" })).toString("latin1").match(/\/Type\s*\/Page\b/g).length;
        assert.equal(sheets, 1);
        await page.emulateMedia({ media: "print" });
        const visible = await page.locator("#expert > div > *:not(#expert-parts):visible, #expert-parts > *:visible").evaluateAll((all) => all.map(({ id }) => id));
        assert.deepEqual(visible, ["answer", "record", "result"]);
        assert.equal(await page.locator(":is(nav, input, textarea, button, summary):visible").count(), 0);
        const luminance = await page.locator("body").evaluate((body) =>
          getComputedStyle(body)
            .color.match(/\d+/g)
            .map(Number)
            .reduce((sum, part) => sum + part),
        );
        assert.ok(luminance < 200, "ink is dark");
      },
      { colorScheme, routes: { "**/badge.json?*": linked } },
    ),
  );
}

test("the page sends only ledger and asset, and only to this service", options, async () => {
  const sent = (page) => {
    const asked = [];
    // Leaves out the picture with a `data:` address, because loading it sends nothing.
    page.on("request", (request) => request.url().startsWith("data:") || asked.push(`${request.method()} ${new URL(request.url()).pathname}`));
    return () => asked.filter((one) => !/^GET \/(workers\/|chunks\/|logo\.svg$)/.test(one));
  };
  await host.visit("/verify/#expert", async (page) => {
    assert.match(await page.locator(".expert-lead").innerText(), /sends them nowhere\. .* the page sends the ledger and the asset ID to this service/);
    const asked = sent(page);
    await verify(page);
    assert.deepEqual(asked(), []);
  });
  await host.visit(
    "/verify/#expert",
    async (page) => {
      const asked = sent(page);
      await page.fill("#ledger-id", ledger.id);
      await page.fill("#asset-id", "1");
      await page.getByRole("button", { name: "Load" }).click();
      await answerOf(page);
      assert.deepEqual(asked(), ["GET /badge.json"]);
    },
    { routes: { "**/badge.json?*": linked } },
  );
});
