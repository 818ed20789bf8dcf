// Tests that docs/interface.md has every cited section of the interface specification, and that the paths in it exist.
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import { test } from "node:test";
import { fileURLToPath } from "node:url";

const root = fileURLToPath(new URL("../../", import.meta.url));
const page = readFileSync(`${root}docs/interface.md`, "utf8");

test("docs/interface.md has every section that comments cite", () => {
  const cited = execFileSync("git", ["grep", "-hiE", "interface specification|docs/interface\\.md", "--", "*.rs", "*.ts", "*.mjs", "*.md", ":!docs", ":!tests/demo"], { cwd: root, encoding: "utf8" });
  const sections = new Set([...cited.matchAll(/(?:specification|interface\.md`), (?:section )?"([A-Z][^"]+)"/g)].map(([, section]) => section));
  assert.ok(sections.size > 10);
  assert.deepEqual(
    [...sections].filter((section) => !page.includes(section)),
    [],
  );
});

test("docs/interface.md names only existing files and folders", () => {
  const links = [...page.matchAll(/\]\(([^)#]+)\)/g)].map(([, path]) => `docs/${path}`);
  const paths = [...page.matchAll(/`([a-z-]+\/[\w./-]+)`/g)].map(([, path]) => path);
  assert.ok(links.length + paths.length > 15);
  assert.deepEqual(
    [...links, ...paths].filter((path) => !existsSync(`${root}${path}`)),
    [],
  );
});
