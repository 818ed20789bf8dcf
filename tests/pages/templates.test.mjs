// Templates, schemas from examples, and values of forms: tests of the module, without a page.
import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { test } from "node:test";
import { Cert } from "@assay/cert/aih2";
import { withAssetFields } from "../../pkg/view/src/issue.ts";
import { withMarket, withoutFilled } from "../../pkg/view/src/market.ts";
import { TEMPLATES, inLanguage, isDay, isLikeTemplate, parseField, problemsOf, schemaFrom, schemaOf, templateOf } from "../../pkg/view/src/templates.ts";

const refusal = (act) => {
  try {
    return act();
  } catch ({ key }) {
    return key;
  }
};

const DAY = { type: "string", format: "date" };
const FIELDS = [
  [{ type: "string" }, " Ada ", "Ada"],
  [{ type: "string" }, "  ", undefined],
  [{ type: "string", maxLength: 2 }, "𝒜b", "𝒜b"],
  [{ type: "string", maxLength: 2 }, "abc", "form.long"],
  [{ type: "string", enum: ["a"] }, "b", "form.choice"],
  [DAY, "2028-02-29", "2028-02-29"],
  [DAY, "2027-02-29", "form.date"],
  [DAY, "30.6.2026", "form.date"],
  [{ type: "integer" }, "-7", -7],
  [{ type: "integer" }, "7.5", "form.integer"],
  [{ type: "integer" }, "9007199254740993", "form.integer"],
  [{ type: "number" }, "7.5", 7.5],
  [{ type: "number" }, "7,5", "form.number"],
  [{ type: "number" }, "1e5", "form.number"],
  [{ type: "number" }, "0x10", "form.number"],
  [{ type: "boolean" }, "Ja", true],
  [{ type: "boolean" }, "no", false],
  [{ type: "boolean" }, "perhaps", "form.boolean"],
  [{ type: ["integer", "null"] }, "5", 5],
  [{ type: ["string", "null"], maxLength: 2 }, "abc", "form.long"],
  [{ enum: [1, 2] }, "2", 2],
  [{ enum: ["1", "2"] }, "3", "form.choice"],
  [{ const: 5 }, "5", 5],
  [{ const: "5" }, "5", "5"],
  [{ anyOf: [{ type: "number" }, { type: "boolean" }] }, "7.5", 7.5],
  [{ anyOf: [{ type: "number" }, { type: "boolean" }] }, "TRUE", true],
  [{ anyOf: [{ type: "number" }, { type: "boolean" }] }, "x", "cell.number"],
  [{ anyOf: [{ type: "object", properties: {} }, { type: "array" }] }, "x", "form.single"],
];

test("an entered text is converted to a value according to the schema, or refused", () => {
  for (const [schema, text, expected] of FIELDS)
    assert.equal(
      refusal(() => parseField(schema, text)),
      expected,
      `${JSON.stringify(schema)} ${text}`,
    );
  // A comma is a decimal separator only in languages that use it so. In other languages, 1,500 means one thousand five
  // hundred.
  assert.equal(parseField({ type: "number" }, "7,5", { hasComma: true }), 7.5);
  assert.equal(parseField({ type: ["number", "null"] }, "7,5", { hasComma: true }), 7.5);
  assert.equal(parseField({ type: ["number", "string"] }, "7,5", { hasComma: true }), "7,5");
  assert.equal(
    refusal(() => parseField({ type: "number" }, "1.234,5", { hasComma: true })),
    "form.number",
  );
  assert.deepEqual(["2026-06-30", "2026-02-30", "", "2026-6-3"].map(isDay), [true, false, false, false]);
});

test("an example gives a schema that describes it, with titles", async () => {
  const example = {
    $schema: "x",
    ledgerId: "0x",
    issuedAt: "2026-06-30",
    first_name: "Ada",
    isOK: true,
    hours: 96,
    rate: 1.5,
    gone: null,
    tags: [],
    marks: [{ subject: "Logic", points: 9.5 }, null, { points: 7, on: null }, { on: "2026-01-01" }],
    mixed: [1, "x"],
    holder: { eMail: "a@b" },
  };
  const schema = schemaFrom(example, "Report");
  assert.deepEqual(schema, {
    title: "Report",
    type: "object",
    properties: {
      issuedAt: { title: "Issued at", type: "string", format: "date" },
      first_name: { title: "First name", type: "string" },
      isOK: { title: "Is OK", type: "boolean" },
      hours: { title: "Hours", type: "integer" },
      rate: { title: "Rate", type: "number" },
      gone: { title: "Gone", type: "string" },
      tags: { title: "Tags", type: "array", items: { type: "string" } },
      marks: {
        title: "Marks",
        type: "array",
        items: { type: "object", properties: { subject: { title: "Subject", type: "string" }, points: { title: "Points", type: "number" }, on: { title: "On", type: "string", format: "date" } } },
      },
      mixed: { title: "Mixed", type: "array", items: { type: "string" } },
      holder: { title: "Holder", type: "object", properties: { eMail: { title: "E mail", type: "string" } } },
    },
  });
  const { $schema, ledgerId, ...document } = example;
  await new Cert({ schema, key: new Uint8Array(32) }).imprint(document);
  const hostile = JSON.parse('{"__proto__":{"a":1},"constructor":"x"}');
  assert.deepEqual(Object.keys(schemaFrom(hostile, "x").properties), ["__proto__", "constructor"]);
  assert.equal(
    refusal(() => schemaFrom({ assetId: "1" }, "x")),
    "form.noFields",
  );
  const deep = JSON.parse(`${'{"a":'.repeat(5000)}1${"}".repeat(5000)}`);
  assert.equal(
    refusal(() => schemaFrom(deep, "x")),
    "form.tooDeep",
  );
});

test("a given schema gets the new title, loses `$schema` and `$evidence`, and keeps the rest", () => {
  const given = {
    title: "x",
    type: "object",
    additionalProperties: false,
    required: ["$schema", "name"],
    properties: { $schema: {}, $evidence: {}, name: { type: "string" }, ledgerId: { type: "string" } },
  };
  assert.deepEqual(schemaOf(given, "Report"), {
    title: "Report",
    type: "object",
    additionalProperties: false,
    required: ["name"],
    properties: { name: { type: "string" }, ledgerId: { type: "string" } },
  });
  assert.ok(!("required" in schemaOf({ properties: {} }, "x")));
});

test("missing fields are found by their path, also in lists", () => {
  const schema = {
    type: "object",
    required: ["name", "ledgerId", "holder"],
    properties: { name: {}, ledgerId: {}, holder: { required: ["name"], properties: { name: {} } }, marks: { items: { required: ["points"], properties: { points: {} } } } },
  };
  const paths = (document) => problemsOf(schema, document).map(({ path }) => path.join("."));
  assert.deepEqual(paths({}), ["name", "holder"]);
  assert.deepEqual(paths({ name: "x", holder: {}, marks: [{ points: 1 }, {}] }), ["holder.name", "marks.1.points"]);
});

/** The function `say` of each language, with the titles of templates. */
const SAYS = await Promise.all(
  ["en", "de", "fr", "es"].map(async (language) => {
    const texts = JSON.parse(await readFile(new URL(`../../pkg/view/texts/${language}.templates.json`, import.meta.url), "utf8"));
    const say = (key) => {
      const text = key.split(".").reduce((at, step) => at?.[step], texts);
      assert.equal(typeof text, "string", `${language}: ${key}`);
      return text;
    };
    return [language, say];
  }),
);

test("each template has texts in each language, and a schema that certifies", () => {
  for (const [, say] of SAYS) {
    for (const name of TEMPLATES) {
      const { schema, shown, ledger } = templateOf(name, say);
      assert.ok(schema.required.every((key) => key in schema.properties) && shown.every(([key]) => key in schema.properties), name);
      assert.equal(ledger.name, schema.title);
      new Cert({ schema, key: new Uint8Array(32) }).identify();
      say(`template.${name}.hint`);
    }
  }
});

test("on a chain, products and artworks have a description, a link and traits for marketplaces", async () => {
  const [[, say]] = SAYS;
  for (const name of ["course", "membership"]) assert.deepEqual(templateOf(name, say, true), templateOf(name, say));
  for (const name of ["product", "artwork"]) {
    const { schema: described, shown } = templateOf(name, say, true);
    const schema = withAssetFields(described);
    assert.deepEqual(Object.keys(schema.properties).slice(0, 2), ["name", "description"]);
    assert.ok(schema.required.includes("description") && !templateOf(name, say).schema.required.includes("description"));
    assert.ok(shown.some(([key]) => key === "description"));
    // A table and a form ask for no value that is filled in.
    const asked = withoutFilled(schema).properties;
    assert.deepEqual(
      Object.keys(schema.properties).filter((key) => !(key in asked)),
      ["external_url", "attributes"],
    );
  }
  const { schema } = templateOf("artwork", say, true);
  const given = { name: "Sunrise", description: "Oil on canvas", image: "data:image/png;base64,AA==", artist: "Ada", year: 2026, owner: "Eve", external_url: "https://evil.example" };
  const paths = [["name"], ["description"], ["image"], ["artist"], ["year"], ["size"], ["external_url"]];
  const filled = withMarket({ schema, document: given, paths }, "https://certs.example/c/0x1/2");
  const attributes = [
    { trait_type: "Artist", value: "Ada" },
    { trait_type: "Year", value: "2026" },
  ];
  assert.deepEqual(filled.document, { ...given, external_url: "https://certs.example/c/0x1/2", attributes });
  assert.deepEqual(filled.paths, [["name"], ["description"], ["image"], ["artist"], ["year"], ["size"], ["external_url"], ["attributes"]]);
  // The values are certified, and the evidence shows them.
  const cert = new Cert({ schema, key: new Uint8Array(32) });
  const shown = cert.expose(filled.document, filled.paths);
  assert.deepEqual([shown.attributes, shown.owner], [attributes, undefined]);
  assert.deepEqual(cert.uncovered(filled.document), []);
  // Other schemas ask for nothing.
  const course = { schema: templateOf("course", say, true).schema, document: given, paths };
  assert.deepEqual(withMarket(course, "https://certs.example/c/0x1/2"), { document: given, paths });
});

test("a template's schema is read in each language, and other schemas keep their titles", () => {
  for (const [name, isOnChain] of [...TEMPLATES.map((name) => [name, false]), ["product", true], ["artwork", true]]) {
    const schemas = SAYS.map(([language, say]) => [language, withAssetFields(templateOf(name, say, isOnChain).schema)]);
    for (const [, schema] of schemas) {
      // Services and spreadsheets may change the order of keys.
      const given = JSON.parse(JSON.stringify({ properties: schema.properties, required: schema.required, type: schema.type, title: schema.title }));
      assert.ok(isLikeTemplate(given));
      for (const [language, own] of schemas) assert.deepEqual(inLanguage(given, language, SAYS), own);
    }
    const [[, schema]] = schemas;
    const [key] = Object.keys(schema.properties);
    const others = [
      { ...schema, title: "Another title" },
      { ...schema, "x-assay-other": true },
      { ...schema, required: [] },
      { ...schema, properties: { ...schema.properties, [key]: { ...schema.properties[key], title: "Another title" } } },
      { ...schema, properties: { ...schema.properties, [key]: null } },
    ];
    for (const other of others) assert.equal(inLanguage(other, "de", SAYS), other);
  }
  for (const wrong of [{}, { properties: null }, { properties: [] }, { properties: { name: {} } }]) {
    assert.ok(!isLikeTemplate(wrong));
    assert.equal(inLanguage(wrong, "de", SAYS), wrong);
  }
});
