// Tests that a deployment keeps the files of the previous release.
import assert from "node:assert/strict";
import { mkdir, mkdtemp, readFile, readdir, rm, writeFile } from "node:fs/promises";
import { createServer } from "node:http";
import { tmpdir } from "node:os";
import path from "node:path";
import { after, afterEach, before, beforeEach, test } from "node:test";
import { keepPrevious } from "../src/previous.ts";

let server;
let address;
let assets;
/** The texts that the deployed release has, by path. */
let deployed;
let asked;

before(async () => {
  server = createServer(({ url }, response) => {
    asked.push(url);
    const text = deployed[url];
    response.writeHead(text === undefined ? 404 : 200).end(text);
  });
  await new Promise((resolve) => server.listen(0, "127.0.0.1", resolve));
  address = `http://127.0.0.1:${server.address().port}`;
});
after(() => server.close());
beforeEach(async () => {
  asked = [];
  assets = await mkdtemp(path.join(tmpdir(), "assay-previous-"));
  await mkdir(path.join(assets, "chunks"));
  await writeFile(path.join(assets, "chunks/same-1.js"), "same");
});
afterEach(() => rm(assets, { recursive: true, force: true }));

const list = (...files) => JSON.stringify({ files });

test("files that the build lacks are kept, and others are not loaded", async () => {
  deployed = { "/release.json": list("/chunks/same-1.js", "/chunks/old-2.js", "/workers/documents/one-3.js"), "/chunks/old-2.js": "old", "/workers/documents/one-3.js": "one" };
  assert.deepEqual(await keepPrevious(address, assets), ["/chunks/old-2.js", "/workers/documents/one-3.js"]);
  assert.deepEqual(asked, ["/release.json", "/chunks/old-2.js", "/workers/documents/one-3.js"]);
  assert.equal(await readFile(path.join(assets, "workers/documents/one-3.js"), "utf8"), "one");
});

test("a release without a list has no files to keep", async () => {
  deployed = {};
  assert.deepEqual(await keepPrevious(address, assets), []);
});

for (const name of ["/chunks/../index.html", "/chunks/..", "/index.html", "/chunks/a/b.js", "/workers/one.js/", "//elsewhere.example/x.js", "/chunks/%2e%2e", 7]) {
  test(`a list with the name ${name} is refused, and nothing is written`, async () => {
    deployed = { "/release.json": list("/chunks/old-2.js", name), "/chunks/old-2.js": "old" };
    await assert.rejects(keepPrevious(address, assets), /is not the list of a release/);
    assert.deepEqual(await readdir(path.join(assets, "chunks")), ["same-1.js"]);
  });
}

test("a file that the release has lost is an error", async () => {
  deployed = { "/release.json": list("/chunks/old-2.js") };
  await assert.rejects(keepPrevious(address, assets), /old-2\.js answered 404/);
});
