// The certificate's file and the short form in links, against the vectors of docs/spec/file.md.
import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { test } from "node:test";
import { Validator } from "@assay/validate";
import { duplicateKey } from "../../www/lib/duplicates.js";
import { MAX_FRAGMENT, fromFragment, isFile, readFile as read, toFragment, writeFile } from "../../www/lib/file.js";

const load = async (path) => JSON.parse(await readFile(new URL(path, import.meta.url), "utf8"));
const { accepted, refused } = await load("../vectors/file/files.json");
const links = await load("../vectors/file/links.json");
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
    assert.equal(keyOf(() => read(text)), key);
    if (bySchema !== undefined) assert.equal(schema.validate(JSON.parse(text)).length > 0, bySchema);
  });
}

test("a file of more than 5 MiB is refused before it is parsed", () => {
  assert.equal(keyOf(() => read(`{"assay":1,"pad":"${"x".repeat(5 << 20)}`)), "file.size");
});

test("a file that could not be read again is not written", () => {
  const file = read(accepted[0].text);
  assert.equal(keyOf(() => writeFile({ ...file, asset: "01" })), "file.member");
  assert.equal(keyOf(() => writeFile({ ...file, document: null, evidence: [] })), "file.member");
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

for (const { name, form } of links.refused) {
  test(`a link is refused: ${name}`, () => assert.rejects(fromFragment(form), { key: "file.link" }));
}

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
  ]) assert.equal(duplicateKey(text), key, text);
});
