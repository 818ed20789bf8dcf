// The package's types and functions against the description that the service serves, so that neither drifts.
import assert from "node:assert/strict";
import { fileURLToPath } from "node:url";
import { after, before, test } from "node:test";
import ts from "typescript";
import { Ability, ActionKind, Client, LedgerCapability, Priority, RequestStatus, WebhookEventKind } from "@assay/client";
import { startServer } from "../support/server.mjs";

const TYPES = fileURLToPath(new URL("../../pkg/client/src/types.ts", import.meta.url));
/** Records that have another name in the package, because `Error` is JavaScript's. */
const NAMES = { Error: "ServiceError" };
/** Records of routes that no client calls, and empty ones. */
const NOT_THE_CLIENTS = ["Received", "Health", "Meta"];
/** Operations that a client does not have: pages and images, what Stripe sends, what probes ask. */
const NOT_FUNCTIONS = ["getBadge", "getTrustedImage", "getUntrustedImage", "getUnknownImage", "getHealth", "getDescription", "receiveStripeEvent"];

let server;
let schemas;
let document;
before(async () => {
  server = await startServer();
  const response = await fetch(`${server.url}/openapi.json`);
  assert.equal(response.status, 200);
  document = await response.json();
  schemas = document.components.schemas;
});
after(() => server?.stop());

test("every operation is a function", () => {
  const operations = Object.values(document.paths).flatMap((methods) => Object.values(methods).map(({ operationId }) => operationId));
  const missing = operations.filter((name) => !NOT_FUNCTIONS.includes(name) && typeof Client.prototype[name] !== "function");
  assert.deepEqual(missing, []);
  assert.deepEqual(NOT_FUNCTIONS.filter((name) => !operations.includes(name)), []);
});

test("every record is an interface with the same properties", () => {
  const described = Object.entries(schemas).filter(([name, { properties }]) => properties && !NOT_THE_CLIENTS.includes(name));
  assert.ok(described.length > 40);
  const interfaces = readInterfaces();
  const expected = Object.fromEntries(described.map(([name, schema]) => [NAMES[name] ?? name, describe(schema)]));
  // `Failure` is null where an answer was not the service's, and `Envelope` is the answer itself.
  const { Envelope, ...written } = interfaces;
  assert.ok(Envelope);
  written.Failure.id = "string";
  assert.deepEqual(written, expected);
});

test("every enumeration has the same values", () => {
  const described = {
    Priority: schemas.Priority.enum,
    Status: schemas.Status.enum,
    ActionKind: schemas.ActionKind.enum,
    Abilities: schemas.Abilities.items.enum,
    Capabilities: schemas.Capabilities.items.enum,
    EventKinds: schemas.EventKinds.items.enum,
  };
  const written = { Priority, Status: RequestStatus, ActionKind, Abilities: Ability, Capabilities: LedgerCapability, EventKinds: WebhookEventKind };
  const values = Object.entries(written).map(([name, values]) => [name, Object.values(values)]);
  assert.deepEqual(Object.fromEntries(values), described);
});

/** A schema's properties: `name?` where it may be absent. */
function describe({ properties, required = [] }) {
  return Object.fromEntries(Object.entries(properties).map(([name, schema]) => [required.includes(name) ? name : `${name}?`, union(shapes(schema))]));
}

function union(shapes) {
  const list = [...new Set(shapes)].sort();
  return list.length > 5 ? "anything" : list.join(" | ");
}

/** What a schema allows, as TypeScript has it. Numbers of an enumeration are numbers here: their values are the test's above. */
function shapes(schema) {
  if (schema.$ref) {
    const name = schema.$ref.split("/").at(-1);
    return schemas[name].properties ? [NAMES[name] ?? name] : shapes(schemas[name]);
  }
  if (schema.anyOf) return schema.anyOf.flatMap(shapes);
  return [schema.type].flat().map((type) => {
    if (type === "array" && schema.items) return `[${union(shapes(schema.items))}]`;
    return type === "integer" ? "number" : type;
  });
}

/** The interfaces of the package in the same form. */
function readInterfaces() {
  const program = ts.createProgram([TYPES], { strict: true, target: ts.ScriptTarget.ES2022, lib: ["lib.es2022.d.ts"], types: [] });
  const checker = program.getTypeChecker();
  const source = program.getSourceFile(TYPES);
  const found = {};
  for (const statement of source.statements.filter(ts.isInterfaceDeclaration)) {
    found[statement.name.text] = Object.fromEntries(
      statement.members.map((member) => [
        member.name.text + (member.questionToken ? "?" : ""),
        union(written(checker, checker.getTypeAtLocation(member)).filter((shape) => shape !== "undefined")),
      ]),
    );
  }
  return found;
}

function written(checker, type) {
  if (type.isUnion()) return type.types.flatMap((part) => written(checker, part));
  if (type.flags & ts.TypeFlags.Unknown) return ["anything"];
  if (type.flags & ts.TypeFlags.NumberLike) return ["number"];
  if (type.flags & ts.TypeFlags.StringLike) return ["string"];
  if (type.flags & ts.TypeFlags.BooleanLike) return ["boolean"];
  if (checker.isArrayType(type)) return [`[${union(written(checker, checker.getTypeArguments(type)[0]))}]`];
  return [checker.typeToString(type)];
}
