// Asserts that the package's types and functions match the service's OpenAPI document.
import assert from "node:assert/strict";
import { fileURLToPath } from "node:url";
import { after, before, test } from "node:test";
import ts from "typescript";
import { Ability, ActionKind, Client, LedgerCapability, Priority, RequestStatus, WebhookEventKind } from "@assay/client";
import { newClient } from "../support/client.mjs";
import { startServer } from "../support/server.mjs";

const SOURCES = new URL("../../pkg/client/src/", import.meta.url);
/** Schemas that have another name in the package, because JavaScript has its own `Error`. */
const NAMES = { Error: "ServiceError" };
/** Schemas of routes that clients do not call, and empty schemas. */
const NOT_THE_CLIENTS = ["Received", "Health", "RateLimits", "FileLimits", "Meta"];
/** Operations that are not functions of the client: pages, images, files and codes of products, Stripe's events, health checks, requests of wallets, and the two steps of `signIn`. */
const NOT_FUNCTIONS = [
  "getBadge",
  "getCertificate",
  "getTrustedImage",
  "getUnconfirmedImage",
  "getUntrustedImage",
  "getWithdrawnImage",
  "getNotIssuedImage",
  "getUnknownImage",
  "getDisownedImage",
  "getExpiredImage",
  "getReplacedImage",
  "getNoLongerConfirmedImage",
  "getHealth",
  "getSignInChallenge",
  "createSession",
  "getFile",
  "getNamedFile",
  "getStatusList",
  "getServiceDid",
  "getProductItem",
  "getProduct",
  "getProductResolver",
  "receiveStripeEvent",
  "getCredentialIssuer",
  "getAuthorizationServer",
  "createWalletToken",
  "getWalletCredential",
];

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

test("the client has a function for every operation", () => {
  const names = operations().map(({ operationId }) => operationId);
  const missing = names.filter((name) => !NOT_FUNCTIONS.includes(name) && typeof Client.prototype[name] !== "function");
  assert.deepEqual(missing, []);
  assert.deepEqual(
    NOT_FUNCTIONS.filter((name) => !names.includes(name)),
    [],
  );
  // Each list also has a function without `get` in its name, which iterates over the whole list.
  const lists = operations().filter(({ responses }) => responses[200]?.content?.["application/json"]?.schema?.properties?.data.type === "array");
  assert.ok(lists.length > 12);
  const iterators = lists.map(({ operationId }) => operationId.replace(/^get(.)/, (_, first) => first.toLowerCase()));
  assert.deepEqual(
    iterators.filter((name) => typeof Client.prototype[name] !== "function"),
    [],
  );
});

test("the client has an interface with the same properties for every schema", () => {
  const described = Object.entries(schemas).filter(([name, { properties }]) => properties && !NOT_THE_CLIENTS.includes(name));
  assert.ok(described.length > 40);
  const interfaces = readInterfaces();
  const expected = Object.fromEntries(described.map(([name, schema]) => [NAMES[name] ?? name, describe(schema)]));
  // `Failure.id` may also be null, if a response did not come from the service. `Envelope` is the whole response.
  const { Envelope, ...written } = interfaces;
  assert.ok(Envelope);
  written.Failure.id = "string";
  // The description says nothing about foreign JSON. The client's types are those that `@assay/cert` accepts.
  for (const name of ["metadata", "evidence", "schema"]) written.Validity[name] = "anything";
  assert.deepEqual(written, expected);
});

test("every function has the parameters and result of its operation", () => {
  const functions = readFunctions();
  const expected = {};
  for (const { operationId, parameters = [], responses } of operations()) {
    if (NOT_FUNCTIONS.includes(operationId)) continue;
    const { data, meta } = (responses[200] ?? responses[201]).content["application/json"].schema.properties;
    const query = parameters.map(resolved).filter((parameter) => parameter.in === "query" && !parameter.required);
    expected[operationId] = {
      gives: union(shapes(data)),
      meta: union(shapes(meta)).replace(/^Meta$/, "object"),
      options: Object.fromEntries(query.map(({ name, schema }) => [`${name}?`, isDate(schema) ? "Date" : union(shapes(schema))])),
    };
  }
  assert.ok(Object.keys(expected).length > 35);
  assert.deepEqual(Object.fromEntries(Object.keys(expected).map((name) => [name, functions[name]])), expected);
});

test("every function calls its operation with all parameters", async () => {
  const account = (await knownAccount()).data;
  for (const [path, method, { operationId, parameters = [], requestBody }] of operations(true)) {
    if (NOT_FUNCTIONS.includes(operationId)) continue;
    const { client, calls } = await listening(account);
    const given = parameters.map(resolved).filter(({ in: place }) => place !== "header");
    const options = Object.fromEntries(given.filter(({ in: place, required }) => place === "query" && !required).map(({ name, schema }) => [name, sample(schema)]));
    const own = ARGUMENTS[operationId]?.(account) ?? given.filter(({ required }) => required).map(({ name }) => name);
    await client[operationId](...own, ...(Object.keys(options).length > 0 ? [options] : []));
    const call = calls.at(-1);
    const called = operationId === "putLedgerBook" ? path.replace("{ledgerRef}", own[0]) : path;
    assert.deepEqual([call.method, call.url.pathname], [method.toUpperCase(), called.replace(/[{}]/g, "")], operationId);
    assert.deepEqual(
      [...call.url.searchParams.keys()].sort(),
      given
        .filter(({ in: place }) => place === "query")
        .map(({ name }) => name)
        .sort(),
      operationId,
    );
    assert.equal(call.body === undefined, requestBody === undefined, operationId);
    const content = requestBody?.content["application/json"] ?? requestBody?.content["multipart/form-data"];
    if (content) assert.deepEqual(mismatches(content.schema, call.body), [], operationId);
  }
});

/** Arguments of functions that take more than references and options. */
const ARGUMENTS = {
  createOrder: ({ id, payment }) => [
    {
      actions: [
        ...creation(id),
        { kind: 5, assetLedgerId: id, abilities: [1, 2], senderId: id, receiverId: id },
        { kind: 3, valueLedgerId: payment.tokenAddress, value: 1, senderId: id, receiverId: id },
      ],
      signersIds: [id],
      payerId: id,
      wildcardSigner: false,
      automatedPerform: true,
    },
    1,
  ],
  createDeployment: ({ id }) => [{ name: "n", symbol: "s", uriPrefix: "p", uriPostfix: "", schemaId: "0".repeat(64), capabilities: [1], ownerId: id }, 1],
  createApproval: ({ id }) => [{ ledgerId: id, receiverId: id, approve: true }, 1],
  createDeposit: () => [1000],
  createApiKey: () => [{ name: "n", scopes: ["read"], expiresAt: "2030-01-01" }],
  updateAccountAccess: () => [false],
  signOrder: ({ id }) => [
    "orderRef",
    { reviewed: { wildcardSigner: false, order: { seed: 1, expiration: 2, signers: [{ accountId: id }], actions: [{ kind: 6, ledgerId: id, assetId: "1", senderId: id }] } } },
  ],
  updateAccountInformation: () => [
    {
      firstName: "f",
      lastName: "l",
      email: "e",
      streetAddress: "s",
      postalCode: "p",
      city: "c",
      country: "c",
      isCompany: true,
      companyInformation: { name: "n", streetAddress: "s", postalCode: "p", city: "c", country: "c", taxNumber: "t", phoneNumber: 1 },
    },
  ],
  updateAccountWebhook: () => ["https://example.org/", [0]],
  setDomain: () => ["uni.example"],
  setLedgerDomain: () => ["ledgerRef", "uni.example"],
  checkIssuer: ({ id }) => ["domain", id],
  getValidity: () => ["ledgerId", "assetId"],
  uploadFile: () => [new Uint8Array(1), { ledgerRef: "ledgerRef", assetId: "1", name: "metadata" }],
  updateAssetWithdrawal: () => ["ledgerRef", "assetId", "reason"],
  createStatusEntries: () => ["ledgerRef", [{ assetId: "1", imprint: "0".repeat(64) }]],
  createWalletOffer: () => ["ledgerRef", { codeHash: "0".repeat(64), configuration: "open-badge", ciphertext: "A".repeat(43), days: 7 }],
  createLink: () => ["ciphertext", 7],
  endLink: () => ["linkId", "endKey"],
  requestAdmission: () => [{ organisation: "o", contact: "c@example.org", text: "t" }],
  setBookKey: () => ["A".repeat(43)],
  // The ledger's address is part of the signed text, so this function takes no reference.
  putLedgerBook: ({ id }) => [id, { version: 1, readers: [id], content: new Uint8Array(1) }],
};
const creation = (id) => [{ kind: 1, assetLedgerId: id, id: "1", imprint: "0".repeat(64), senderId: id, receiverId: id }];

async function knownAccount() {
  const client = await newClient(server.url, { serviceName: "ours" });
  return client.getAccount();
}

/** Returns a client, and a list to which each call of the client is added. */
async function listening(account) {
  const provider = { accountId: account.id, signMethod: 3, sign: () => Promise.resolve(`0x${"1".repeat(130)}`) };
  const calls = [];
  const client = new Client({
    provider,
    fetch: (url, { method, body }) => {
      calls.push({ method, url: new URL(url), body: body instanceof FormData ? fields(body) : body && JSON.parse(body) });
      return Promise.resolve(Response.json({ id: "r", status: 200, data: account, meta: {} }));
    },
  });
  await client.init();
  return { client, calls };
}

/** Returns the parts of a form, each as a string. */
const fields = (form) => Object.fromEntries([...form].map(([name, value]) => [name, String(value)]));

/** Returns true if a parameter is a time, which the service accepts in several forms. */
const isDate = ({ anyOf = [] }) => anyOf.some(({ format }) => format === "date-time");

/** Returns a valid value of a parameter. */
function sample(schema) {
  if (schema.type === "array") return [sample(resolved(schema.items))];
  if (isDate(schema)) return new Date();
  return schema.enum?.at(-1) ?? (schema.type === "integer" ? 7 : "x");
}

/** Returns the paths where a value does not match the properties and types of a schema. */
function mismatches(given, value, place = "") {
  const schema = resolved(given);
  if (schema.anyOf) {
    const attempts = schema.anyOf.map((one) => mismatches(one, value, place));
    return attempts.find((found) => found.length === 0) ?? attempts.flat();
  }
  const type = value === null ? "null" : Array.isArray(value) ? "array" : Number.isInteger(value) ? "integer" : typeof value;
  if (schema.type && ![schema.type].flat().includes(type)) return [`${place} is ${type}`];
  if (schema.enum && !schema.enum.includes(value)) return [`${place} is ${value}`];
  if (type === "array") return value.flatMap((item, index) => mismatches(schema.items, item, `${place}[${index}]`));
  if (type !== "object") return [];
  const { properties, required = [] } = schema;
  const unknown = Object.keys(value)
    .filter((name) => !Object.hasOwn(properties, name))
    .map((name) => `${place}.${name} is not described`);
  const missing = required.filter((name) => !Object.hasOwn(value, name)).map((name) => `${place}.${name} is missing`);
  const wrong = Object.entries(value)
    .filter(([name]) => Object.hasOwn(properties, name))
    .flatMap(([name, item]) => mismatches(properties[name], item, `${place}.${name}`));
  return [...unknown, ...missing, ...wrong];
}

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

/** Returns all operations for clients, optionally with their paths and methods. The operator calls the other operations with `cargo xtask admin`. */
function operations(placed = false) {
  const all = Object.entries(document.paths).flatMap(([path, methods]) => Object.entries(methods).map(([method, operation]) => [path, method, operation]));
  const own = all.filter(([, , { tags }]) => !tags.includes("admin"));
  return placed ? own : own.map(([, , operation]) => operation);
}

/** Resolves a reference to its part of the document. */
function resolved(entry) {
  if (!entry.$ref) return entry;
  return entry.$ref
    .split("/")
    .slice(1)
    .reduce((place, name) => place[name], document);
}

/** Returns the types of a schema's properties by name. The name of an optional property ends with `?`. */
function describe({ properties, required = [] }) {
  return Object.fromEntries(Object.entries(properties).map(([name, schema]) => [required.includes(name) ? name : `${name}?`, union(shapes(schema))]));
}

function union(shapes) {
  return [...new Set(shapes)].sort().join(" | ");
}

/** Types of open enumerations: a newer service may answer with error codes that the client does not have. */
const OPEN = ["Code"];

/** Returns the types that a schema allows, in TypeScript notation. */
function shapes(schema) {
  if (schema.$ref) {
    const name = schema.$ref.split("/").at(-1);
    if (OPEN.includes(name)) return ["number"];
    return schemas[name].properties ? [NAMES[name] ?? name] : shapes(schemas[name]);
  }
  if (schema.anyOf) return schema.anyOf.flatMap(shapes);
  if (schema.type === undefined) return ["anything"];
  const values = schema.enum ?? (Object.hasOwn(schema, "const") ? [schema.const] : undefined);
  if (values) return values.map((value) => JSON.stringify(value));
  return [schema.type].flat().map((type) => {
    if (type === "array" && schema.items) return `[${union(shapes(schema.items))}]`;
    return type === "integer" ? "number" : type;
  });
}

/** Returns the interfaces of the package in the form of `describe`. */
function readInterfaces() {
  const { checker, source } = read("types.ts");
  return Object.fromEntries(source.statements.filter(ts.isInterfaceDeclaration).map((statement) => [statement.name.text, properties(checker, checker.getTypeAtLocation(statement))]));
}

/** Returns the `options` and the results of each function in the form of `describe`. */
function readFunctions() {
  const { checker, source } = read("client.ts");
  const client = source.statements.find((statement) => ts.isClassDeclaration(statement) && statement.name.text === "Client");
  const found = {};
  for (const member of client.members.filter((member) => ts.isMethodDeclaration(member) && ts.isIdentifier(member.name))) {
    const answer = checker.getAwaitedType(checker.getReturnTypeOfSignature(checker.getSignatureFromDeclaration(member)));
    const [data, meta] = answer?.aliasTypeArguments ?? (answer && checker.getTypeArguments(answer)) ?? [];
    const options = member.parameters.find(({ name }) => name.getText() === "options");
    const shape = (type) => (type ? union(written(checker, type)) : "");
    found[member.name.text] = { gives: shape(data), meta: shape(meta), options: options ? properties(checker, checker.getNonNullableType(checker.getTypeAtLocation(options))) : {} };
  }
  return found;
}

/** Loads a module of the package with the TypeScript compiler. */
function read(name) {
  const [file, bindings] = [name, "bindings.d.ts"].map((name) => fileURLToPath(new URL(name, SOURCES)));
  const program = ts.createProgram([file, bindings], {
    strict: true,
    exactOptionalPropertyTypes: true,
    target: ts.ScriptTarget.ES2022,
    lib: ["lib.es2022.d.ts", "lib.dom.d.ts"],
    types: [],
    module: ts.ModuleKind.ESNext,
    moduleResolution: ts.ModuleResolutionKind.Bundler,
  });
  return { checker: program.getTypeChecker(), source: program.getSourceFile(file) };
}

function properties(checker, type) {
  const found = {};
  for (const property of checker.getPropertiesOfType(type)) {
    const optional = property.flags & ts.SymbolFlags.Optional;
    const shapes = written(checker, checker.getTypeOfSymbol(property)).filter((shape) => shape !== "undefined");
    found[property.name + (optional ? "?" : "")] = union(shapes);
  }
  return found;
}

function written(checker, type) {
  if (type.isUnion()) return type.types.flatMap((part) => written(checker, part));
  if (type.flags & ts.TypeFlags.Unknown) return ["anything"];
  if (type.isNumberLiteral() || type.isStringLiteral()) return [JSON.stringify(type.value)];
  if (type.flags & ts.TypeFlags.NumberLike) return ["number"];
  if (type.flags & ts.TypeFlags.StringLike) return ["string"];
  if (type.flags & ts.TypeFlags.BooleanLike) return ["boolean"];
  if (checker.isArrayType(type)) return [`[${union(written(checker, checker.getTypeArguments(type)[0]))}]`];
  return [checker.typeToString(type)];
}
