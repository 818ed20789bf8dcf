// The published types: correct use compiles and wrong use does not, under every module resolution.
import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { after, before, test } from "node:test";
import ts from "typescript";
import { createProject } from "./project.mjs";

const { ESNext, Node16 } = ts.ModuleKind;
const { Bundler } = ts.ModuleResolutionKind;
const WAYS = {
  "module.mts": { module: Node16 },
  "commonjs.cts": { module: Node16 },
  "bundled.ts": { module: ESNext, moduleResolution: Bundler },
};

let project;
before(async () => {
  const text = await readFile(new URL("cert.test-d.ts", import.meta.url), "utf8");
  project = await createProject(Object.fromEntries(Object.keys(WAYS).map((name) => [name, text])));
});
after(() => project?.remove());

/** Returns the compiler's messages about a file of the project. */
function messages(name, way) {
  const options = { strict: true, exactOptionalPropertyTypes: true, noEmit: true, types: [], target: ts.ScriptTarget.ES2022, lib: ["lib.es2022.d.ts", "lib.dom.d.ts"], ...way };
  const program = ts.createProgram([project.file(name)], options);
  return ts.getPreEmitDiagnostics(program).map(({ file, start, messageText }) => {
    const line = file ? file.getLineAndCharacterOfPosition(start).line + 1 : 0;
    return `${line}: ${ts.flattenDiagnosticMessageText(messageText, "\n")}`;
  });
}

for (const [name, way] of Object.entries(WAYS)) {
  test(`correct lines of ${name} compile, and wrong lines do not`, () => assert.deepEqual(messages(name, way), []));

  test(`${name} compiles in language versions with \`using\``, async () => {
    const using = `\nexport function used(): void {\n  using cert = new Cert({ schema: {} }), own = new aih2.Cert({ schema: {} }), validator = new Validator({});\n  void [cert, own, validator];\n}\n`;
    const file = `using-${name}`;
    await project.write({ [file]: (await readFile(project.file(name), "utf8")) + using });
    assert.deepEqual(messages(file, { ...way, target: ts.ScriptTarget.ESNext, lib: ["lib.esnext.d.ts", "lib.dom.d.ts"] }), []);
  });
}
