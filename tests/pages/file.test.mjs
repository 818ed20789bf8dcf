// The certificate's file and the short form in links, against the vectors of docs/spec/file.md.
import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { test } from "node:test";
import { Cert } from "@assay/cert/aih2";
import { Validator } from "@assay/validate";
import { completed, toCompact } from "../../www/lib/compact.ts";
import { duplicateKey } from "../../www/lib/duplicates.ts";
import { openForm } from "../../www/lib/forms.ts";
import { MAX_FRAGMENT, fromFragment, isAnchor, isFile, readFile as read, repairedFragment, toFragment, writeFile } from "../../www/lib/file.ts";
import { assetOf, isCutLink } from "../../www/lib/link.ts";
import { codeText } from "../../www/lib/qr.ts";
import { readText } from "../../www/lib/text-file.ts";

const contentOf = async (form) => (await openForm(form)).content;

const load = async (path) => JSON.parse(await readFile(new URL(path, import.meta.url), "utf8"));
const { accepted, refused } = await load("../vectors/file/files.json");
const links = await load("../vectors/file/links.json");
const compact = await load("../vectors/file/compact.json");
const aih2 = (await load("../vectors/aih2/vectors.json")).cases.filter(({ kind, valid, text }) => kind === "disclose" && valid && !text);
const encodings = await load("../vectors/text/encodings.json");
const schema = new Validator(await load("../../docs/spec/file.schema.json"));

const keyOf = (act) => {
  try {
    act();
    return null;
  } catch (error) {
    return error.key;
  }
};

for (const { name, text } of accepted) {
  test(`a file is read: ${name}`, () => {
    const file = read(text);
    assert.ok(isFile(text));
    assert.deepEqual(read(writeFile(file)), file);
    assert.deepEqual(schema.validate(JSON.parse(text)), []);
  });
}

for (const { name, text, key, schema: bySchema } of refused) {
  test(`a file is refused: ${name}`, () => {
    assert.equal(
      keyOf(() => read(text)),
      key,
    );
    if (bySchema !== undefined) assert.equal(schema.validate(JSON.parse(text)).length > 0, bySchema);
  });
}

test("a file of more than 5 MiB is refused before it is parsed", () => {
  assert.equal(
    keyOf(() => read(`{"assay":1,"pad":"${"x".repeat(5 << 20)}`)),
    "file.size",
  );
});

test("a file that could not be read again is not written", () => {
  const file = read(accepted[0].text);
  assert.equal(
    keyOf(() => writeFile({ ...file, asset: "01" })),
    "file.member",
  );
  assert.equal(
    keyOf(() => writeFile({ ...file, document: null, evidence: [] })),
    "file.member",
  );
});

test("keys such as __proto__ in a document are data", () => {
  const { text } = accepted.find(({ name }) => name.includes("__proto__"));
  const file = read(text);
  assert.deepEqual(Object.keys(file.document), ["name", "__proto__", "constructor"]);
  assert.equal({}.polluted, undefined);
  assert.ok(writeFile(file).includes('"__proto__"'));
});

test("a short form has only schema, document and evidence", async () => {
  for (const { text } of accepted) {
    const { schema, document, evidence } = read(text);
    const form = await toFragment(read(text));
    assert.match(form, /^1[\w-]+$/);
    assert.deepEqual(await fromFragment(form), { schema, document, evidence });
  }
});

for (const { name, form, file } of links.accepted) {
  test(`a link is read: ${name}`, async () => assert.deepEqual(await fromFragment(form), file));
}

for (const { name, form } of links.changed) {
  test(`a changed link is read: ${name}`, async () => assert.deepEqual(await fromFragment(form), links.accepted[0].file));
}

for (const { name, form } of links.refused) {
  test(`a link is refused: ${name}`, () => assert.rejects(fromFragment(form), { key: "file.link" }));
}

const publicOf = ({ schema, public: files }) => ({ schema, metadata: files?.metadata ?? null, evidence: files?.evidence ?? null });

for (const vector of compact.accepted) {
  const { name, form, schema, imprint, copy } = vector;
  test(`a compact link is read and written: ${name}`, async () => {
    const content = await contentOf(form);
    assert.deepEqual(await completed(content, publicOf(vector), compact.ids), { schema, ...copy });
    assert.equal((await openForm(form)).form, form);
    if (vector.public === null) assert.equal(await toCompact({ schema, ...copy }, compact.ids), form);
    if (imprint !== null) assert.equal((await new Cert({ schema }).verify(copy.document, copy.evidence, imprint)).valid, true);
  });
}

for (const { name, form, key } of compact.refused) {
  test(`a compact link is refused: ${name}`, () => assert.rejects(contentOf(form), { key }));
}

for (const vector of compact.misfits) {
  test(`a compact link that does not fit its schema or public files is refused: ${vector.name}`, async () => {
    const content = await contentOf(vector.form);
    await assert.rejects(completed(content, publicOf(vector), compact.ids), { key: vector.key });
  });
}

test("every cut of a compact link is refused", async () => {
  const [{ form }] = compact.accepted;
  for (let length = 0; length < form.length; length += 1) await assert.rejects(contentOf(form.slice(0, length)), { key: "file.link" }, String(length));
});

test("a compact link is read with the additions of other programs", async () => {
  const [{ form }] = compact.accepted;
  for (const added of ["", ".", ").", "&utm_source=mail1", "99", " 12\n", ", as of 2026"]) {
    const { fragment } = await contentOf(form + added);
    assert.equal(fragment, form, added);
  }
  const broken = form.replace(/(.{60})/g, "$1\r\n> ");
  assert.equal((await contentOf(broken)).fragment, form);
});

test("a compact link gives the same copy as the form with the schema, also as a supplement", async () => {
  const ids = { ledger: "0x", asset: "1" };
  let supplements = 0;
  for (const { name, schema, schemaId, data, key, document, evidence, imprint } of aih2) {
    const cert = new Cert({ schema });
    const copy = { schema, document, evidence };
    const form = await toCompact(copy, ids);
    assert.deepEqual(await completed(await contentOf(form), { schema, metadata: null, evidence: null }, ids), await fromFragment(await toFragment(copy)), name);

    // The holder's evidence opens everything, and the public evidence a part.
    if (key === undefined) continue;
    const whole = { schema, document: data, evidence: { profile: "AIH-2", schemaId, proof: Buffer.from(`4b${key}`, "hex").toString("base64url") } };
    const content = await contentOf(await toCompact(whole, ids, evidence));
    const merged = await completed(content, { schema, metadata: document, evidence }, ids);
    assert.deepEqual(merged.document, data, name);
    assert.equal((await cert.verify(merged.document, merged.evidence, imprint)).valid, true, name);
    supplements += Number(content.isSupplement);
  }
  assert.ok(supplements > 100, String(supplements));
});

test("an id in a compact link counts only for the certificate of the link", async () => {
  const [vector] = compact.accepted;
  const moved = await completed(await contentOf(vector.form), publicOf(vector), { ...compact.ids, asset: "2" });
  assert.equal(moved.document.assetId, "2");
});

test("a copy of AIH-1, and a copy that is too long, have no compact form", async () => {
  const [{ schema, copy }] = compact.accepted;
  assert.equal(await toCompact({ schema, document: copy.document, evidence: [] }, compact.ids), null);
  const long = { ...copy.document, name: "x".repeat(4000) };
  assert.equal(await toCompact({ schema, ...copy, document: long }, compact.ids), null);
});

/** What other programs add to a link. None of it has characters of a short form, except at its end. */
const ADDED = [
  "\n",
  "\r\n> ",
  " ",
  "\t",
  "\u00a0",
  "\u200b",
  "\u00ad",
  "\u2060",
  "\ufeff",
  "=\r\n",
  "%0A",
  "%20",
  "%E2%80%8B",
  "%250D",
  "&#8203;",
  "&nbsp;",
  "<",
  ">",
  '"',
  "'",
  "\u201d",
  "(",
  ")",
  ".",
  ",",
  "=",
  "*",
  "|",
];
const APPENDED = ["", ".", ")", ">", "=", "==", "&utm_source=mail", "?fbclid=Iw_R-0", " and more", "\n--\nAda"];

/** Returns the next of a repeatable sequence of numbers below `end`. */
function numbers(seed) {
  let state = seed;
  return (end) => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return Math.floor((state / 2 ** 32) * end);
  };
}

test("any certificate opens from its link with random additions", async () => {
  const next = numbers(7);
  for (const { text } of accepted) {
    const { schema, document, evidence } = read(text);
    const form = await toFragment(read(text));
    for (let round = 0; round < 8; round += 1) {
      let changed = form;
      for (let count = next(6); count > 0; count -= 1) {
        // Not inside an addition, which would make another one.
        const place = next(form.length);
        const at = changed.indexOf(form.slice(place, place + 24));
        if (at >= 0) changed = changed.slice(0, at) + ADDED[next(ADDED.length)] + changed.slice(at);
      }
      changed += APPENDED[next(APPENDED.length)];
      assert.deepEqual(await fromFragment(changed), { schema, document, evidence }, JSON.stringify(changed));
      assert.deepEqual(await fromFragment(await repairedFragment(changed, { schema, document, evidence })), { schema, document, evidence });
      const pasted = assetOf(`Here it is: <https://assay.example/c/${LEDGER}/12#${changed}`);
      assert.deepEqual([pasted.ledgerId, pasted.assetId, pasted.host], [LEDGER, "12", "assay.example"]);
      assert.deepEqual(await fromFragment(pasted.fragment), { schema, document, evidence });
    }
  }
});

test("an unchanged short form is passed on as it is", async () => {
  const [{ form, file }] = links.accepted;
  assert.equal(await repairedFragment(form, file), form);
  assert.match(await repairedFragment(`${form}).`, file), /^1[\w-]+$/);
});

test("a fragment that names a place in the page is not a part of a certificate", () => {
  for (const text of ["", "main", "utm_source=mail", "xtor=1-2"]) assert.equal(isAnchor(text), true, text);
  for (const text of ["1", "1b", "2", compact.accepted[0].form, links.accepted[0].form, links.accepted[0].form.slice(1)]) assert.equal(isAnchor(text), false, text);
});

const LEDGER = "0xF9196F9f176fd2eF9243E8960817d5FbE63D79aa";
const FORM = links.accepted[0].form;
const LINK = `https://assay.example/c/${LEDGER}/12`;
const PASTED = [
  ["a sentence", `Please check ${LINK}, and answer.`, null],
  ["a sentence with two links", `From https://uni.example: ${LINK}.`, null],
  ["Markdown", `[my certificate](${LINK})`, null],
  ["angle brackets", `<${LINK}>`, null],
  ["a broken ledger", LINK.replace("F9196F", "F91\n> 96F"), null],
  ["a broken number", `${LINK.slice(0, -1)}\n2#${FORM}`, FORM],
  ["an encoded `#`", `${LINK}%23${FORM}`, FORM],
  ["a wholly encoded link", encodeURIComponent(`${LINK}#${FORM}`), FORM],
  ["a parameter before the fragment", `${LINK}?utm_source=mail#${FORM}`, FORM],
  ["zero-width characters", `https://assay.example/c/\u200b${LEDGER}/1\u200b2#${FORM}`, FORM],
  ["upper case in the host", LINK.replace("assay", "ASSAY"), null],
];
for (const [what, text, fragment] of PASTED) {
  test(`the link is found in a pasted text: ${what}`, () => assert.deepEqual(assetOf(text), { ledgerId: LEDGER, assetId: "12", host: "assay.example", fragment }));
}

test("the link of a printed code has its ids in lower case", () =>
  assert.deepEqual(assetOf(codeText(`${LINK}#${compact.accepted[0].form}`)), { ledgerId: LEDGER.toLowerCase(), assetId: "12", host: "assay.example", fragment: compact.accepted[0].form }));

test("a cut link is recognised, and other texts are not", () => {
  for (const text of [
    "https://assay.example/c/",
    "https://assay.example/c/0xF9196F9f",
    `https://assay.example/c/${LEDGER}`,
    `https://assay.example/c/${LEDGER}/`,
    `https://assay.example/c/${LEDGER}#${FORM}`,
    `${LINK.slice(0, 40)}/12`,
  ]) {
    assert.equal(assetOf(text), null, text);
    assert.equal(isCutLink(text), true, text);
  }
  for (const text of ["", "hello", "https://assay.example/", "https://assay.example/css/", LINK, "/certify/"]) assert.equal(isCutLink(text), false, text);
});

test("a long text without a link is searched without backtracking over all of it", () => {
  // Each text has an almost complete link, and then a million characters that match two parts of a careless pattern.
  for (const [start, part, end] of [
    ["", "0x", ""],
    ["", "https://", ""],
    ["", "%25", ""],
    [LEDGER, " ", "x"],
    [`${LEDGER}/1`, "?", ""],
    [`${LEDGER}/1`, ".", ""],
    ["", `${LEDGER}/1?`, ""],
    ["/c/", "0x0", "x"],
  ]) {
    const text = start + part.repeat(Math.ceil(1_000_000 / part.length)) + end;
    assetOf(text);
    isCutLink(text);
  }
});

test("a short form that unpacks to more than 5 MiB is refused", async () => {
  const bomb = new Blob([`{"schema":{},"document":{"a":"${"a".repeat(11 << 19)}"},"evidence":[]}`]).stream().pipeThrough(new CompressionStream("deflate-raw"));
  const form = `1${Buffer.from(await new Response(bomb).arrayBuffer()).toString("base64url")}`;
  assert.ok(form.length <= MAX_FRAGMENT, String(form.length));
  await assert.rejects(fromFragment(form), { key: "file.link" });
});

test("a certificate that is too large for a link has no short form", async () => {
  const noise = Array.from({ length: 9000 }, (_, index) => ((index * 2654435761) >>> 7).toString(36)).join("");
  assert.equal(await toFragment({ schema: {}, document: { noise }, evidence: [] }), null);
});

test("a repeated key is found at any depth, even with escapes", () => {
  for (const [text, key] of [
    ['{"a":1,"b":{"a":1}}', null],
    ['[{"a":1},{"a":1}]', null],
    ['{"a":"a\\":","b":"{\\"a\\":1}"}', null],
    ['{"x":[{"y":{"z":1,"z":2}}]}', "z"],
    ['{"\\u0061":1 , "a" : 2}', "a"],
    ['{"__proto__":1,"__proto__":2}', "__proto__"],
    ['{"a\\\\":1,"a\\\\":2}', "a\\"],
    ["{}", null],
  ])
    assert.equal(duplicateKey(text), key, text);
});

const named = (bytes, name = "certificate.json") => new File([Buffer.from(bytes, "hex")], name);

for (const { name, bytes, text } of encodings.accepted) {
  test(`the bytes of a file are text: ${name}`, async () => assert.equal(await readText(named(bytes)), text));
}
for (const { name, bytes } of encodings.refused) {
  test(`the bytes of a file are not text: ${name}`, () => assert.rejects(readText(named(bytes)), { key: "file.text", values: { name: "certificate.json" } }));
}

test("a file of another format is named before its bytes are called unreadable", async () => {
  for (const [key, start] of [
    ["pdf", "%PDF-1.7\n%\xe2\xe3"],
    ["office", "PK\u0003\u0004\xff"],
    ["picture", "\x89PNG\r\n"],
    ["table", "Name;Ort\nZo\xeb;K\xf6ln\n"],
  ]) {
    await assert.rejects(readText(new File([Buffer.from(start, "latin1")], "a")), { key: `foreign.${key}` });
  }
  await assert.rejects(readText(named("7b7d"), 1), { key: "file.size" });
});
