// The certification package as it is published, in workerd: bundled by wrangler as for a deployment, without an account.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { fileURLToPath } from "node:url";
import { Miniflare } from "miniflare";
import { modules } from "../../edge-api/host/runtime.mjs";
import { certificate, expected } from "./certificate.mjs";
import { createProject, imprint, snippet } from "./project.mjs";

const WRANGLER = fileURLToPath(new URL("../../node_modules/wrangler/bin/wrangler.js", import.meta.url));
const DATE = "2026-01-01";
const ENTRY = `
  import * as library from "@assay/cert";
  import { story } from "./story.mjs";
  import readme from "./worker.js";
  export default {
    async fetch(request) {
      if (new URL(request.url).pathname !== "/story") return readme.fetch(request);
      return Response.json(await story(library, await request.json()));
    },
  };`;

let project;
let worker;
before(async () => {
  project = await createProject({ "worker.js": snippet("worker.js"), "entry.js": ENTRY });
  process.env.WRANGLER_SEND_METRICS = process.env.WRANGLER_SEND_ERROR_REPORTS = "false";
  await project.run(process.execPath, WRANGLER, "deploy", "entry.js", "--name", "story", "--compatibility-date", DATE, "--dry-run", "--outdir", "bundle");
  const manifest = await modules(project.file("bundle"), "entry.js");
  worker = new Miniflare({ workers: [{ config: { name: "story", compatibilityDate: DATE, manifest } }], cf: false, telemetry: { enabled: false } });
  await worker.ready;
});
after(async () => {
  await worker?.dispose();
  await project?.remove();
});

const post = async (address, value) => (await worker.dispatchFetch(`http://localhost${address}`, { method: "POST", body: JSON.stringify(value) })).text();

test("workerd: the README's worker.js", async () => assert.equal(await post("/", { name: "Nighthawks" }), imprint));

test("workerd: the story", async () => assert.deepEqual(JSON.parse(await post("/story", certificate)), expected));
