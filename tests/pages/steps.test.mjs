// Tests that the work of the pages' readers grows with the length of their input, not with its square. Counts reads of the input, not time.
import assert from "node:assert/strict";
import { test } from "node:test";
import { certifiedValues } from "../../pkg/view/src/certified.ts";
import { duplicateKey } from "../../www/lib/duplicates.ts";
import { emptyPaths } from "../../pkg/view/src/issue.ts";
import { readIssuer } from "../../pkg/view/src/issuer.ts";

let reads = 0;

/** Returns an object whose reads of properties, and of everything in them, are counted. */
function counted(value) {
  if (typeof value !== "object" || value === null) return value;
  const within = new Map();
  return new Proxy(value, {
    get(target, name) {
      reads += 1;
      const found = target[name];
      if (typeof found === "function") return found;
      if (!within.has(name)) within.set(name, counted(found));
      return within.get(name);
    },
  });
}

/** Asserts that twice the input takes less than three times the reads. A quadratic reader takes four times as many. */
async function isLinear(read) {
  const of = async (size) => {
    reads = 0;
    await read(size);
    return reads;
  };
  const [one, two] = [await of(200), await of(400)];
  assert.ok(one >= 200 && two < 3 * one, `${one} reads, then ${two}`);
}

const range = (count) => Array.from({ length: count }, (_, index) => index);

test("empty fields beside shown ones are found with linear work", () =>
  isLinear((count) => {
    const keys = range(count).map((index) => `k${index}`);
    const properties = Object.fromEntries([...keys, ...keys.map((key) => `empty-${key}`)].map((key) => [key, {}]));
    const found = emptyPaths({ properties }, Object.fromEntries(keys.map((key) => [key, 1])), counted(keys.map((key) => [key])));
    assert.equal(found.length, count);
  }));

test("the certified values of a changed document are found with linear work", () =>
  isLinear(async (count) => {
    const keys = range(count)
      .map((index) => `k${index}`)
      .sort();
    const all = (value) => Object.fromEntries(keys.map((key) => [key, value]));
    const evidence = counted([{ path: [], values: keys.map((_, index) => ({ index, value: index })) }]);
    const report = { imprint: "0", entries: keys.map((key) => ({ path: [key], reason: "value-mismatch" })) };
    const cert = { verify: () => ({ entries: keys.map((key) => ({ path: [key], status: "proven" })) }) };
    const schema = { type: "object", properties: all({}) };
    const valueOf = await certifiedValues({ cert, schema, metadata: all(0), evidence, report });
    assert.deepEqual(valueOf([keys[7]]), { certified: 7 });
  }));

test("a file of a link is searched for duplicate keys with linear work", () =>
  isLinear((count) => {
    const text = `{${range(count)
      .map((index) => `"k${index}" : [{"a\\"" :1}]`)
      .join(",")}}`;
    const read = (name) => ((reads += 1), typeof text[name] === "function" ? text[name].bind(text) : text[name]);
    assert.equal(duplicateKey(new Proxy({}, { get: (_, name) => read(name) })), null);
  }));

test("the file of a domain is read with linear work", (context) =>
  isLinear((count) => {
    const methods = range(count).map((index) => ({ id: `#${index}` }));
    const file = counted({ id: "did:web:uni.example", verificationMethod: methods, assertionMethod: Array(2 * count).fill("#x") });
    const parse = context.mock.method(JSON, "parse", () => file);
    const { reason } = readIssuer("", { domain: "uni.example", account: `0x${"11".repeat(20)}` });
    parse.mock.restore();
    assert.equal(reason, "not-listed");
  }));
