// The text that the pages and the elements show, with the vectors of docs/spec/text.md. cert-core/tests/text.rs tests the service and the command with them.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { differences } from "../pkg/view/src/alike.ts";
import { displayOf } from "../pkg/view/src/display.ts";
import { certificateOf, plainFields } from "../pkg/view/src/model.ts";
import { split, visible } from "../pkg/view/src/visible.ts";

const { texts, units } = JSON.parse(readFileSync(new URL("vectors/text/vectors.json", import.meta.url), "utf8"));

for (const { name, text, shown } of texts) test(`text: ${name}`, () => assert.equal(visible(text), shown));

for (const { name, units: codes, shown } of units) test(`code units: ${name}`, () => assert.equal(visible(String.fromCharCode(...codes)), shown));

test("a text of hidden characters only is escaped in one pass", () => {
  const long = "\u200d".repeat(200_000);
  assert.equal(visible(long), "\\u{200d}".repeat(200_000));
});

const family = "👩\u200d👩\u200d👧\u200d👦";

test("a long text is cut between graphemes, and both parts together are the text", () => {
  for (const [text, most, start] of [
    [`ab${family}c`, 5, "ab"],
    [`ab${family}c`, 13, `ab${family}`],
    ["e\u0301e\u0301", 3, "e\u0301"],
    ["🇩🇪🇮🇷", 6, "🇩🇪"],
    ["abc", 3, "abc"],
    ["", 3, ""],
  ]) {
    assert.deepEqual(split(text, most), [start, text.slice(start.length)], JSON.stringify(text));
  }
});

test("a stack of marks and an emoji at the start are cut between code points", () => {
  assert.deepEqual(split(`e${"\u0301".repeat(9)}`, 4), ["e\u0301\u0301\u0301", "\u0301".repeat(6)]);
  assert.deepEqual(split(`${family}!`, 4), ["👩\u200d", `${family.slice(3)}!`]);
});

const schema = {
  title: "T".repeat(300),
  type: "object",
  properties: { note: { title: "N".repeat(300), type: "string" }, number: { type: "integer" }, grouped: { type: "integer", "x-assay-grouped": true } },
};
const model = (fields) => certificateOf({ schema, fields: fields.map((field) => ({ reason: null, ...field })), locale: "en-GB" });
const leaf = (field) => model([{ path: ["note"], ...field }]).nodes[0];

test("proven values and titles are shown in full", () => {
  const long = `${"x".repeat(599)}${family}${"y".repeat(900)}`;
  const { value, label } = leaf({ value: long, status: "proven" });
  assert.deepEqual([value.text, value.rest, label.length, model([]).kind.length], [long, "", 300, 300]);
  assert.ok(model([{ path: ["note"], value: long, status: "proven" }]).isNamed);
});

test("other values are cut between graphemes, with the rest", () => {
  const long = `${"x".repeat(599)}${family}${"y".repeat(900)}`;
  for (const status of ["unchecked", "not-proven", "not-covered"]) {
    const { value } = leaf({ value: long, status });
    assert.deepEqual([value.text, value.rest], ["x".repeat(599), `${family}${"y".repeat(900)}`], status);
  }
  assert.ok(!model([{ path: ["note"], value: long, status: "unchecked" }]).isNamed);
});

test("more than 500 proven fields are shown", () => {
  const items = Array.from({ length: 800 }, (_, index) => ({ path: [`k${index}`], value: "v", status: "proven", reason: null }));
  assert.deepEqual([model(items).nodes.length, model(items).more], [800, 0]);
  const others = items.map((item) => ({ ...item, status: "unchecked" }));
  assert.deepEqual([model(others).nodes.length, model(others).more], [500, 300]);
});

test("numbers have the certified digits, and separators only where the schema asks for them", () => {
  const text = (key, value) => model([{ path: [key], value, status: "proven" }]).nodes[0].value.text;
  for (const value of [20231234, 10115, 1990, 0, -12345, 1.5, 9007199254740991]) assert.equal(text("number", value), String(value));
  assert.equal(text("grouped", 20231234), "20,231,234");
});

test("a time is shown in its own offset", () => {
  const text = (value) => displayOf(value, { locale: "en-GB" }).text;
  for (const [value, expected] of [
    ["2026-06-30T00:30:00+02:00", "30 June 2026 at 00:30:00 UTC+02:00"],
    ["2026-06-30T23:30:00-08:00", "30 June 2026 at 23:30:00 UTC−08:00"],
    ["2026-06-30T23:30:00.000Z", "30 June 2026 at 23:30:00 UTC"],
    ["2026-06-30T23:30+05:45", "30 June 2026 at 23:30 UTC+05:45"],
    ["2026-06-30T23:30", "30 June 2026 at 23:30"],
    ["2026-06-30", "30 June 2026"],
    ["2026-06-30T23:30:00.123Z", "2026-06-30T23:30:00.123Z"],
    ["2026-02-30T23:30:00Z", "2026-02-30T23:30:00Z"],
    ["2026-06-30T24:00:00Z", "2026-06-30T24:00:00Z"],
  ]) {
    assert.equal(text(value), expected);
  }
});

test("line breaks of Windows are line breaks", () => assert.equal(displayOf("one\r\ntwo\nthree", {}).text, "one\ntwo\nthree"));

test("texts that look alike are told apart by their code points", () => {
  for (const [one, other, expected] of [
    [
      "José Muñoz",
      "Jose\u0301 Mun\u0303oz",
      [
        ["U+00E9", "U+0065 U+0301"],
        ["U+00F1", "U+006E U+0303"],
      ],
    ],
    [
      "Anna",
      "Аnnа",
      [
        ["U+0041", "U+0410"],
        ["U+0061", "U+0430"],
      ],
    ],
    ["علی\u200cرضا", "علیرضا", [["U+06CC U+200C", "U+06CC"]]],
    ["Universitäts\u00adamt", "Universitätsamt", [["U+00AD", "—"]]],
    ["a  b", "a b", [["U+0020", "—"]]],
    ["5\u00a0000", "5 000", [["U+00A0", "U+0020"]]],
  ]) {
    const found = differences(one, other).map(({ points, otherPoints }) => [points, otherPoints]);
    assert.deepEqual(found, expected, one);
    assert.equal(differences(other, one).length, expected.length);
  }
  for (const [one, other] of [
    ["Ann", "Anna"],
    ["a", "a"],
    ["a\u202eb", "ab"],
    ["Ev\u200de", "Eve"],
    ["résumé", "resume"],
    ["", "a"],
  ])
    assert.equal(differences(one, other), null, one);
});

test("a changed text that looks like the certified one has its differences", () => {
  const one = { path: ["note"], value: "Jose\u0301", certified: "José", status: "not-proven" };
  assert.deepEqual(leaf(one).alike, [{ text: "e\u0301", points: "U+0065 U+0301", otherText: "é", otherPoints: "U+00E9" }]);
  assert.ok(model([one]).isAlike);
  assert.ok(!model([one, { path: ["number"], value: 1, certified: 2, status: "not-proven" }]).isAlike);
  assert.ok(!model([]).isAlike);
});

test("a document without values is a certificate without fields", () => {
  const schema = { title: "Course", type: "object", properties: { name: { type: "string" } } };
  const { kind, nodes, more } = certificateOf({ schema, fields: plainFields(schema, {}, "unchecked"), locale: "en-GB" });
  assert.deepEqual({ kind, nodes, more }, { kind: "Course", nodes: [], more: 0 });
});
