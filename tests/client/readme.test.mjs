// The package's README: its story runs as it is written, against the Worker.
import assert from "node:assert/strict";
import { randomBytes } from "node:crypto";
import { readFile } from "node:fs/promises";
import { test } from "node:test";
import * as cert from "@assay/cert";
import * as client from "@assay/client";
import { Host } from "../demo/host.mjs";
import { startServer } from "../support/server.mjs";

const packages = { "@assay/cert": cert, "@assay/client": client };

test("from deposit to badge, as the README tells it", async () => {
  const text = await readFile(new URL("../../pkg/client/README.md", import.meta.url), "utf8");
  const blocks = [...text.matchAll(/^```js\n(.*?)^```$/gms)].map(([, code]) => code);
  assert.equal(blocks.length, 1);
  const lines = blocks[0].split("\n").filter((line) => line.trim() && !line.trim().startsWith("//"));
  assert.ok(lines.length < 40, `${lines.length} lines`);

  const code = blocks[0].replace(/^import (\{.*\}) from ("[^"]+");$/gm, "const $1 = packages[$2];");
  const story = Object.getPrototypeOf(async () => {}).constructor("packages", "process", "site", "publish", "console", code);
  const [server, host] = await Promise.all([startServer({ vars: { ENVIRONMENT: "development", DEPOSITS: "test", ALLOW_PRIVATE_FETCH: "true" } }), Host.start()]);
  const said = [];
  try {
    const env = { ASSAY_KEY: randomBytes(32).toString("hex"), ASSAY_API: server.url };
    await story(packages, { env }, host.url("").replace(/\/$/, ""), (path, json) => host.serve(path, json), { log: (line) => said.push(line) });
    assert.equal(said[0], true);
    const badge = await fetch(/src="([^"]+)"/.exec(said[1])[1], { headers: { accept: "image/*" } });
    assert.equal(badge.headers.get("x-asset-validity"), "valid");
    assert.match(await badge.text(), /<svg/);
  } finally {
    await Promise.all([server.stop(), host.stop()]);
  }
});
