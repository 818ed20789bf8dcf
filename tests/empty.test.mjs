// The fields that nobody filled in: certificates of AIH-2 prove that they are empty.
import assert from "node:assert/strict";
import { test } from "node:test";
import { Cert, generateKey } from "@assay/cert/aih2";
import { emptyPaths } from "../pkg/view/src/issue.ts";

const text = { type: "string" };
const schema = {
  type: "object",
  properties: {
    name: text,
    hours: { type: "integer" },
    holder: { type: "object", properties: { name: text, born: text } },
    grades: { type: "array", items: { type: "object", properties: { subject: text, points: text } } },
    award: { type: "object", properties: { by: text } },
  },
};
const document = { name: "Logic", holder: { name: "Ada" }, grades: [{ subject: "Sets" }] };

test("empty fields beside the shown ones are found, and nothing inside hidden parts", () => {
  assert.deepEqual(emptyPaths(schema, document, [["name"]]), [["hours"], ["award"]]);
  assert.deepEqual(emptyPaths(schema, document, [["holder", "name"], ["grades", 0, "subject"], ["hours"]]), [["award"], ["holder", "born"], ["grades", 0, "points"]]);
  assert.deepEqual(emptyPaths(schema, document, [["holder"], ["award", "by"]]), [["hours"], ["award"]]);
  assert.deepEqual(
    emptyPaths(schema, {}, []),
    Object.keys(schema.properties).map((key) => [key]),
  );
});

test("evidence with the empty fields proves them absent, and opens nothing else", async () => {
  const cert = new Cert({ schema, key: generateKey() });
  const imprint = await cert.imprint(document);
  for (const shown of [
    [["name"]],
    [
      ["holder", "name"],
      ["award", "by"],
    ],
    [["grades", 0, "subject"]],
  ]) {
    const open = [...shown, ...emptyPaths(schema, document, shown)];
    const report = await cert.verify(cert.expose(document, shown), await cert.disclose(document, open), imprint);
    assert.ok(report.valid);
    const absent = report.absent.map((path) => JSON.stringify(path));
    for (const path of emptyPaths(schema, document, shown)) assert.ok(absent.includes(JSON.stringify(path)), JSON.stringify([shown, path]));
    assert.deepEqual(report.document, cert.expose(document, shown));
  }
});
