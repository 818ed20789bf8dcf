// The work of the main routes in the database: batches, statements, and rows read and written. The counts repeat exactly. If they fall,
// lower them here and in docs/scale.md.
import assert from "node:assert/strict";
import { test } from "node:test";
import { fileURLToPath } from "node:url";
import { countRoutes } from "./load/counts.mjs";

const DIST = fileURLToPath(new URL("../edge-api/dist", import.meta.url));

/** The work of each route before its answer and after it: batches, statements, rows read, rows written. */
const WORK = {
  "GET /health": ["1 1 1 0", "0 0 0 0"],
  "GET /account": ["1 2 3 0", "1 4 11 4"],
  "GET /ledgers/…": ["1 1 2 0", "1 4 11 4"],
  "GET /ledgers/…/assets": ["1 2 5 0", "1 4 11 4"],
  "GET /ledgers/…/assets/…": ["1 2 5 0", "1 4 11 4"],
  "GET /badge, cached": ["1 1 10 0", "0 0 0 0"],
  "POST /orders, until final": ["2 31 62 13", "1 4 11 4"],
  "PUT /orders/…/sign, until final": ["3 32 67 13", "1 4 11 4"],
  "POST /orders, with a webhook": ["2 31 106 36", "4 16 53 12"],
};

const text = ({ batches, statements, read, written }) => `${batches} ${statements} ${read} ${written}`;
const texts = ({ before, after }) => [text(before), text(after)];

test("each main route does the stated work in the database", async () => {
  const isExpected = (name, count) => String(texts(count)) === String(WORK[name]);
  const counted = await countRoutes(DIST, { isExpected });
  assert.deepEqual(Object.fromEntries(counted.map(({ name, ...count }) => [name, texts(count)])), WORK);
});
