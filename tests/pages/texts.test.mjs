// Checks that every language has all texts of the pages, and that the texts in the pages' HTML are the English texts.
import assert from "node:assert/strict";
import { readFile, readdir } from "node:fs/promises";
import { test } from "node:test";

const www = new URL("../../www/", import.meta.url);
const read = (path) => readFile(new URL(path, www), "utf8");
const names = (await readdir(new URL("../pkg/view/texts/", www))).filter((name) => name.endsWith(".json"));
const texts = {};
for (const name of names) {
  const [language] = name.split(".");
  const given = JSON.parse(await read(`../pkg/view/texts/${name}`));
  assert.deepEqual(
    Object.keys(given).filter((group) => group in (texts[language] ?? {})),
    [],
    name,
  );
  texts[language] = { ...texts[language], ...given };
}

const PLURAL = new Set(["zero", "one", "two", "few", "many", "other"]);
const isPlural = (value) => Object.hasOwn(value, "other") && Object.keys(value).every((key) => PLURAL.has(key));

/** Returns the texts by their keys. Plural forms count as one text. */
function flat(value, path = "") {
  if (typeof value === "string" || isPlural(value)) return [[path, value]];
  return Object.entries(value).flatMap(([key, inside]) => flat(inside, path ? `${path}.${key}` : key));
}

const english = new Map(flat(texts.en));
const placesOf = (text) => [...JSON.stringify(text).matchAll(/\{(\w+)\}/g)].map(([, name]) => name);

test("there are texts in English, German, French and Spanish", () => assert.deepEqual(Object.keys(texts).sort(), ["de", "en", "es", "fr"]));

for (const [language, value] of Object.entries(texts)) {
  test(`the texts in ${language} are complete, and have the placeholders of the English texts`, () => {
    const own = new Map(flat(value));
    assert.deepEqual([...own.keys()].sort(), [...english.keys()].sort());
    for (const [key, text] of own) {
      assert.deepEqual(new Set(placesOf(text)), new Set(placesOf(english.get(key))), key);
      for (const form of typeof text === "string" ? [text] : Object.values(text)) assert.ok(form.trim() !== "" && form.trim() === form, key);
    }
  });
  test(`the texts in ${language} have no technical terms`, () => {
    const plain = flat(value).filter(([key]) => !key.startsWith("certificate.report"));
    for (const [key, text] of plain) assert.doesNotMatch(JSON.stringify(text), /\b(imprint|proofs?|hash|merkle)\b/i, key);
  });
}

const view = (await readdir(new URL("../pkg/view/src/", www))).map((name) => `../pkg/view/src/${name}`);
const scripts = [...(await readdir(www, { recursive: true })).filter((name) => /\.tsx?$/.test(name)), ...view];
const pages = [
  "index.html",
  "issue/index.html",
  "issue/many/index.html",
  "issued/index.html",
  "console/index.html",
  "certify/index.html",
  "share/index.html",
  "verify/index.html",
  "parts/nav.html",
  "parts/languages.html",
  "parts/operator.html",
  "parts/saved.html",
  "../edge-api/assets/certificate.html",
  "../edge-api/assets/link.html",
  "../edge-api/src/web/html.rs",
];
/** The source code of the pages that the Worker writes. `outcomes` has a `[key, heading, lead]` for each page. */
const written = (await Promise.all(["html.rs", "../routes/health.rs", "../routes/operator.rs"].map((name) => read(`../edge-api/src/web/${name}`)))).join("\n");
const outcomes = [...written.matchAll(/"([\w.]+)",\s+(?:heading: )?"([^"]+)",\s+(?:lead: )?"([^"]+)",\s+[})]/g)].map(([, ...texts]) => texts);

test("every text that a script uses exists", async () => {
  for (const name of scripts) {
    const source = await read(name);
    if (!/texts\.ts|Refusal\.of/.test(source)) continue;
    for (const [, key] of source.matchAll(/(?:\bsay|Refusal\.of)\('([^']+)'/g)) assert.ok(english.has(key), `${name}: ${key}`);
    for (const [, start] of source.matchAll(/\bsay\(`([\w.]+)\.\$\{/g))
      assert.ok(
        [...english.keys()].some((key) => key.startsWith(`${start}.`)),
        `${name}: ${start}`,
      );
  }
});

test("the texts in a page's HTML are the English texts", async () => {
  let total = 0;
  for (const name of pages) {
    const page = await read(name);
    const marked = [...page.matchAll(/<(\w+)[^>]*\sdata-text="([^"]+)"[^>]*>([^<]*)</g)];
    total += marked.length;
    for (const [, , key, text] of marked) assert.equal(text, english.get(key), `${name}: ${key}`);
    for (const [tag, key] of page.matchAll(/<[^>]*\sdata-label="([^"]+)"[^>]*>/g)) assert.ok(tag.includes(`aria-label="${english.get(key)}"`), `${name}: ${key}`);
  }
  assert.ok(total >= 130, `${total}`);
});
test("a page that the Worker writes has the English texts", () => {
  assert.equal(outcomes.length, 8);
  for (const [key, heading, lead] of outcomes) assert.deepEqual([heading, lead], [english.get(`${key}.title`), english.get(`${key}.lead`)], key);
});
test("every text is used", async () => {
  // The problems of tables are in Rust.
  const all = (await Promise.all([...scripts, ...pages, "../cert-tables/src/problem.rs"].map(read))).join("\n");
  const starts = [...outcomes.map(([key]) => key), ...[...all.matchAll(/`([\w.]+)\.\$\{/g)].map(([, start]) => start)].map((start) => `${start}.`);
  // The custom elements name their own texts without the group.
  const folder = new URL("../pkg/elements/src/", www);
  const elements = (await Promise.all((await readdir(folder)).filter((name) => name.endsWith(".js")).map((name) => readFile(new URL(name, folder), "utf8")))).join("\n");
  const isOfElements = (key) => /^(badge|element)\./.test(key) && new RegExp(`\\b${key.split(".").at(-1)}\\b`).test(elements);
  const isUsed = (key) => all.includes(`'${key}'`) || all.includes(`"${key}"`) || starts.some((start) => key.startsWith(start)) || isOfElements(key);
  assert.deepEqual(
    [...english.keys()].filter((key) => !isUsed(key)),
    [],
  );
});

test("the quota that the console states is the one of the service", async () => {
  const [row] = /\| a funded account: .*/.exec(await read("../edge-api/README.md"));
  const [figure] = /\d+ M(?=B)/.exec(row);
  for (const { money } of Object.values(texts)) assert.ok(money.storedHint.startsWith(figure), money.storedHint);
});

test("the causes that the console words are reasons and codes of the service", async () => {
  const reasons = (await Promise.all(["problem.rs", "check.rs"].map((name) => read(`../edge-api/src/issuers/${name}`)))).join("\n");
  const codes = await read("../order-core/src/error/catalogue.rs");
  const { organisation, problems } = texts.en;
  for (const reason of Object.keys(organisation.reasons)) assert.match(reasons, new RegExp(`["']${reason}["']`), reason);
  for (const code of Object.keys(problems.causes)) assert.match(codes, new RegExp(` = ${code},`), code);
});
