// Writes src/types.ts, src/queries.ts and src/error-codes.ts from www/openapi.json. openapi-typescript turns the schemas into TypeScript. This program turns each schema into a named type,
// because people read these names in their editors and in the compiler's messages.
import { readFile, writeFile } from "node:fs/promises";
import { pathToFileURL } from "node:url";
import openapiTS, { astToString } from "openapi-typescript";
import ts from "typescript";

const DOCUMENT = new URL("../../www/openapi.json", import.meta.url);
/** The written files, each with the function that returns its text. */
export const FILES = new Map([
  [new URL("src/types.ts", import.meta.url), types],
  [new URL("src/queries.ts", import.meta.url), queries],
  [new URL("src/error-codes.ts", import.meta.url), errorCodes],
]);

/** Names that JavaScript and browsers use for something else. */
const RENAMED = { Date: "Day", Document: "FetchedDocument", Error: "ServiceError" };
/** Schemas that have a type elsewhere (in the head, or in enumerations.ts), and schemas of routes that no function of the client calls. */
const LEFT_OUT = ["ActionKind", "Document", "Failure", "FileLimits", "Health", "Meta", "Priority", "RateLimits", "Received", "Status"];

const HEAD = `// Written by \`cargo xtask docs\` from the service's own shapes; a test compares them.
import type { ActionKind, Priority, Status } from "./enumerations.js";

/** The answer of every function: the envelope of a success. */
export interface Envelope<Data, Info = object> {
  id: Ref;
  status: number;
  data: Data;
  meta: Info;
}

/** The envelope of a failure. */
export interface Failure {
  /** Null if the answer did not come from the service. */
  id: Ref | null;
  status: number;
  errors: ServiceError[];
  /** The hash to sign, if a deployment or an approval lacks nothing but its claim. */
  hash?: Hash;
}

/** A JSON object as it was fetched, with its keys in the original order. It is unchecked. Null if it was not fetched. */
export type FetchedDocument = { [member: string]: any } | null;

/** Evidence as it was fetched. \`verify\` of \`@assay/cert\` takes evidence of AIH-1, and \`verify\` of \`@assay/cert/verify\` evidence of AIH-2, whose \`profile\` is \`"AIH-2"\`. Null if it was not fetched. */
export type FetchedEvidence = { [member: string]: any; profile: any; schemaId: any; proof: any; data: any } | null;
`;

/** The text of src/error-codes.ts. */
export async function errorCodes() {
  const { Code } = JSON.parse(await readFile(DOCUMENT, "utf8")).components.schemas;
  const codes = Code.enum.map((code, index) => `  /** ${Code["x-enum-descriptions"][index]} */\n  ${Code["x-enum-varnames"][index]}: ${code},\n`);
  return `// Written by \`cargo xtask docs\` from the service's own catalogue; a test compares them.

/** The codes of the service's errors, by name. A newer service may answer with further codes. */
export const ErrorCode = /* @__PURE__ */ Object.freeze({
${codes.join("")}});
export type ErrorCode = (typeof ErrorCode)[keyof typeof ErrorCode];
`;
}

/** The parameters of every list, which `PageOptions` has. */
const OF_PAGES = ["skip", "limit", "sort", "after"];

/** The text of src/queries.ts. */
export async function queries() {
  const { paths } = JSON.parse(await readFile(DOCUMENT, "utf8"));
  const lists = Object.values(paths)
    .map(({ get }) => get)
    // The client has no functions for administrators.
    .filter((operation) => operation && !operation.tags.includes("admin") && operation.parameters?.some(({ name }) => name === "after"))
    .map(({ operationId, parameters }) => ({ id: operationId, own: parameters.filter(({ in: place, name }) => place === "query" && !OF_PAGES.includes(name)) }));
  const options = lists.map(({ id, own }) => {
    const fields = own.map(({ name, description, schema }) => `  /** ${description} */\n  ${name}?: ${optionType(schema)} | undefined;\n`);
    const name = `${id.replace(/^get/, "")}Options`;
    return fields.length === 0 ? `export type ${name} = PageOptions;\n` : `export interface ${name} extends PageOptions {\n${fields.join("")}}\n`;
  });
  const names = lists.map(({ id, own }) => `  ${id}: [${own.map(({ name }) => `"${name}"`).join(", ")}],\n`);
  return `// Written by \`cargo xtask docs\` from the service's own declarations; a test compares them.
import type { Status } from "./enumerations.js";
import type { PageOptions } from "./inputs.js";

${options.join("\n")}
/** The names of each list's own parameters. Every list also has those of a page. */
export const QUERIES = /* @__PURE__ */ Object.freeze({
${names.join("")}} as const);
`;
}

/** Returns the type of an option. Dates are given as \`Date\`. */
function optionType({ type, $ref, enum: values, items, anyOf }) {
  if ($ref) return $ref.split("/").at(-1);
  if (values) return values.map((value) => JSON.stringify(value)).join(" | ");
  if (type === "array") return items.enum ? `(${optionType(items)})[]` : `${optionType(items)}[]`;
  if (anyOf?.some(({ format }) => format === "date-time")) return "Date";
  return type === "integer" ? "number" : type;
}

/** The text of src/types.ts. */
export async function types() {
  const { openapi, info, components } = JSON.parse(await readFile(DOCUMENT, "utf8"));
  const schemas = Object.fromEntries(Object.entries(components.schemas).map(([name, { examples, ...schema }]) => [name, schema]));
  // A newer service may answer with codes that this client does not know.
  schemas.Code = { type: "integer", description: "The kind of an error, as a stable number: docs/errors.md lists them." };
  // By default, openapi-typescript makes an option with a default value required.
  const nodes = await openapiTS({ openapi, info, paths: {}, components: { schemas } }, { defaultNonNullable: false });
  const source = ts.createSourceFile("openapi.ts", astToString(nodes), ts.ScriptTarget.ES2022, true);
  const all = source.statements.find((statement) => ts.isInterfaceDeclaration(statement) && statement.name.text === "components");
  const { members } = all.members.find(({ name }) => name.text === "schemas").type;
  return [HEAD, ...members.filter(({ name }) => !LEFT_OUT.includes(name.text)).map(declaration)].join("\n");
}

/** Returns a member of `components.schemas` as an exported type. */
function declaration({ name: { text: schema }, type, jsDoc = [] }) {
  // A caller may pass `undefined` for a field that it leaves out. The service never answers with
  // `undefined`.
  const isBody = /(Input|Request)$/.test(schema);
  const name = RENAMED[schema] ?? schema;
  const declared = ts.isTypeLiteralNode(type) ? `export interface ${name} ${type.getText()}` : `export type ${name} = ${type.getText()};`;
  const text = [...jsDoc.map((comment) => comment.getText()), declared].join("\n");
  return `${text
    .replace(/^ {8}/gm, "")
    .replace(/^( {4})+/gm, (indent) => " ".repeat(indent.length / 2))
    .replace(/^( *\*) +- /gm, "$1 - ")
    .replace(/^( *evidence: )components\["schemas"\]\["Document"\];$/gm, "$1FetchedEvidence;")
    .replace(/components\["schemas"\]\["(\w+)"\]/g, (_, reference) => RENAMED[reference] ?? reference)
    .replace(/^( *\w+\?: .*);$/gm, isBody ? "$1 | undefined;" : "$1;")
    .replace(/(\/\*\* |^ *\* )@description /gm, "$1")}\n`;
}

if (import.meta.url === pathToFileURL(process.argv[1]).href) for (const [file, text] of FILES) await writeFile(file, await text());
