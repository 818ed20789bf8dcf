// Checks the service's OpenAPI document with common tools: it is valid, and clients can be generated from it.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { createConfig, lintFromString } from "@redocly/openapi-core";
import openapiTS, { astToString } from "openapi-typescript";
import ts from "typescript";
import { startServer } from "../support/server.mjs";

let server;
let text;
let document;
before(async () => {
  server = await startServer();
  text = await (await fetch(`${server.url}/openapi.json`)).text();
  document = JSON.parse(text);
});
after(() => server?.stop());

test("the document is valid OpenAPI 3.1 and passes the recommended lint rules", async () => {
  // `GET /health` documents no 4xx response, because a request for it cannot be invalid. A product without a serial number has no 2xx response, because
  // only items have certificates.
  const config = await createConfig({ extends: ["recommended"], rules: { "operation-4xx-response": "off", "operation-2xx-response": "off" } });
  const problems = await lintFromString({ source: text, absoluteRef: "/openapi.json", config });
  assert.deepEqual(
    problems.map(({ ruleId, message, location }) => `${ruleId}: ${message} ${location[0]?.pointer}`),
    [],
  );
  const broken = text.replace('"required": true', '"required": "yes"');
  assert.notEqual((await lintFromString({ source: broken, absoluteRef: "/openapi.json", config })).length, 0);
});

test("every operation has examples of its JSON request and its successful JSON responses", () => {
  const operations = Object.entries(document.paths).flatMap(([path, methods]) => Object.entries(methods).map(([method, operation]) => [`${method} ${path}`, operation]));
  assert.ok(operations.length > 40);
  const lacking = [];
  for (const [name, { requestBody, responses }] of operations) {
    for (const [media, { example }] of Object.entries(requestBody?.content ?? {})) {
      if (media === "application/json" && example === undefined) lacking.push(`${name} request`);
    }
    for (const [status, { content = {} }] of Object.entries(responses)) {
      // Failures share an example. Images and hosted files have no schema, and documents of other standards have one without properties.
      if (status < 300 && content["application/json"]?.schema?.properties && content["application/json"].example === undefined) lacking.push(`${name} ${status}`);
    }
  }
  assert.deepEqual(lacking, []);
  assert.ok(document.components.schemas.Failure.examples.length > 0);
});

/** Code that uses the generated types. Valid lines must compile, and the marked lines must not. */
const USE = `
import type { components, operations, paths } from "./api";
type Answer<Name extends keyof operations, Status extends keyof operations[Name]["responses"]> =
  operations[Name]["responses"][Status] extends { content: { "application/json": infer Body } } ? Body : never;
export const request: operations["createDeposit"]["requestBody"]["content"]["application/json"] = { amount: 1000 };
export const owner = (answer: Answer<"getLedgerAsset", 200>): string => answer.data.ownerId;
export const next = (answer: Answer<"getOrders", 200>): string | undefined => answer.meta.next;
export const first = (answer: Answer<"getOrders", 400>): number | undefined => answer.errors[0]?.code;
export const wait = (answer: operations["getOrders"]["responses"][429]): number => answer.headers["Retry-After"];
export const page: paths["/orders"]["get"]["parameters"]["query"] = { limit: 10, statuses: [4] };
export const status: components["schemas"]["Status"] = 7;
// @ts-expect-error an amount is a number
export const text: operations["createDeposit"]["requestBody"]["content"]["application/json"] = { amount: "1000" };
// @ts-expect-error there is no such status
export const unknown: components["schemas"]["Status"] = 8;
`;

test("a client generated from the document compiles", async () => {
  const files = { "/api.ts": astToString(await openapiTS(text)), "/use.ts": USE };
  const options = {
    strict: true,
    noEmit: true,
    noUncheckedIndexedAccess: true,
    target: ts.ScriptTarget.ES2022,
    module: ts.ModuleKind.ESNext,
    moduleResolution: ts.ModuleResolutionKind.Bundler,
    types: [],
  };
  const host = ts.createCompilerHost(options);
  const { readFile, fileExists, getSourceFile } = host;
  host.fileExists = (name) => name in files || fileExists(name);
  host.readFile = (name) => files[name] ?? readFile(name);
  host.getSourceFile = (name, version, ...rest) => (files[name] === undefined ? getSourceFile(name, version, ...rest) : ts.createSourceFile(name, files[name], version));
  const program = ts.createProgram(["/use.ts"], options, host);
  const problems = ts.getPreEmitDiagnostics(program).map(({ file, messageText }) => `${file?.fileName}: ${ts.flattenDiagnosticMessageText(messageText, " ")}`);
  assert.deepEqual(problems, []);
  assert.ok(files["/api.ts"].length > 50_000);
});
