// The published packages in workerd, bundled by wrangler as for a deployment, without an account.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { fileURLToPath } from "node:url";
import { Miniflare } from "miniflare";
import { modules } from "../../edge-api/host/runtime.mjs";
import { aih2Certificate, aih2Expected, certificate, expected } from "./certificate.mjs";
import { createProject, imprint, snippet } from "./project.mjs";

const WRANGLER = fileURLToPath(new URL("../../node_modules/wrangler/bin/wrangler.js", import.meta.url));
const DATE = "2026-01-01";
const ENTRY = `
  import * as library from "@assay/cert";
  import * as aih2 from "@assay/cert/aih2";
  import * as verifier from "@assay/cert/verify";
  import { PrivateKeyProvider } from "@assay/client";
  import { Validator, validate } from "@assay/validate";
  import { aih2Story, story } from "./story.mjs";
  import readme from "./worker.js";
  // A Worker must not generate random numbers while its modules are evaluated.
  const validator = new Validator({ type: "integer" });
  export default {
    async fetch(request) {
      const { pathname } = new URL(request.url);
      if (pathname === "/account") return Response.json((await PrivateKeyProvider.from(await request.json())).accountId);
      if (pathname === "/validate") {
        const data = await request.json();
        return Response.json([validator.validate(data), validate({ required: ["a"] }, data)]);
      }
      if (pathname === "/aih2") return Response.json(await aih2Story(aih2, verifier, await request.json()));
      if (pathname !== "/story") return readme.fetch(request);
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

test("workerd: the story has the expected results", async () => assert.deepEqual(JSON.parse(await post("/story", certificate)), expected));

test("workerd: the story under AIH-2 has the expected results", async () => assert.deepEqual(JSON.parse(await post("/aih2", aih2Certificate)), aih2Expected));

test("workerd: the client", async () => {
  const key = "0x59c6995e998f97a5a0044966f0945389dc9e86dae88c7a8412f4603b6b78690d";
  assert.equal(JSON.parse(await post("/account", key)), "0x70997970C51812dc3A010C7d01b50e0d17dc79C8");
});

test("workerd: validation", async () => {
  const [integers, required] = JSON.parse(await post("/validate", { b: 1 }));
  assert.deepEqual(
    [...integers, ...required].map(({ keyword }) => keyword),
    ["type", "required"],
  );
});
