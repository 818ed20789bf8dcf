// Tests that the rules of order-core decide like the original contracts. `cargo xtask bench chain` compares more rounds.
import assert from "node:assert/strict";
import { test } from "node:test";
import { anvil } from "./contracts.mjs";
import { compare } from "./differential.mjs";

const program = anvil();

test("order-core's rules make the same decisions as the original contracts", { skip: !program && "npm has no anvil for this machine" }, async () => {
  const { accepted, refused, canceled, reasons } = await compare(program, 500, 1);
  assert.ok(accepted > 120 && refused > 120 && canceled > 8 && Object.keys(reasons).length > 12, JSON.stringify({ accepted, refused, canceled, reasons }));
});
