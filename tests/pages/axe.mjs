// Checks a page against WCAG 2.2 AA.
import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { createRequire } from "node:module";

const RULES = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"];
const axe = await readFile(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");

/** Asserts that a page violates no rule. Its policy would block the accessibility tool's script, so the context needs `bypassCSP`. */
export async function assertAccessible(page) {
  await page.evaluate(axe);
  const { violations, passes } = await page.evaluate((values) => window.axe.run(document, { runOnly: { type: "tag", values } }), RULES);
  assert.deepEqual(
    violations.map(({ id, nodes }) => [id, nodes.map(({ target }) => target.join(" "))]),
    [],
  );
  assert.ok(passes.length > 10);
}
