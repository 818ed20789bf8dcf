// The published declarations in the oldest and newest supported TypeScript, with and without `dom`, and with the declarations themselves checked.
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { symlink, mkdir, readFile } from "node:fs/promises";
import { createRequire } from "node:module";
import path from "node:path";
import { after, before, test } from "node:test";
import { Validator } from "@assay/validate";
import { createProject } from "./project.mjs";

const require = createRequire(import.meta.url);
const folderOf = (name) => path.dirname(require.resolve(`${name}/package.json`));
const VERSIONS = { "5.0": "typescript50", "7.0": "typescript7" };

/** Uses every entry. Evidence of the service goes to the verifier of its profile. */
const USE = `
import { Cert, identify, type KeyedNoncer } from "@assay/cert";
import * as aih2 from "@assay/cert/aih2";
import { Cert as Verifier } from "@assay/cert/verify";
import * as init from "@assay/cert/init";
import { evidence as wrapped } from "@assay/cert/conventions";
import { Validator, type Violation } from "@assay/validate";
import { Client, receiveWebhook, verifyWebhook, type ClientOptions } from "@assay/client";
import { Verdicts, type FetchedEvidence } from "@assay/client/verdicts";
import type { AssayAttributes, AssayBadge } from "@assay/elements";
import { AssayCertificate } from "@assay/elements/certificate";

export async function check(client: Client | Verdicts, imprint: string): Promise<boolean | null> {
  const { metadata, evidence, schema } = (await client.getValidity("0x", "1")).data;
  if (metadata === null || evidence === null || schema === null) return null;
  const { document } = await new Verifier({ schema }).verify(metadata, evidence, imprint, { asset: { ledgerId: "0x", assetId: "1" } });
  const { proven } = await new Cert({ schema }).verify(metadata, evidence, imprint);
  const other = (await new aih2.Cert({ schema }).verify(evidence, imprint)).valid;
  return document !== null && proven !== null && other && typeof identify(schema) === "string";
}
// @ts-expect-error: evidence may be missing
export const missing = async (evidence: FetchedEvidence) => (await new Verifier({ schema: {} }).verify(evidence, "")).valid;
export const bytes = (body: Uint8Array, view: DataView, buffer: ArrayBuffer) => [
  verifyWebhook(body, {}, ""),
  receiveWebhook(view, { a: ["b"] }, "", () => {}),
  new Client().uploadFile(buffer, { ledgerRef: "r" }),
  init.initSync(body),
  new aih2.Cert({ schema: {}, key: body }),
];
export const noncer: KeyedNoncer = { secret: new Uint8Array(16) };
export const options: ClientOptions = { apiUrl: "https://assay.example", retries: 1 };
export const violations: Violation[] = new Validator(true).validate(1);
export const attributes: AssayAttributes = { service: "https://assay.example", ledger: "0x", asset: 1 };
export const Made: new () => AssayCertificate = AssayCertificate;
export const badge: AssayBadge | undefined = undefined;
export const file = wrapped([]);
`;
const WITH_DOM = `
import { Client } from "@assay/client";
export const client = new Client({ fetch });
export const uploaded = client.uploadFile(new Blob([]), { ledgerRef: "r" });
export const listed = client.getOrders({}, { signal: new AbortController().signal });
document.createElement("assay-badge").setAttribute("asset", "1");
export const text: string | null = document.createElement("assay-certificate").textContent;
// @ts-expect-error: not a function of fetch
new Client({ fetch: 1 });
// @ts-expect-error: not a signal
client.getOrders({}, { signal: "now" });
`;
const JSX = `
import type {} from "@assay/elements/react";
const place = { service: "https://assay.example", ledger: "0x", asset: "1" };
export const good = <p><assay-badge {...place} lang="de" id="a" class="b"><a href="/">More</a></assay-badge><assay-certificate service="https://assay.example" ledger="0x" asset={1} /></p>;
// @ts-expect-error: the asset is missing
export const incomplete = <assay-badge service="https://assay.example" ledger="0x" />;
// @ts-expect-error: there is no such attribute
export const misspelt = <assay-certificate {...place} servce="https://assay.example" />;
`;

let project;
before(async () => {
  project = await createProject({
    "use.mts": USE,
    // The entry for other hosts is an ES module.
    "use.cts": USE.replace(/^import \* as init from.*\n/m, "").replace(/^ {2}init\.initSync.*\n/m, ""),
    "use.ts": USE,
    "dom.mts": WITH_DOM,
    "react.tsx": JSX,
  });
});
after(() => project?.remove());

/** Compiles a file by `tsc` of a version. Returns the compiler's messages. */
async function messages(version, file, options) {
  const compilerOptions = { noEmit: true, strict: true, exactOptionalPropertyTypes: true, skipLibCheck: false, module: "node16", target: "es2022", types: [], ...options };
  await project.write({ "tsconfig.json": JSON.stringify({ compilerOptions, files: [file] }) });
  try {
    execFileSync(process.execPath, [path.join(folderOf(VERSIONS[version]), "bin/tsc"), "-p", "."], { cwd: project.folder, encoding: "utf8", stdio: "pipe" });
    return "";
  } catch (error) {
    return error.stdout;
  }
}

for (const version of Object.keys(VERSIONS)) {
  for (const lib of [["es2022"], ["es2022", "dom"], ["esnext", "dom"]]) {
    test(`TypeScript ${version} compiles the declarations with ${lib}`, async () => {
      const others = [
        ["use.cts", {}],
        ["use.ts", { module: "esnext", moduleResolution: "bundler" }],
      ];
      for (const [file, options] of [["use.mts", {}], ...(lib.length === 1 ? others : [])]) {
        assert.equal(await messages(version, file, { lib, ...options }), "", file);
      }
    });
  }

  test(`TypeScript ${version} knows the types of the host and the elements`, async () => assert.equal(await messages(version, "dom.mts", { lib: ["es2022", "dom"] }), ""));
}

for (const [react, name] of [
  [18, "types-react18"],
  [19, "@types/react"],
]) {
  test(`the elements have types in JSX of React ${react}`, async () => {
    // The compiler finds the types of React only beside the project.
    const types = project.file(`react${react}/node_modules/@types`);
    await mkdir(types, { recursive: true });
    await symlink(folderOf(name), path.join(types, "react"));
    await symlink(project.file("node_modules/@assay"), project.file(`react${react}/node_modules/@assay`));
    await project.write({ [`react${react}/react.tsx`]: JSX });
    assert.match(JSON.parse(await readFile(path.join(folderOf(name), "package.json"), "utf8")).version, new RegExp(`^${react}\\.`));
    for (const jsx of ["react-jsx", "preserve"]) {
      // React's own declarations are not ours to check.
      const options = { lib: ["es2022", "dom"], jsx, module: "esnext", moduleResolution: "bundler", preserveSymlinks: true, skipLibCheck: true, jsxImportSource: "react" };
      assert.equal(await messages("7.0", `react${react}/react.tsx`, options), "", jsx);
    }
  });
}

test("custom-elements.json is a manifest, and has the elements of the README", async () => {
  const folder = project.file("node_modules/@assay/elements");
  const [manifest, own, readme] = await Promise.all(["custom-elements.json", "package.json", "README.md"].map((name) => readFile(path.join(folder, name), "utf8")));
  const schema = JSON.parse(await readFile(path.join(folderOf("custom-elements-manifest"), "schema.json"), "utf8"));
  const elements = JSON.parse(manifest);
  assert.deepEqual(new Validator(schema).validate(elements), []);
  assert.equal(JSON.parse(own).customElements, "custom-elements.json");
  const declarations = elements.modules.flatMap(({ declarations }) => declarations);
  assert.deepEqual(
    declarations.map(({ tagName }) => tagName),
    ["assay-badge", "assay-certificate"],
  );
  const rows = (title) =>
    [
      ...readme
        .split(`\n| ${title} |`)[1]
        .split("\n\n")[0]
        .matchAll(/^\| (.*?) \|/gm),
    ].flatMap(([, cell]) => [...cell.matchAll(/`([^`]+)`/g)].map(([, name]) => name));
  for (const { attributes, cssParts, cssStates, cssProperties } of declarations) {
    assert.deepEqual(
      attributes.map(({ name }) => name),
      rows("attribute"),
    );
    for (const { name } of cssParts) assert.ok(rows("part").includes(name), name);
    const colours = ["red", "amber", "green", "grey", "grey-red"];
    for (const { name } of cssStates) assert.ok([...rows("state"), ...colours].includes(name), name);
    for (const { name } of cssProperties) assert.ok(rows("custom property").includes(name) || /^--assay-[a-z-]+-sheet$/.test(name), name);
  }
  const [, certificate] = declarations;
  assert.deepEqual(
    rows("part")
      .filter((name) => name !== "badge")
      .toSorted(),
    certificate.cssParts.map(({ name }) => name).toSorted(),
  );
  assert.deepEqual(
    rows("state").toSorted(),
    certificate.cssStates
      .map(({ name }) => name)
      .filter((name) => !["red", "amber", "green", "grey", "grey-red"].includes(name))
      .toSorted(),
  );
});
