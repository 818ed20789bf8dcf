// The published packages in each installed version of Node, with both module systems.
import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { after, before, test } from "node:test";
import { aih2Certificate, aih2Expected, certificate, expected } from "./certificate.mjs";
import { createProject, imprint, nodes, snippet } from "./project.mjs";

const KEY = "0x59c6995e998f97a5a0044966f0945389dc9e86dae88c7a8412f4603b6b78690d";
const ACCOUNT = "0x70997970C51812dc3A010C7d01b50e0d17dc79C8";

const TELL = `
  const { aih2Story, story } = await import("./story.mjs");
  const { accountId } = await client.PrivateKeyProvider.from("${KEY}");
  console.log(JSON.stringify({ told: await story(cert, ${JSON.stringify(certificate)}), aih2: await aih2Story(aih2, verify, ${JSON.stringify(aih2Certificate)}), accountId, conventions: conventions.conventions.length, violations: validate.validate({ type: "integer" }, "1").length }));`;
const NAMES = { cert: "@assay/cert", conventions: "@assay/cert/conventions", aih2: "@assay/cert/aih2", verify: "@assay/cert/verify", validate: "@assay/validate", client: "@assay/client" };
const lines = (line) => Object.entries(NAMES).map(line).join("\n");

let project;
before(async () => {
  project = await createProject({
    "certify.mjs": snippet("certify.mjs"),
    "certify.cjs": snippet("certify.cjs"),
    "story-module.mjs": `${lines(([name, from]) => `import * as ${name} from "${from}";`)}${TELL}`,
    "story-commonjs.cjs": `${lines(([name, from]) => `const ${name} = require("${from}");`)}(async () => {${TELL}})();`,
  });
});
after(() => project?.remove());

test("the packages contain every needed file and no tests", () => {
  const modules = { "@assay/cert": 3, "@assay/validate": 1, "@assay/client": 1, "@assay/elements": 0 };
  assert.deepEqual(
    project.packed.map(({ name }) => name),
    Object.keys(modules),
  );
  for (const { name, files } of project.packed) {
    const names = files.map(({ path }) => path.replace(/^(aih2|verify)\//, ""));
    assert.equal(names.filter((name) => name.endsWith(".wasm")).length, modules[name]);
    assert.deepEqual(names.filter((name) => name.startsWith("dist/LICENSE-")).toSorted(), ["dist/LICENSE-APACHE", "dist/LICENSE-MIT"]);
    assert.deepEqual(
      names.filter((name) => !/^(src|dist)\/[^/]+$|^dist\/(types|cjs|plain|shared)\/|^[a-z0-9]+(\.d\.ts|\.js)$|^(README\.md|package\.json|custom-elements\.json|LICENSE.*)$/.test(name)),
      [],
    );
  }
});

for (const [version, program] of await nodes()) {
  for (const name of ["certify.mjs", "certify.cjs"]) {
    test(`Node ${version}: the README's ${name}`, async () => assert.equal(await project.run(program, name), imprint));
  }
  for (const name of ["story-module.mjs", "story-commonjs.cjs"]) {
    test(`Node ${version}: ${name}`, async () => {
      assert.deepEqual(JSON.parse(await project.run(program, name)), { told: expected, aih2: aih2Expected, accountId: ACCOUNT, conventions: 10, violations: 1 });
    });
  }
}

test("the imprint of the README's examples equals one computed with SHA-256", () => {
  const hash = (text) => createHash("sha256").update(text).digest("hex");
  const leaf = hash(hash("Nighthawks") + hash("0"));
  assert.equal(imprint, hash(leaf + hash(hash("1"))));
});
