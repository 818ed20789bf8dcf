// Tests the service against its own OpenAPI document. Schemathesis generates valid and invalid requests from /openapi.json. No response may be
// an internal error, and every response must match the document.
import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { mkdir, writeFile } from "node:fs/promises";
import path from "node:path";
import { test } from "node:test";
import { Host } from "../demo/host.mjs";
import { startServer } from "../support/server.mjs";
import { FOLDER, schemathesis, skip } from "./python.mjs";
import { seed } from "./seed.mjs";

/** The number of generated requests per operation, in addition to examples and boundary values. */
const EXAMPLES = 8;
/** The time after which a run counts as stuck, in milliseconds. A run takes 60 seconds on an idle machine. It took 540 seconds on a slow machine that ran other tests. */
const STUCK_MS = 900_000;
const CHECKS = [
  "not_a_server_error",
  "status_code_conformance",
  "content_type_conformance",
  "response_headers_conformance",
  "response_schema_conformance",
  "unsupported_method",
  "allow_header_conformance",
  "ignored_auth",
];
/** The operations that must refuse any body that the document does not allow. Other operations may ignore parts of a body. */
const STRICT = ["POST /orders", "POST /deployments", "POST /approvals", "POST /deposits", "PUT /account/webhook"];

/** Returns Schemathesis' settings, with the caller's authorization. A parameter in `known` has an existing value with a probability of 0.5. */
function settings({ authorization, known }) {
  const quote = JSON.stringify;
  const lines = ["[auth.openapi.authorization]", `api_key = ${quote(authorization)}`];
  for (const [name, values] of Object.entries(known)) lines.push(`[dictionaries.${name}]`, `values = ${quote(values)}`);
  lines.push("[parameters]");
  for (const name of Object.keys(known)) {
    for (const place of ["path", "query"]) lines.push(`${quote(`${place}.${name}`)} = { dictionary = ${quote(name)}, probability = 0.5 }`);
  }
  lines.push("[checks]", "enabled = false");
  for (const check of CHECKS) lines.push(`[checks.${check}]`, "enabled = true");
  lines.push("[[operations]]", `include-name = ${quote(STRICT)}`, "[operations.checks.negative_data_rejection]", "enabled = true");
  return `${lines.join("\n")}\n`;
}

/** Returns the document without idempotency keys on requests with a body: the generator reuses one key, so later requests would get 409. */
async function description(url) {
  const document = await (await fetch(`${url}/openapi.json`)).json();
  for (const operation of Object.values(document.paths).flatMap(Object.values)) {
    if (operation.requestBody) operation.parameters = operation.parameters?.filter(({ $ref }) => !$ref.endsWith("/idempotencyKey"));
  }
  return JSON.stringify(document);
}

function run(words) {
  const child = spawn(schemathesis, words, { cwd: FOLDER, stdio: ["ignore", "pipe", "pipe"], timeout: STUCK_MS, env: { ...process.env, COLUMNS: "160" } });
  let output = "";
  for (const stream of [child.stdout, child.stderr]) stream.on("data", (text) => (output += text));
  return new Promise((resolve, reject) => child.once("error", reject).once("close", (code) => resolve({ code, output })));
}

test("every response matches the document, and none is an internal error", { skip }, async (context) => {
  // The generated requests contain addresses of arbitrary hosts, but no traffic leaves this machine.
  const vars = { ENVIRONMENT: "development", DEPOSITS: "test", ALLOW_PRIVATE_FETCH: "true" };
  // Each server is stopped even if starting the next fails, because a listening server keeps this process alive.
  const host = await Host.start();
  context.after(() => host.stop());
  const server = await startServer({ vars, loopbackOnly: true });
  context.after(() => server.stop());
  await mkdir(FOLDER, { recursive: true });
  const [config, document] = ["schemathesis.toml", "openapi.json"].map((name) => path.join(FOLDER, name));
  await writeFile(config, settings(await seed(server.url, host)));
  await writeFile(document, await description(server.url));
  const { code, output } = await run([
    "--config-file",
    config,
    "run",
    document,
    "--url",
    server.url,
    "--phases",
    "examples,coverage,fuzzing",
    "--max-examples",
    String(EXAMPLES),
    "--generation-deterministic",
    // Uses a single worker: before Python 3.11.8, concurrent calls of ast.parse may fail with a SystemError (CPython issue 106905).
    "--workers",
    "1",
    "--request-timeout",
    "30",
    "--continue-on-failure",
    "--warnings",
    "off",
    "--no-color",
  ]);
  const faults = server
    .log()
    .split("\n")
    .filter((line) => !line.includes('"level":"info"'));
  assert.equal(code, 0, [output, ...faults].join("\n"));
  const { cases } = /(?<cases>\d+) generated/.exec(output)?.groups ?? {};
  context.diagnostic(`${cases} requests`);
  assert.ok(Number(cases) > 1000, output);
});
