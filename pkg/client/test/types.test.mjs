// Compares the client's types with the service's OpenAPI description.
import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { test } from "node:test";
import { FILE, types } from "../types.mjs";

test("src/types.ts equals the output of openapi-typescript for www/openapi.json", async () => {
  const kept = await readFile(FILE, "utf8");
  assert.ok(kept === (await types()), "src/types.ts is old: run `cargo xtask docs` and look at the difference");
});
