// The badge and the verify page show each state in the same colour, according to edge-api/assets/README.md.
import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { test } from "node:test";

const read = (path) => readFile(new URL(`../../${path}`, import.meta.url), "utf8");

test("images and page have the colours in the table of states", async () => {
  const [table, style] = await Promise.all(["edge-api/assets/README.md", "www/style.css"].map(read));
  const rows = table.split("\n").filter((line) => line.includes(".svg`"));
  assert.equal(rows.length, 10);
  // The first definition of a colour is for the light scheme.
  const colours = new Map([...style.slice(0, style.indexOf("@media")).matchAll(/(--[a-z-]+): (#[0-9a-f]+)/g)].map(([, name, colour]) => [name, colour]));
  for (const row of rows) {
    const [, , image, kinds, look] = row.split("|");
    const colour = /#[0-9a-f]{6}/.exec(look)[0];
    const picture = await read(`edge-api/assets/${/`(.+)`/.exec(image)[1]}`);
    assert.equal(/<rect [^>]*rx="8" fill="(#[0-9a-f]{6})"/.exec(picture)[1], colour, row);
    for (const [, kind] of kinds.matchAll(/`([a-z-]+)`/g)) {
      const rule = style.split("\n").find((line) => line.includes(`.answer[data-kind="${kind}"]`));
      assert.equal(colours.get(/ color: var\((--[a-z-]+)\)/.exec(rule)[1]), colour, kind);
    }
  }
});
