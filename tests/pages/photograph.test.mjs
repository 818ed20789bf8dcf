// The reader of the verify page reads photographed codes of all printed sizes. The photographs are computed: no real phone and no real print was tried.
import assert from "node:assert/strict";
import { test } from "node:test";
import { correction, generate } from "lean-qr";
import { decodeQR } from "qr/decode.js";
import { codeText, printable } from "../../www/lib/qr.ts";
import { photograph } from "./photograph.mjs";

const LINK = "https://certs.example/c/0xF9196F9f176fd2eF9243E8960817d5FbE63D79aa/17";

/** Returns a compact link with a number of digits, and its code at a level of error correction. */
function printed(digits, level) {
  const link = `${LINK}#2${Array.from({ length: digits }, (_, index) => (index * 7919) % 10).join("")}`;
  assert.equal(printable([link]), link);
  return { text: codeText(link), code: generate(codeText(link), { minCorrectionLevel: correction[level] }) };
}

const CODES = [printed(100, "M"), printed(400, "M"), printed(700, "M"), printed(1040, "M"), printed(1380, "L")];

const VIEWS = {
  "of three pixels a module": { module: 3 },
  "turned a little": { module: 4, turn: 7 },
  "on its side": { module: 4, turn: 90 },
  "upside down": { module: 4, turn: 200 },
  "out of focus": { module: 4, blur: 1 },
  "from below": { module: 5, tilt: 0.1 },
  "in a shadow": { module: 4, shadow: 0.5 },
  "in bad light": { module: 4, noise: 25 },
  "from a hand": { module: 4, turn: 5, tilt: 0.05, blur: 0.6, shadow: 0.3, noise: 10 },
};

test("the printed codes have 41 to 85 modules on a side", () => assert.deepEqual([CODES[0].code.size, CODES.at(-2).code.size, CODES.at(-1).code.size], [41, 85, 85]));

for (const [name, view] of Object.entries(VIEWS)) {
  test(`a code is read that is photographed ${name}`, () => {
    for (const { text, code } of CODES) assert.equal(decodeQR(photograph(code, view)), text, String(code.size));
  });
}

test("a link whose code would have more than 85 modules is not printed", () => {
  assert.equal(printable([`${LINK}#2${"1".repeat(1500)}`]), null);
});
