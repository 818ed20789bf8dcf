// The rules and the dashboard for Prometheus and Grafana load, and every rule has an entry in the runbook.
import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { test } from "node:test";
import { parser } from "@prometheus-io/lezer-promql";
import { load } from "js-yaml";
import { ROOT } from "./support/task.mjs";

const read = (name) => readFile(new URL(`docs/${name}`, `file://${ROOT}`), "utf8");

/** Fails if an expression of Prometheus has a syntax error. */
function isExpression(text) {
  // Grafana and Prometheus replace their variables before they parse.
  const tree = parser.parse(text);
  tree.iterate({ enter: ({ type, from }) => assert.ok(!type.isError, `${text} at ${from}`) });
}

test("each rule has an expression, a severity, a summary and an entry in the runbook", async () => {
  const { groups } = load(await read("monitoring/rules.yml"));
  const entries = new Set([...(await read("runbook.md")).matchAll(/^## ([a-z-]+)$/gm)].map(([, name]) => name));
  const rules = groups.flatMap(({ rules }) => rules);
  assert.ok(rules.length > 10, `${rules.length}`);
  assert.equal(new Set(rules.map(({ alert }) => alert)).size, rules.length);
  for (const { alert, expr, labels, annotations } of rules) {
    isExpression(expr);
    assert.ok(["warning", "critical"].includes(labels.severity), alert);
    assert.ok(entries.has(labels.entry), `${alert}: docs/runbook.md has no entry ${labels.entry}`);
    assert.match(annotations.summary, /\.$/, alert);
  }
  assert.throws(() => isExpression("sum(rate(x[5m])"));
});

test("each panel of the dashboard has expressions and a place of its own", async () => {
  const { panels, schemaVersion, templating } = JSON.parse(await read("monitoring/dashboard.json"));
  assert.ok(schemaVersion >= 36);
  assert.deepEqual(
    templating.list.map(({ name }) => name),
    ["datasource"],
  );
  const places = new Set();
  for (const { id, title, gridPos, datasource, targets } of panels) {
    places.add(`${gridPos.x} ${gridPos.y}`);
    assert.ok(gridPos.x + gridPos.w <= 24, title);
    assert.equal(datasource.uid, "${datasource}", title);
    assert.ok(id > 0 && targets.length > 0, title);
    for (const { expr } of targets) isExpression(expr);
  }
  assert.equal(places.size, panels.length);
});
