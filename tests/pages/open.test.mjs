// The first part of the verify page. Its field and its drop zone accept every form of a certificate.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import encodeQR from "qr";
import { toCompact } from "../../www/lib/compact.ts";
import { toFragment } from "../../www/lib/file.ts";
import { codeText } from "../../www/lib/qr.ts";
import { drop, file, serveSources, skip, start } from "./browser.mjs";
import { answer, cert, certificateFile, data, evidence, ledgerId, metadata, privateFile, schema } from "./shared.mjs";

const options = { skip };
let host;
before(async () => {
  if (!skip) host = await start();
});
after(() => host?.stop());

const visit = (act, { routes = {}, ...more } = {}) => host.visit("/verify/?lang=en", act, { routes: { "**/badge.json?*": answer(), ...routes }, ...more });
const settled = (page) => page.waitForFunction(() => document.querySelector(".paper .checked")?.textContent.startsWith("Checked by your browser"));
const headline = (page) => page.locator(".headline").innerText();
const refusal = async (page) => {
  await page.locator("#refusal:not([hidden])").waitFor();
  return page.locator("#refusal").innerText();
};
const own = async (paths, changes) => certificateFile(paths, { service: new URL(host.url).origin, ...changes });

const LINKS = [
  ["a link", () => `${host.url}/c/${ledgerId}/1`],
  ["a badge's address", () => `${host.url}/badge?ledgerId=${ledgerId}&assetId=1`],
  ["a badge's markup", () => `<img src="${host.url}/badge?ledgerId=${ledgerId}&amp;assetId=1" alt="">`],
  ["a ledger and an asset", () => `${ledgerId}/1`],
  ["a sentence with a link", () => `Please look at <${host.url}/c/${ledgerId}/1>, and tell me.`],
  ["a link with a parameter", () => `${host.url}/c/${ledgerId}/1?utm_source=mail.`],
];
for (const [what, text] of LINKS) {
  test(`the certificate's page opens from ${what}`, options, () =>
    visit(async (page) => {
      await page.getByLabel("Link of the certificate").fill(text());
      await page.keyboard.press("Enter");
      await page.waitForURL(`**/c/${ledgerId}/1`);
      await page.locator("[data-code=valid]").waitFor();
    }),
  );
}

test("a holder's link shows the shared part", options, () =>
  visit(async (page) => {
    const form = await toFragment({ ...(await own([["hours"]])), document: null });
    await page.getByLabel("Link of the certificate").fill(`${host.url}/c/${ledgerId}/1#${form}`);
    await page.getByRole("button", { name: "Check" }).click();
    await settled(page);
    assert.match(await page.locator(".paper").innerText(), /Hours of teaching\s+96/);
    assert.doesNotMatch(await page.locator(".paper").innerText(), /Ada Example/);
  }),
);

test("a holder's link inside a sentence shows the shared part", options, () =>
  visit(async (page) => {
    const form = await toFragment({ ...(await own([["hours"]])), document: null });
    await page.getByLabel("Link of the certificate").fill(`My certificate (${host.url}/c/${ledgerId}/1%23${form}), as you asked.`);
    await page.getByRole("button", { name: "Check" }).click();
    await settled(page);
    assert.match(await page.locator(".paper").innerText(), /Hours of teaching\s+96/);
    assert.match(new URL(page.url()).hash, /^#1[\w-]+$/);
  }),
);

test("the text of a printed code opens the certificate with its values", options, () =>
  visit(async (page) => {
    const { document, evidence } = await own([["hours"]]);
    const form = await toCompact({ schema, document, evidence }, { ledger: ledgerId, asset: "1" });
    await page.getByLabel("Link of the certificate").fill(codeText(`${host.url}/c/${ledgerId}/1#${form}`));
    await page.getByRole("button", { name: "Check" }).click();
    await settled(page);
    assert.match(await page.locator(".paper").innerText(), /Hours of teaching\s+96/);
    assert.equal(new URL(page.url()).hash, `#${form}`);
  }),
);

test("a link that lacks a part is called incomplete", options, () =>
  visit(async (page) => {
    for (const text of [`${host.url}/c/${ledgerId}/`, `${host.url}/c/${ledgerId.slice(0, 20)}`, `${host.url}/c/${ledgerId}/1#1bZFbj9owFIT_yuo8`]) {
      await page.getByLabel("Link of the certificate").fill(text);
      await page.keyboard.press("Enter");
      assert.match(await refusal(page), /This link is incomplete or damaged\. Ask for it again/);
      assert.equal(await page.locator("#refusal").getAttribute("data-kind"), "unchecked");
    }
  }),
);

test("a link of another service names that service", options, () =>
  visit(async (page) => {
    await page.getByLabel("Link of the certificate").fill(`https://other.example/c/${ledgerId}/1`);
    await page.keyboard.press("Enter");
    await settled(page);
    assert.equal(await page.locator("#whose").innerText(), "The link leads to another service, other.example. What you see here is the answer of this service.");
  }),
);

test("a certificate's file is checked against the ledger and shows only its own fields", options, () =>
  visit(async (page) => {
    await drop(page, "body", [file("a.assay.json", await own([["name"], ["holder", "email"]]))]);
    await settled(page);
    assert.equal(await headline(page), "Valid. Issued by uni.example");
    assert.match(await page.locator(".paper").innerText(), /ada@example\.com/);
    assert.match(await page.locator(".below").innerText(), /This copy comes from a file\./);
  }),
);

/** Returns the bytes of a text in UTF-16 with its byte order mark, as PowerShell writes it. */
const utf16 = (text) => Buffer.from(`\ufeff${text}`, "utf16le");

test("a certificate file is opened in UTF-16, and refused in Windows-1252", options, () =>
  visit(async (page) => {
    const text = JSON.stringify(await own([["name"], ["holder", "name"]])).replace("Ada", "Zoë");
    const choose = (buffer) => page.locator("#given-files").setInputFiles({ name: "a.assay.json", mimeType: "application/json", buffer });
    await choose(Buffer.from(text, "latin1"));
    assert.equal(await refusal(page), "Not possible. a.assay.json is not readable as text. Ask for the file again, or save it as UTF-8.");
    assert.equal(await page.locator("#refusal").getAttribute("data-kind"), "unchecked");
    assert.equal(await page.locator(".headline").count(), 0);
    await choose(utf16(JSON.stringify(await own([["name"], ["holder", "name"]]))));
    await settled(page);
    assert.equal(await headline(page), "Valid. Issued by uni.example");
  }),
);

test("the expert part reads UTF-16, and refuses Windows-1252", options, () =>
  host.visit("/verify/#expert", async (page) => {
    const choose = (buffer) => page.getByLabel("Metadata from a file").setInputFiles({ name: "m.json", mimeType: "application/json", buffer });
    await choose(Buffer.from('{"name":"Zo\xeb"}', "latin1"));
    await page.getByText("The file m.json is not readable as text. Save it as UTF-8.").waitFor();
    assert.equal(await page.locator("#metadata").inputValue(), "");
    await choose(utf16('{"name":"Zoë"}'));
    await page.getByText("Read m.json.").waitFor();
    assert.equal(await page.locator("#metadata").inputValue(), '{"name":"Zoë"}');
  }),
);

test("the holder's private file is called private, by its content or by its name", options, async () => {
  const all = {
    document: data,
    evidence: await cert.disclose(
      data,
      Object.keys(data).map((key) => [key]),
    ),
  };
  for (const [name, made, isPrivate] of [
    ["a.assay.json", await own([["name"]], all), true],
    ["a.private.assay.json", await own([["name"]]), true],
    ["a.assay.json", await own([["name"], ["hours"]]), false],
  ]) {
    await visit(async (page) => {
      await drop(page, "body", [file(name, made)]);
      await settled(page);
      const said = await page.locator(".below").innerText();
      assert.equal(/This is the holder’s private file: it can show everything\. Do not pass it on\./.test(said), isPrivate, said);
    });
  }
});

test("a forged value in a file is detected, and the file's own imprint is ignored", options, async () => {
  for (const [changes, code] of [
    [{ document: { name: "Forged", ledgerId, assetId: "1" } }, "changed"],
    [{ imprint: "0".repeat(64) }, "valid"],
  ]) {
    await visit(async (page) => {
      await drop(page, "body", [file("a.assay.json", await own([["name"]], changes))]);
      await settled(page);
      assert.equal(await page.locator(".verdict").getAttribute("data-code"), code);
    });
  }
});

test("without the service, a file gets no verdict", options, () =>
  visit(
    async (page) => {
      await drop(page, "body", [file("a.assay.json", await own([["name"]]))]);
      await page.locator("[data-code=not-checked]").waitFor();
      assert.match(await page.locator(".why").innerText(), /^A file alone cannot tell whether it is genuine, in force, or who issued it\./);
    },
    { routes: { "**/badge.json?*": { status: 503, body: "" } }, expected: [/503/] },
  ),
);

test("separate files can be dropped in any order, one after the other", options, () =>
  visit(async (page) => {
    await drop(page, "body", [file("schema.json", schema)]);
    assert.match(await refusal(page), /To check separate files, drop these as well: the document and the evidence\./);
    await drop(page, "body", [file("evidence.json", evidence), file("metadata.json", metadata)]);
    await settled(page);
    assert.equal(await headline(page), "Valid. Issued by uni.example");
  }),
);

test("a picture of the QR code opens the certificate, but another picture gets a message", options, () =>
  visit(async (page) => {
    await serveSources(page);
    const picture = async (text) =>
      page.evaluate(async (text) => {
        const { qrPicture } = await import("/lib/qr.ts");
        const canvas = new OffscreenCanvas(500, 500);
        const context = canvas.getContext("2d");
        context.fillStyle = "#fff";
        context.fillRect(0, 0, 500, 500);
        context.fillStyle = "#000";
        if (text !== null) {
          const drawing = qrPicture(text, "QR");
          const scale = 400 / Number(drawing.getAttribute("viewBox").split(" ")[2]);
          context.translate(50, 50);
          context.scale(scale, scale);
          context.fill(new Path2D(drawing.querySelector("path").getAttribute("d")));
        }
        const bytes = new Uint8Array(await (await canvas.convertToBlob()).arrayBuffer());
        return [...bytes];
      }, text);
    const choose = async (text, bytes) => page.locator("#given-files").setInputFiles({ name: "photo.png", mimeType: "image/png", buffer: Buffer.from(bytes ?? (await picture(text))) });
    await choose(null);
    assert.match(await refusal(page), /There is no readable QR code in this picture\./);
    await choose("hello");
    await page.getByText("The QR code has no link of a certificate. It says: hello").waitFor();
    await choose("", [1, 2, 3]);
    await page.getByText("This picture could not be read.").waitFor();
    await choose(`${host.url}/c/${ledgerId}/1`);
    await page.waitForURL(`**/c/${ledgerId}/1`);
  }),
);

const REFUSED = [
  ["a private file", () => file("a.json", privateFile()), /This is a private file\. Show it to nobody: open it on the page Share instead\./],
  ["a file of another service", async () => file("a.assay.json", await own([["name"]], { service: "https://other.example" })), /This file belongs to another service, other\.example\. Check it there/],
  ["a damaged file", async () => file("a.assay.json", { ...(await own([["name"]])), extra: 1 }), /This file is damaged: it has `extra`/],
  ["a table", () => file("a.csv", "name,born\nAda,1815\n"), /This is a table \(CSV\)\. Open one certificate at a time\./],
  ["an Excel file", () => file("a.xlsx", "PK\u0003\u0004"), /This is an Excel, Word or ZIP file\./],
  ["a PDF without a certificate", () => file("a.pdf", "%PDF-1.7"), /This PDF has no certificate in it\./],
  ["a PDF with a password", () => file("a.pdf", "%PDF-1.7 /Encrypt 1 0 R"), /This PDF has a password\./],
  ["a list", () => file("a.json", [data]), /This is a list\. Open one certificate at a time\./],
  ["a web page", () => file("a.html", "<!doctype html>"), /This is a saved web page\./],
  ["broken JSON", () => file("a.json", "{"), /This file is damaged: it is not JSON\./],
];
for (const [what, made, expected] of REFUSED) {
  test(`${what} is refused with one message`, options, () =>
    visit(async (page) => {
      await drop(page, "body", [await made()]);
      assert.match(await refusal(page), expected);
      assert.equal(await page.locator(".headline").count(), 0);
    }),
  );
}

test("a text that is not a link gets a message", options, () =>
  visit(async (page) => {
    await page.getByLabel("Link of the certificate").fill("hello");
    await page.keyboard.press("Enter");
    assert.match(await refusal(page), /This is not the link of a certificate\. It looks like/);
  }),
);

test("the example is really checked, and its forgery is detected", options, () =>
  visit(async (page) => {
    await page.getByRole("button", { name: "Try an example" }).click();
    await settled(page);
    assert.equal(await headline(page), "Unchanged. Issuer not confirmed");
    assert.match(await page.locator(".below").innerText(), /This is an example\. Its record is part of this page, and not on a ledger\./);
    assert.equal(await page.locator('#view a[href*="/c/"]').count(), 0);
    await page.getByRole("button", { name: "Try a forged example" }).click();
    await page.locator("[data-code=changed]").waitFor();
    assert.deepEqual(await page.locator(".mark").allInnerTexts(), ["Changed. Certified was: 96"]);
  }),
);

/** Lets the page's camera film a code, a little tilted. Without a text, the visitor refuses the camera. With an empty text, there is no code. */
const film = (page, text) =>
  page.evaluate(
    (rows) => {
      window.films = 0;
      navigator.mediaDevices.getUserMedia = async () => {
        if (rows === null) throw new DOMException("denied", "NotAllowedError");
        const canvas = Object.assign(document.createElement("canvas"), { width: 800, height: 600 });
        const context = canvas.getContext("2d");
        const draw = () => {
          context.setTransform(1, 0, 0, 1, 0, 0);
          context.fillStyle = "#ddd";
          context.fillRect(0, 0, 800, 600);
          context.translate(250, 60);
          context.rotate(0.15);
          context.fillStyle = "#222";
          const size = 400 / rows.length;
          for (const [y, row] of rows.entries()) for (const [x, isDark] of row.entries()) if (isDark) context.fillRect(x * size, y * size, size + 0.5, size + 0.5);
        };
        setInterval(draw, 200);
        const stream = canvas.captureStream(10);
        const [track] = stream.getTracks();
        const stop = track.stop.bind(track);
        track.stop = () => {
          window.films = 0;
          stop();
        };
        window.films = 1;
        return stream;
      };
    },
    text === null ? null : text === "" ? [] : encodeQR(text, "raw"),
  );
const scan = (page) => page.getByRole("button", { name: "Scan a code with the camera" });

test("a code in front of the camera opens its certificate", options, () =>
  visit(async (page) => {
    await film(page, `${host.url}/c/${ledgerId}/1`);
    await scan(page).click();
    await page.waitForURL(`**/c/${ledgerId}/1`);
    await page.locator("[data-code=valid]").waitFor();
  }),
);

test("the camera ends with a sentence if it is refused, has a foreign code, or is stopped", options, () =>
  visit(async (page) => {
    await film(page, null);
    await scan(page).click();
    assert.match(await refusal(page), /The camera cannot be used\. Allow it in your browser/);
    await film(page, "https://elsewhere.example/");
    await scan(page).click();
    await page.locator("#refusal", { hasText: "elsewhere.example" }).waitFor();
    assert.deepEqual([await page.locator(".camera").count(), await page.evaluate(() => window.films)], [0, 0]);
    await film(page, "");
    await scan(page).click();
    await page.waitForFunction(() => window.films === 1);
    await page.getByRole("button", { name: "Stop the camera" }).click();
    await page.waitForFunction(() => window.films === 0);
    assert.equal(await page.locator(".camera").count(), 0);
  }),
);
