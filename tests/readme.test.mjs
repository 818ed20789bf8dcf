// The sample of the project's README prints the shown output, and its hidden values stay hidden.
import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { readFile } from "node:fs/promises";
import { test } from "node:test";
import * as library from "@assay/cert/aih2";

const text = await readFile(new URL("../README.md", import.meta.url), "utf8");
const { code, printed } = /^```js\n(?<code>.*?)^```\n+```\n(?<printed>.*?)^```$/ms.exec(text).groups;
const AsyncFunction = (async () => {}).constructor;

/** Runs the sample with a separate console. Returns its output and its variables. */
async function run() {
  const { Console } = await import("node:console");
  const { PassThrough } = await import("node:stream");
  const stdout = new PassThrough();
  const body = code.replaceAll(/^import .*$/gm, "");
  const names = [...body.matchAll(/^const (\w+) =/gm)].map(([, name]) => name);
  const sample = new AsyncFunction("Cert", "generateKey", "console", `${body}\nreturn { ${names.join(", ")} };`);
  const variables = await sample(library.Cert, library.generateKey, new Console(stdout));
  return { said: String(stdout.read() ?? ""), ...variables };
}

test("the sample prints the output that the README shows", async () => {
  assert.equal((await run()).said, printed);
});

test("hidden values of the sample cannot be guessed from its published files", async () => {
  const { evidence, key } = await run();
  const proof = Buffer.from(evidence.proof, "base64url");
  const hash = (...parts) =>
    createHash("sha256")
      .update(Buffer.concat(parts.map((part) => Buffer.from(part))))
      .digest();
  const years = Array.from({ length: 400 }, (_, index) => String(1700 + index));
  const guessed = (salt) => years.find((year) => proof.includes(hash([0], salt, Buffer.from(year))));
  // `born` is the second of four slots, in the right half of the left half. With the key, the guess finds the year, so the method works.
  assert.equal(guessed(hash([7], hash([6], key))), "1815");
  // With any 32 published bytes as the key, the guess does not find the year.
  const published = Array.from({ length: proof.length - 31 }, (_, at) => proof.subarray(at, at + 32));
  assert.ok(published.length > 0);
  assert.deepEqual(
    published.map(guessed).filter((year) => year !== undefined),
    [],
  );
});
