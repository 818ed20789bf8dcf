// The project's README: its sample prints what stands below it, and hides what it says it hides.
import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { test } from "node:test";
import * as library from "@assay/cert";

const text = await readFile(new URL("../README.md", import.meta.url), "utf8");
const { code, printed } = /^```js\n(?<code>.*?)^```\n+```\n(?<printed>.*?)^```$/ms.exec(text).groups;
const AsyncFunction = (async () => {}).constructor;

/** Runs the sample with a console of its own; gives what it printed, and its variables. */
async function run() {
  const { Console } = await import("node:console");
  const { PassThrough } = await import("node:stream");
  const stdout = new PassThrough();
  const body = code.replaceAll(/^import .*$/gm, "");
  const names = [...body.matchAll(/^const (\w+) =/gm)].map(([, name]) => name);
  const sample = new AsyncFunction("Cert", "console", `${body}\nreturn { ${names.join(", ")} };`);
  const variables = await sample(library.Cert, new Console(stdout));
  return { said: String(stdout.read() ?? ""), ...variables };
}

test("the sample prints what the README says it prints", async () => {
  assert.equal((await run()).said, printed);
});

test("what the sample hides cannot be guessed from what it publishes", async () => {
  const { schema, data, proofs } = await run();
  const published = new Set(proofs.flatMap(({ nodes }) => nodes.map(({ hash }) => hash)));
  assert.ok(published.size > 0);
  // Under public nonces, guessing the year reveals its hash.
  const open = new library.Cert({ schema });
  const tried = Array.from({ length: 400 }, (_, index) => open.disclose({ ...data, born: 1700 + index }, [["name"]]));
  const found = (await Promise.all(tried)).filter(([{ nodes }]) => nodes.some(({ hash }) => published.has(hash)));
  assert.deepEqual(found, []);
});
