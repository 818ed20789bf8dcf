// `cert pdf` makes PDFs that other programs accept, and in which `cert` and the pages find the certificate again.
import assert from "node:assert/strict";
import { execFileSync, spawnSync } from "node:child_process";
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { after, test } from "node:test";
import { Cert } from "@assay/cert/aih2";
import { decodeQR } from "qr/decode.js";
import { completed, fromCompact } from "../../www/lib/compact.ts";
import { assetOf } from "../../www/lib/link.ts";
import { certificateIn, isPdf } from "../../www/lib/pdf-file.ts";
import { program } from "../support/cargo.mjs";
import { accessibility } from "./accessible.mjs";
import { skip } from "./programs.mjs";

const options = { skip };
const TOOL = program("debug/cert");
const folder = await mkdtemp(path.join(tmpdir(), "assay-pdf-"));
after(() => rm(folder, { recursive: true }));

const LEDGER = "0xF9196f9f176fd2eF9243E8960817d5FbE63D79aa";
const SCHEMA = {
  title: "Course certificate",
  type: "object",
  properties: {
    name: { type: "string", title: "Course" },
    holder: { type: "string", title: "Participant" },
    date: { type: "string", title: "Completed" },
    note: { type: "string", title: "Note" },
    ledgerId: { type: "string" },
    assetId: { type: "string" },
  },
};

/** Writes the holder's file of a certificate, and returns its path and content. */
async function holderFile(name, values) {
  const schema = values.modules === undefined ? SCHEMA : RICH;
  const all = { name: "Applied Cryptography", holder: "Ada Lovelace", date: "2026-06-30", ...values, ledgerId: LEDGER, assetId: "17" };
  // Without members that are undefined.
  const document = JSON.parse(JSON.stringify(all));
  const cert = new Cert({ schema, key: new Uint8Array(32).fill(7) });
  const imprint = (await cert.imprint(document)).replace("aih2:", "");
  const content = { assay: 1, service: "https://certs.example", ledger: LEDGER, asset: "17", imprint, schema, document, evidence: await cert.notarize(document) };
  const file = path.join(folder, `${name}.private.assay.json`);
  await writeFile(file, JSON.stringify(content, null, 2));
  return { file, content };
}

function cert(...words) {
  const { status, stdout, stderr } = spawnSync(TOOL, words, { encoding: "utf8" });
  return { status, stdout, stderr };
}

/** Makes the PDF of a certificate and returns its path. */
async function pdfOf(name, values = {}, ...words) {
  const { file, content } = await holderFile(name, values);
  const pdf = path.join(folder, `${name}.pdf`);
  const { status, stderr } = cert("pdf", file, "--out", pdf, "--created", "1790000000", ...words);
  assert.equal(status, 0, stderr);
  return { file, content, pdf, stderr };
}

const run = (name, ...words) => execFileSync(name, words, { encoding: "utf8" });

/** Returns the text of the QR code on the first page. */
function codeOn(pdf) {
  const picture = execFileSync("pdftoppm", ["-gray", "-r", "150", "-f", "1", "-l", "1", pdf], { maxBuffer: 64 << 20 });
  const [head, width, height] = /^P5\s+(\d+)\s+(\d+)\s+255\s/.exec(picture.subarray(0, 40).toString("latin1"));
  const grey = picture.subarray(head.length);
  const data = new Uint8Array(Number(width) * Number(height) * 4);
  for (let index = 0; index < grey.length; index += 1) data.set([grey[index], grey[index], grey[index], 255], index * 4);
  return decodeQR({ width: Number(width), height: Number(height), data });
}

const KINDS = [
  ["portrait", {}, []],
  ["landscape", {}, ["--layout", "landscape", "--lang", "de", "--colour", "#123456", "--signer", "Prof. Dr. Grace Hopper"]],
  ["long", { holder: "Maximiliana Alexandrine von und zu Hohenlohe-Waldenburg-Schillingsfürst" }, []],
  ["arabic", { holder: "محمد بن عبد الله", name: "مقدمة في التشفير" }, []],
  ["chinese", { holder: "王小明", name: "密码学基础", note: "修业期满，成绩合格，特发此证。" }, []],
  ["japanese", { holder: "髙橋 さくら", name: "暗号理論入門" }, ["--layout", "landscape"]],
  ["korean", { holder: "김민준", name: "암호학 기초" }, []],
  ["together", { holder: "王小明 محمد さくら 김 Ada", note: "か\u3099 \u1112\u1161\u11ab 葛\u{e0100}" }, []],
  ["mixed", { holder: "A\u030angstro\u0308m श्रीमान् שלום Ελλάδα Київ", note: "x\u0301 a\u0302\u0323" }, []],
];
for (const [name, values, words] of KINDS) {
  test(`other programs accept a PDF: ${name}`, options, async () => {
    const { pdf, file, stderr } = await pdfOf(name, values, ...words);
    assert.equal(stderr, "");
    assert.match(run("qpdf", "--check", pdf), /No syntax or stream encoding errors found/);
    const fonts = run("pdffonts", pdf).trim().split("\n").slice(2);
    assert.ok(fonts.length >= 2);
    // Each font is embedded, a subset, and has a table of characters.
    for (const font of fonts) assert.match(font, /^[A-Z]{6}\+Noto\S+ +CID TrueType +Identity-H +yes yes yes/);
    assert.match(run("pdfdetach", "-list", pdf), new RegExp(`^1 embedded files\n1: ${name}\\.private\\.assay\\.json`));
    const saved = path.join(folder, `${name}.saved`);
    run("pdfdetach", "-save", "1", "-o", saved, pdf);
    assert.equal(await readFile(saved, "utf8"), await readFile(file, "utf8"));
    const { size } = await import("node:fs").then(({ statSync }) => statSync(pdf));
    assert.ok(size <= 80_000, `${size} bytes`);
    assert.deepEqual(accessibility(pdf).problems, []);
  });
}

test("the document says that it is PDF/A-3a, and has language, title and a source file", options, async () => {
  const { pdf } = await pdfOf("standard", {}, "--lang", "fr");
  const text = run("qpdf", "--qdf", "--object-streams=disable", pdf, "-").toString();
  for (const part of [/<pdfaid:part>3<\/pdfaid:part>/, /<pdfaid:conformance>A<\/pdfaid:conformance>/, /\/AFRelationship \/Source/, /\/Lang \(fr\)/, /\/OutputIntents/]) assert.match(text, part);
  assert.match(run("pdfinfo", pdf), /^Title: +Applied Cryptography$/m);
});

/** A schema with each kind of part. */
const RICH = {
  title: "Zeugnis",
  type: "object",
  properties: {
    name: { type: "string", title: "Kurs" },
    holder: { title: "Teilnehmerin", type: "object", properties: { name: { title: "Name" }, born: { title: "Geboren" } } },
    photo: { type: "string", title: "Bild" },
    modules: { title: "Module", type: "array", items: { type: "object", properties: { name: { title: "Modul" }, points: { title: "Punkte" } } } },
    topics: { title: "Themen", type: "array", items: { type: "string" } },
    place: { title: "Ort", type: "object", properties: { city: { title: "Stadt" }, room: { title: "Raum", type: "object", properties: { floor: { title: "Stock" }, door: { title: "Tür" } } } } },
    ledgerId: { type: "string" },
    assetId: { type: "string" },
  },
};
const RED = "data:image/png;base64,iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8DwHwAFBQIAX8jx0gAAAABJRU5ErkJggg==";

test("a program that reads aloud gets everything in the order of a person", options, async () => {
  const picture = path.join(folder, "red.png");
  await writeFile(picture, Buffer.from(RED.split(",")[1], "base64"));
  const values = {
    name: "Kryptographie\nund Protokolle",
    holder: { name: "Ada Lovelace", born: "1990-12-10" },
    photo: RED,
    modules: [
      { name: "Signaturen", points: 9 },
      { name: "Hashes", points: "" },
    ],
    topics: ["a", "b"],
    place: { city: "Wien", room: { floor: 2, door: "links" } },
    date: undefined,
  };
  const { pdf } = await pdfOf("aloud", values, "--lang", "de", "--logo", picture, "--signature", picture, "--signer", "Grace Hopper");
  const { tags, problems } = accessibility(pdf);
  assert.deepEqual(problems, []);
  assert.deepEqual(
    tags.filter((tag) => /^(H\d|Figure|Table|Link)$/.test(tag)),
    ["Figure", "H1", "H2", "Figure", "Table", "H2", "H3", "Figure", "Link", "Link", "Figure"],
  );
  const lines = run("pdfinfo", "-struct-text", pdf).match(/(?<=^ *").+(?="$)/gm);
  const texts = [
    "Zeugnis",
    "Kryptographie und Protokolle",
    "Name",
    "Ada Lovelace",
    "Teilnehmerin",
    "Geboren",
    "10. Dezember 1990",
    "Bild",
    "Module",
    "Modul",
    "Punkte",
    "Signaturen",
    "9",
    "Hashes",
    '""',
    "Themen",
    "–",
    "a",
    "–",
    "b",
    "Ort",
    "Stadt",
    "Wien",
    "Raum",
    "Stock",
    "2",
    "Tür",
    "links",
    "Grace Hopper",
  ];
  assert.deepEqual(lines.slice(0, texts.length), texts);
  assert.match(lines[texts.length], /^Prüfen Sie, bevor Sie sich darauf verlassen: Scannen Sie den Code, oder öffnen Sie selbst certs\.example und scannen Sie ihn dort\. Die Seite zeigt/);
  assert.deepEqual(lines.slice(texts.length + 1), [`certs.example/c/${LEDGER}/17`, "Nr. 17"]);
});

test("the structure of a long PDF holds together over its pages", options, async () => {
  const modules = Array.from({ length: 90 }, (_, index) => ({ name: `Module ${index}`, points: index }));
  const { pdf } = await pdfOf("pages", { holder: { name: "Ada" }, modules, topics: ["lorem ipsum ".repeat(300).trim()], place: { city: "漢字 ".repeat(600).trim() }, date: undefined });
  assert.match(run("pdfinfo", pdf), /^Pages: +[3-9]$/m);
  const { tags, problems } = accessibility(pdf);
  assert.deepEqual(problems, []);
  assert.equal(tags.filter((tag) => tag === "TR").length, 91);
});

test("the text of a PDF can be selected", options, async () => {
  const { pdf } = await pdfOf("text", { holder: "Éva Őry-Kis" });
  const text = run("pdftotext", "-layout", pdf, "-");
  for (const part of ["Applied Cryptography", "Éva Őry-Kis", "30 June 2026", "Completed", "No. 17", "certs.example"]) assert.ok(text.includes(part), `${part}: ${text}`);
});

test("the code on the page proves all values", options, async () => {
  const { pdf, content } = await pdfOf("code");
  const link = codeOn(pdf);
  assert.match(link, /^https:\/\/CERTS\.EXAMPLE\/C\/0X[0-9A-F]{40}\/17#2\d+$/);
  const { fragment } = assetOf(link);
  const copy = await completed(fromCompact(fragment), { schema: SCHEMA, metadata: null, evidence: null }, { ledger: LEDGER, asset: "17" });
  assert.deepEqual(copy.document, content.document);
  const report = await new Cert({ schema: SCHEMA }).verify(copy.document, copy.evidence, content.imprint);
  assert.equal(report.valid, true);
});

test("values that do not fit into a code are not claimed to be in it", options, async () => {
  const { pdf, stderr } = await pdfOf("large", { note: "lorem ipsum ".repeat(100).trim() });
  assert.match(stderr, /warning: the values do not fit into a QR code on paper/);
  assert.match(codeOn(pdf), /^https:\/\/CERTS\.EXAMPLE\/C\/0X[0-9A-F]{40}\/17$/);
  assert.match(run("pdftotext", pdf, "-").replace(/\s+/g, " "), /The code shows only what is public/);
});

test("a character without a font is named, with what to do", options, async () => {
  const { stderr } = await pdfOf("missing", { holder: "ไทย" });
  assert.match(stderr, /warning: no font has the character ย \(U\+0E22\): the PDF shows \ufffd in its place\n/);
  assert.match(stderr, /hint: add a TrueType or OpenType font that has these characters with `--font FILE`/);
});

test("a font of the user is read and checked", options, async () => {
  const { file } = await holderFile("font", {});
  const out = path.join(folder, "font.pdf");
  const refused = cert("pdf", file, "--out", out, "--font", file);
  assert.equal(refused.status, 2);
  assert.match(refused.stderr, /^error\[font-invalid\]: .*font\.private\.assay\.json is no TrueType or OpenType font/);
  const font = path.join(import.meta.dirname, "../../cert-pdf/fonts/NotoSerif-Regular.ttf");
  assert.equal(cert("pdf", file, "--out", out, "--font", font).status, 0);
  // The licence is in 16 bits of the table OS/2, after 8 bytes.
  const bytes = await readFile(font);
  bytes.writeUInt16BE(2, bytes.readUInt32BE(bytes.indexOf("OS/2") + 8) + 8);
  const restricted = path.join(folder, "restricted.ttf");
  await writeFile(restricted, bytes);
  const { status, stderr } = cert("pdf", file, "--out", out, "--font", restricted);
  assert.equal(status, 2);
  assert.match(stderr, /^error\[font-restricted\]: .*restricted\.ttf says that documents must not contain it/);
});

test("letters of each script can be selected", options, async () => {
  const values = { name: "密码学 暗号", holder: "髙橋 さくら 김민준 محمد", note: "修业期满。 ".repeat(60).trim() };
  const { pdf } = await pdfOf("select", values);
  const text = run("pdftotext", pdf, "-").normalize("NFKC");
  for (const part of ["密码学 暗号", "髙橋 さくら 김민준", "محمد", "修业期满。"]) assert.ok(text.includes(part), `${part}: ${text}`);
});

test("equal input and time give equal bytes", options, async () => {
  const [one, other] = [await pdfOf("equal"), await pdfOf("equal")];
  assert.deepEqual(await readFile(one.pdf), await readFile(other.pdf));
});

test("the tool and the pages find the certificate in a PDF, also after another program has saved it", options, async () => {
  const { pdf, file, content } = await pdfOf("found");
  const expected = await readFile(file, "utf8");
  const ways = { linear: ["--linearize"], compressed: ["--object-streams=generate", "--recompress-flate", "--compression-level=9"], plain: ["--stream-data=uncompress"], qdf: ["--qdf"] };
  for (const [way, words] of [["own", null], ...Object.entries(ways)]) {
    const saved = words === null ? pdf : path.join(folder, `${way}.pdf`);
    if (words !== null) run("qpdf", ...words, pdf, saved);
    const bytes = new Uint8Array(await readFile(saved));
    assert.ok(isPdf(bytes));
    assert.equal(await certificateIn(bytes), expected, way);
    assert.equal(cert("unpack", saved).stdout, `${expected}\n`, way);
    const checked = cert("check", saved, "--imprint", content.imprint);
    assert.equal(checked.status, 0, checked.stderr);
    assert.equal(JSON.parse(checked.stdout).valid, true);
    assert.equal(cert("check", saved, "--imprint", "0".repeat(64)).status, 1);
  }
});

const BROKEN = [
  ["no PDF", () => Buffer.from("text"), "pdf-invalid", "pdf.empty"],
  ["a foreign PDF", () => Buffer.from("%PDF-1.7\n1 0 obj\n<< /Length 2 >>\nstream\n{}\nendstream\nendobj"), "pdf-no-certificate", "pdf.empty"],
  ["an encrypted PDF", ({ pdf }) => execFileSync("qpdf", ["--encrypt", "", "owner", "256", "--", pdf, "-"]), "pdf-encrypted", "pdf.encrypted"],
  ["a cut PDF", ({ bytes }) => bytes.subarray(0, bytes.indexOf("#2Fvnd") + 150), "pdf-broken", "pdf.broken"],
  ["a PDF with damaged bytes", ({ bytes }) => damaged(bytes), "pdf-broken", "pdf.broken"],
  ["a PDF with two certificates", ({ bytes, other }) => Buffer.concat([bytes, other]), "pdf-several-certificates", "pdf.several"],
  ["a PDF that is too large", ({ bytes }) => Buffer.concat([bytes, Buffer.alloc(20 << 20)]), "pdf-too-large", "file.size"],
];
for (const [what, make, code, key] of BROKEN) {
  test(`${what} is refused by the tool and the pages`, options, async () => {
    const { pdf } = await pdfOf("valid");
    const other = await readFile((await pdfOf("other", { holder: "Eve" })).pdf);
    const bytes = make({ pdf, bytes: await readFile(pdf), other });
    const file = path.join(folder, "broken.pdf");
    await writeFile(file, bytes);
    const { status, stderr } = cert("unpack", file);
    assert.equal(status, 2);
    assert.match(stderr, new RegExp(`^error\\[${code}\\]: `));
    await assert.rejects(certificateIn(new Uint8Array(bytes)), { key });
  });
}

/** Returns a PDF in which some bytes of the attached file differ. */
function damaged(bytes) {
  const copy = Buffer.from(bytes);
  const start = copy.indexOf("stream", copy.indexOf("#2Fvnd"));
  copy.fill(0xff, start + 60, start + 90);
  return copy;
}

test("a file whose values were changed gets no PDF", options, async () => {
  const { file, content } = await holderFile("changed", {});
  await writeFile(file, JSON.stringify({ ...content, document: { ...content.document, holder: "Eve" } }));
  const { status, stderr } = cert("pdf", file, "--out", path.join(folder, "changed.pdf"));
  assert.equal(status, 2);
  assert.match(stderr, /^error\[certificate-changed\]: /);
});
