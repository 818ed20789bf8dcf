// The Python examples, which were written from docs/spec alone, against the vectors.
import assert from "node:assert/strict";
import { test } from "node:test";
import { python, skip } from "./python.mjs";

for (const [folder, least] of [
  ["python-verifier", 9],
  ["python-orders", 5],
]) {
  test(`${folder} agrees with all vectors`, { skip }, async () => {
    const { stderr } = await python(folder, ["-m", "unittest"]);
    const [, ran] = /^Ran (\d+) tests/m.exec(stderr);
    assert.ok(Number(ran) >= least, stderr);
  });
}
