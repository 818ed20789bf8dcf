// The register book: its format, its merges, and what it takes from documents.
import assert from "node:assert/strict";
import { test } from "node:test";
import { FACTS, MAX_ENTRIES, entryOf, merged, readBook, writeBook } from "../../www/lib/book.ts";
import { holderColumn, isAddress, keyIn, personIn } from "../../www/lib/people.ts";
import * as course from "./shared.mjs";

const LEDGER = `0x${"a1".repeat(20)}`;
const SERVICE = "https://certs.example";
const ENTRY = entryOf({ ledger: LEDGER.toUpperCase().replace("X", "x"), asset: "7", holder: " Ada ", email: "ada@example.com", title: "" }, 5);

test("an entry has the facts that were given, and its ledger in lower case", () => {
  assert.deepEqual(ENTRY, { ledger: LEDGER, asset: "7", holder: ["Ada", 5], email: ["ada@example.com", 5] });
});

test("the format of a saved book does not change", () => {
  const text = `{"assayBook":1,"service":"${SERVICE}","entries":[{"ledger":"${LEDGER}","asset":"7","holder":["Ada",5],"email":["ada@example.com",5]}]}`;
  assert.equal(writeBook([ENTRY], SERVICE), text);
  assert.deepEqual(readBook(text, SERVICE), [ENTRY]);
});

test("books of other services, versions and forms are refused", () => {
  const book = (changes, entry = {}) => JSON.stringify({ assayBook: 1, service: SERVICE, entries: [{ ...ENTRY, ...entry }], ...changes });
  const refused = [
    ["", "wrong"],
    ["[]", "wrong"],
    ["null", "wrong"],
    [book({ assayBook: 2 }), "newer"],
    [book({ assayBook: "1" }), "wrong"],
    [book({ service: "https://other.example" }), "elsewhere"],
    [book({ service: 1 }), "wrong"],
    [book({ entries: {} }), "wrong"],
    [book({ entries: [null] }), "wrong"],
    [book({ entries: Array(MAX_ENTRIES + 1).fill(0) }), "full"],
    ...[
      { ledger: "0xA1" },
      { ledger: LEDGER.toUpperCase() },
      { asset: "07" },
      { asset: 7 },
      { asset: "../7" },
      { holder: "Ada" },
      { holder: ["Ada"] },
      { holder: ["Ada", -1] },
      { holder: ["Ada", 0.5] },
      { holder: ["a".repeat(301), 1] },
      { holder: [1, 1] },
      { holder: { 0: "Ada", 1: 1 } },
    ].map((entry) => [book({}, entry), "wrong"]),
  ];
  for (const [text, code] of refused) assert.throws(() => readBook(text, SERVICE), { key: `console.book.${code}` }, text.slice(0, 200));
  assert.deepEqual(readBook(book({}, { later: ["x", 1] }), SERVICE), [ENTRY]);
});

/** A generator of numbers that is the same in each run. */
function numbers(seed) {
  let state = seed;
  return (below) => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return Math.floor((state / 2 ** 32) * below);
  };
}

test("merging is the same in any order and grouping, and when it is repeated", () => {
  const draw = numbers(7);
  const entry = () => {
    const facts = FACTS.filter(() => draw(3) > 0).map((name) => [name, [["", "a", "b"][draw(3)], draw(3)]]);
    return { ledger: LEDGER, asset: "7", ...Object.fromEntries(facts) };
  };
  for (let round = 0; round < 2000; round += 1) {
    const [one, two, three] = [entry(), entry(), entry()];
    assert.deepEqual(merged(one, two), merged(two, one));
    assert.deepEqual(merged(merged(one, two), three), merged(one, merged(two, three)));
    assert.deepEqual(merged(one, one), one);
  }
});

test("a later file without an address does not remove the address", () => {
  const later = entryOf({ ledger: LEDGER, asset: "7", holder: "Ada Lovelace", email: "" }, 9);
  const { holder, email } = merged(ENTRY, later);
  assert.deepEqual(
    [holder, email],
    [
      ["Ada Lovelace", 9],
      ["ada@example.com", 5],
    ],
  );
});

test("the person and the title of a document are found", () => {
  const template = { title: "Course certificate", properties: { name: {}, description: {}, holder: {}, issuedAt: {}, hours: {}, grade: {}, validUntil: {} } };
  const of = (document, schema, cells) => Object.values(personIn(document, schema, cells));
  assert.deepEqual(of({ name: "Logic", holder: "Ada" }, template, ["Ada", "ada@example.com"]), ["Ada", "ada@example.com", "Logic"]);
  assert.deepEqual(of({ name: "Logic", description: "by x@example.com and others" }, template), ["", "", "Logic"]);
  assert.deepEqual(of({ Course: "Logic", "Full name": "Ada" }, { title: "Diploma" }), ["Ada", "", "Diploma"]);
  assert.deepEqual(of({ holder: { email: "ada@example.com", name: "Ada", city: "London" } }, {}), ["Ada", "ada@example.com", ""]);
  assert.deepEqual(of({ Inhaber: "Jörg" }, {}), ["Jörg", "", ""]);
  for (const odd of [null, "Ada", [], { holder: 7 }, { holder: "a".repeat(301) }, { $schema: "name" }]) assert.deepEqual(of(odd, null), ["", "", ""], JSON.stringify(odd));
});

test("the column of holders is found, and not one that the batch has added", () => {
  assert.deepEqual([holderColumn(["Course name", "Holder"]), holderColumn(["E-Mail", "Name"]), holderColumn(["x", ""])], [1, 1, -1]);
});

test("an address is a whole text with one @, without what other programs would split", () => {
  for (const text of ["ada@example.com", " ada+x@mail.example.org "]) assert.ok(isAddress(text), text);
  for (const text of ["", "@", "ada@", "ada@x@y", "Ada <ada@example.com>", "a@b,c@d", "a b@c", 'a@b"', `${"a".repeat(65)}@b`]) assert.ok(!isAddress(text), text);
});

test("the key of a whole certificate is found in its holder's evidence, and none in other evidence", async () => {
  assert.match(keyIn(await course.cert.notarize(course.data)), /^S[\w-]{43}$/);
  for (const other of [await course.cert.disclose(course.data, [["hours"]]), null, [], { proof: 7 }, { proof: "S" }]) assert.equal(keyIn(other), "");
});
