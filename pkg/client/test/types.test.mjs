// Compares the client's types and error codes with the service's OpenAPI description.
import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { test } from "node:test";
import { fileURLToPath } from "node:url";
import { FILES } from "../types.mjs";

for (const [file, text] of FILES) {
  test(`${fileURLToPath(file).split("/").slice(-2).join("/")} is written from www/openapi.json`, async () => {
    const kept = await readFile(file, "utf8");
    assert.ok(kept === (await text()), "the file is old: run `cargo xtask docs` and look at the difference");
  });
}
