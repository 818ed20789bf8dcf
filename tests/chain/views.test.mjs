// Compares the recorded answers, which order-core's tests use, with new answers of the original contracts.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { anvil } from "./contracts.mjs";
import { record } from "./views.mjs";

const program = anvil();
const { multicall, ...recorded } = JSON.parse(readFileSync(new URL("../vectors/chain/views.json", import.meta.url), "utf8"));

test("the original contracts give the recorded answers", { skip: !program && "npm has no anvil for this machine" }, async () => {
  assert.deepEqual(await record(program), recorded);
  assert.equal(multicall.length, 2);
});
