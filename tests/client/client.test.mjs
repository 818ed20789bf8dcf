// The client against the Worker in workerd, from Node and from a browser on another origin.
import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { createServer } from "node:http";
import { once } from "node:events";
import { createRequire } from "node:module";
import { after, before, test } from "node:test";
import * as assay from "@assay/client";
import { skip, start } from "../pages/browser.mjs";
import { startServer } from "../support/server.mjs";
import { RESULT, runStory } from "./story.mjs";

const VARS = { ENVIRONMENT: "development", DEPOSITS: "test" };

let server;
before(async () => {
  server = await startServer({ vars: VARS });
});
after(() => server?.stop());

test("accounts exchange, sign, cancel and approve, from Node", async () => {
  assert.deepEqual(await runStory(assay, server.url), RESULT);
});

test("accounts exchange, sign, cancel and approve, from CommonJS", async () => {
  assert.deepEqual(await runStory(createRequire(import.meta.url)("@assay/client"), server.url), RESULT);
});

test("accounts exchange, sign, cancel and approve, from a page of another origin", { skip }, async () => {
  const files = await site();
  const host = await start();
  try {
    await host.visit(
      files.url,
      async (page) => {
        const seen = await page.evaluate(async (url) => {
          const [assay, { runStory }] = await Promise.all([import("/dist/index.js"), import("/story.mjs")]);
          return runStory(assay, url);
        }, server.url);
        assert.deepEqual(seen, RESULT);
      },
      { expected: [/Failed to load resource/] },
    );
  } finally {
    await host.stop();
    files.stop();
  }
});

/** Serves the package and the story as an ordinary web server does, with the README's content security policy. */
async function site() {
  const policy = `default-src 'none'; script-src 'self' 'wasm-unsafe-eval'; connect-src 'self' ${server.url}; img-src data:`;
  const folders = { "/dist/": new URL("../../pkg/client/dist/", import.meta.url), "/": new URL("./", import.meta.url) };
  const types = { js: "text/javascript", mjs: "text/javascript", wasm: "application/wasm" };
  const files = createServer(async (request, response) => {
    if (request.url === "/") return response.writeHead(200, { "content-type": "text/html", "content-security-policy": policy }).end("<!doctype html><link rel=icon href=data:,>");
    const [prefix, folder] = Object.entries(folders).find(([prefix]) => request.url.startsWith(prefix));
    const file = await readFile(new URL(request.url.slice(prefix.length), folder)).catch(() => null);
    if (!file) return response.writeHead(404).end();
    response.writeHead(200, { "content-type": types[request.url.split(".").at(-1)] }).end(file);
  });
  files.listen(0, "127.0.0.1");
  await once(files, "listening");
  return {
    url: `http://127.0.0.1:${files.address().port}/`,
    stop() {
      files.closeAllConnections();
      files.close();
    },
  };
}
