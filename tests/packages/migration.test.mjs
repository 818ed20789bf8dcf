// Checks the README's table "Coming from `@0xcert/cert`" row by row against that package.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { test } from "node:test";
import { Cert, identify } from "@assay/cert";
import { evidence } from "@assay/cert/conventions";
import original from "@0xcert/cert";

const Original = original.Cert;
const read = (path) => readFileSync(new URL(path, import.meta.url), "utf8");
const vectors = (file) => JSON.parse(read(`../vectors/cert/${file}`)).cases;

const text = { type: "string" };
const object = { type: "object", properties: { inner: text } };
const schema = { type: "object", required: ["name", "list"], properties: { name: text, object, list: { type: "array", items: text } } };
const data = { name: "Nighthawks", object: { inner: "x" }, list: ["a", "b", "c"] };
const both = () => [new Original({ schema: structuredClone(schema) }), new Cert({ schema })];

/** The tests of the table's rows in order, each under the beginning of its row. */
const ROWS = {
  "`await cert.identify()` and `identify(true)` sort keys": async ([old, cert]) => {
    assert.equal(cert.identify({ sorted: true }), `0x${await old.identify()}`);
    assert.equal(await old.identify(true), await old.identify());
    assert.throws(() => cert.identify(true), { code: "option-invalid" });
  },
  "`await cert.identify(false)`": async ([old, cert]) => {
    assert.equal(cert.identify(), `0x${await old.identify(false)}`);
    assert.throws(() => cert.identify(false), { code: "option-invalid" });
  },
  "`identify()` changes the given schema": async () => {
    const [theirs, ours] = [structuredClone(schema), structuredClone(schema)];
    await new Original({ schema: theirs }).identify();
    identify(ours, { sorted: true });
    assert.deepEqual(
      [theirs.required, ours.required],
      [
        ["list", "name"],
        ["name", "list"],
      ],
    );
  },
  "`notarize` and `disclose` give `{ $schema, data }`": async ([old, cert]) => {
    const sorted = (file) => ({ ...file, data: file.data.toSorted((a, b) => (a.path.join() < b.path.join() ? -1 : 1)) });
    assert.deepEqual(sorted(await old.notarize(data)), sorted(evidence(await cert.notarize(data))));
    assert.deepEqual(sorted(await old.disclose(data, [["name"]])), sorted(evidence(await cert.disclose(data, [["name"]]))));
  },
  "`calculate(data, evidence)` takes the object": async ([old, cert]) => {
    const file = await old.notarize(data);
    assert.equal(await old.calculate(data, file.data), null);
    assert.deepEqual([await cert.calculate(data, file), await cert.calculate(data, file.data)], Array(2).fill(await old.imprint(data)));
  },
  "`calculate` ignores values that the evidence does not cover": async ([old, cert]) => {
    const file = await old.disclose(data, [["object"]]);
    const forged = { object: { inner: "forged" } };
    assert.equal(await old.calculate(forged, file), await old.imprint(data));
    assert.equal(await cert.calculate(forged, file), null);
    const accepted = { theirs: 0, ours: 0 };
    for (const { schema, data, proofs, imprint } of vectors("forged.json")) {
      accepted.theirs += (await new Original({ schema }).calculate(data, { data: proofs })) === imprint;
      accepted.ours += (await new Cert({ schema }).calculate(data, proofs)) === imprint;
    }
    assert.ok(accepted.theirs > 20, `${accepted.theirs}`);
    assert.equal(accepted.ours, 0);
  },
  "`calculate` gives `null` for genuine evidence": async ([old, cert]) => {
    const long = { list: Array.from({ length: 11 }, (_, index) => `item ${index}`) };
    const file = await old.notarize(long);
    assert.equal(await old.calculate(long, file), null);
    assert.equal(await cert.calculate(long, file), await old.imprint(long));
  },
  "`imprint` gives `null` if it fails": async ([old, cert]) => {
    assert.equal(await old.imprint({ list: "text" }), null);
    await assert.rejects(cert.imprint({ list: "text" }), { code: "data-type-mismatch", path: ["list"] });
  },
  "an object where the schema has a plain value": async ([old, cert]) => {
    assert.equal(await old.imprint({ name: { any: 1 } }), await old.imprint({ name: "[object Object]" }));
    await assert.rejects(cert.imprint({ name: { any: 1 } }), { code: "data-type-mismatch", path: ["name"] });
  },
  "disclosing an object or list proves its hash": async ([old, cert]) => {
    assert.deepEqual((await old.disclose(data, [["object"]])).data.find(({ path }) => path[0] === "object").values, []);
    const proofs = await cert.disclose(data, [["object"]]);
    assert.equal(await cert.calculate({ object: data.object }, proofs), await cert.imprint(data));
    assert.equal(await cert.calculate({ object: { inner: "forged" } }, proofs), null);
  },
  "a hasher gets other paths": async () => {
    const seen = async (Kind) => {
      let paths = new Set();
      const hasher = (value, path, position) => {
        if (position === 1) paths.add(JSON.stringify(path));
        return `${value}`.slice(0, 20).padEnd(20);
      };
      const cert = new Kind({ schema, hasher });
      const proofs = await cert.notarize(data);
      const made = paths;
      paths = new Set();
      await cert.calculate(data, proofs);
      return [made, paths];
    };
    const [theirs, ours] = [await seen(Original), await seen(Cert)];
    assert.ok(theirs[0].has('["list",1]') && !theirs[1].has('["list",1]'));
    assert.ok(ours[0].has('["list",1]'));
    assert.deepEqual(ours[1], ours[0]);
  },
  "a hasher may give hashes of several lengths": async () => {
    const hasher = (value) => `${value}`.slice(0, 20);
    assert.equal(typeof (await new Original({ schema, hasher }).imprint(data)), "string");
    await assert.rejects(new Cert({ schema, hasher }).imprint(data), { code: "hash-length" });
  },
  "`Cert.getInstance(options)`": async () => {
    assert.equal(await Original.getInstance({ schema }).imprint(data), await new Cert({ schema }).imprint(data));
  },
};

const table = read("../../pkg/cert/README.md").split("## Coming from")[1].split("\n## ")[0];
const rows = table.match(/^\| (?!`@0xcert\/cert` \|)[^-].*$/gm).map((row) => row.slice(2));

test("every row of the table has a test against the named version", () => {
  assert.equal(rows.length, Object.keys(ROWS).length);
  Object.keys(ROWS).forEach((start, index) => assert.ok(rows[index].startsWith(start), rows[index]));
  const { version } = createRequire(import.meta.url)("@0xcert/cert/package.json");
  assert.ok(table.includes(`(version ${version})`));
});

for (const [row, check] of Object.entries(ROWS)) test(row, () => check(both()));

const list = { type: "array", items: text };
const described = (properties) => ({ type: "object", properties });
/** Data that 2.1.1 certifies although its certificate does not match the data. Each entry has this package's error code, the schema and the data. */
const WRONGLY = {
  "an object where the schema has a plain value": ["data-type-mismatch", described({ a: text }), { a: { b: 1 } }],
  "a list where the schema has a plain value": ["data-type-mismatch", described({ a: text }), { a: ["b"] }],
  "a string where the schema has an object": ["data-type-mismatch", described({ a: object }), { a: "b" }],
  "a list as the whole document": ["data-type-mismatch", described({ a: text }), ["b"]],
  "half of a surrogate pair": ["surrogate-unpaired", described({ a: text }), { a: "\ud800" }],
  "not a number": ["number-not-finite", described({ a: {} }), { a: NaN }],
  "an infinite number": ["number-not-finite", described({ a: {} }), { a: Infinity }],
  "a bigint": ["json-invalid", described({ a: {} }), { a: 5n }],
  "a function": ["json-invalid", described({ a: {} }), { a: () => 1 }],
  bytes: ["json-invalid", described({ a: text }), Buffer.from('{"a":"b"}')],
  "a list without `items`": ["schema-items-missing", described({ a: { type: "array" } }), { a: ["b"] }],
  "two fields of the same path": ["schema-path-ambiguous", described({ "a.b": text, a: described({ b: text }) }), { "a.b": "c", a: { b: "d" } }],
  "a root that is not an object": ["schema-root-not-object", list, ["b"]],
};

for (const [what, [code, schema, data]] of Object.entries(WRONGLY)) {
  test(`2.1.1 certifies wrongly: ${what}`, async () => {
    assert.match(await new Original({ schema }).imprint(data), /^[0-9a-f]{64}$/);
    await assert.rejects(async () => new Cert({ schema }).imprint(data), { name: "CertError", code });
  });
}

test("imprints are the same, byte for byte", async () => {
  for (const { schema, data, imprint } of vectors("reference.json").slice(0, 20)) {
    assert.equal(await new Original({ schema }).imprint(data), imprint);
    assert.equal(await new Cert({ schema }).imprint(data), imprint);
  }
});
