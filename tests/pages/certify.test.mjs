// The page that certifies, used as a person uses it, and what it makes given to the page that verifies.
import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { after, before, test } from "node:test";
import { Cert } from "@assay/cert";
import { assetEvidence } from "@assay/cert/conventions";
import { answerOf, drop, file, skip, start } from "./browser.mjs";
import { data, imprint, schema } from "./certificate.mjs";

const options = { skip };
let host;
before(async () => {
  if (!skip) host = await start();
});
after(() => host?.stop());

const asText = (value) => (typeof value === "string" ? value : JSON.stringify(value));

/** Gives data and schema, and asks for the fields. */
async function read(page, documents = {}) {
  for (const [id, value] of Object.entries({ data, schema, ...documents })) await page.fill(`#${id}`, asText(value));
  await page.getByRole("button", { name: "Choose fields" }).click();
}

/** The check box of a field, by the names above it. */
function box(page, ...names) {
  let list = page.locator("#tree");
  for (const name of names.slice(0, -1)) list = list.locator(`:scope > li > ul[aria-label="${name}"]`);
  const item = list.locator(":scope > li", { has: page.locator(":scope > label > .name", { hasText: new RegExp(`^${names.at(-1).replace(/[[\]$]/g, "\\$&")}$`) }) });
  return item.locator(":scope > label > input");
}

async function certify(page) {
  await page.getByRole("button", { name: "Certify", exact: true }).click();
  return answerOf(page);
}

async function saved(page, name) {
  const [download] = await Promise.all([page.waitForEvent("download"), page.getByRole("button", { name: `Download the ${name}` }).click()]);
  assert.equal(download.suggestedFilename(), `${name}.json`);
  return JSON.parse(await readFile(await download.path(), "utf8"));
}

test("what is ticked is disclosed, the rest is not, and the page that verifies agrees", options, () =>
  host.visit("/certify/", async (page) => {
    await read(page);
    await box(page, "name").check();
    await box(page, "holder", "name").check();
    await box(page, "marks").check();
    const { text } = await certify(page);
    assert.match(text, /^Done\./);
    const [metadata, evidence, made] = [await saved(page, "metadata"), await saved(page, "evidence"), await page.locator("#imprint").innerText()];
    assert.deepEqual(metadata, { name: data.name, holder: { name: data.holder.name }, marks: data.marks });
    assert.doesNotMatch(JSON.stringify(evidence), /ada@example/);
    assert.deepEqual(Object.keys(evidence), Object.keys(assetEvidence.schema.properties));

    // The secret reproduces the imprint, and without it there is another one.
    const noncer = { secret: await page.inputValue("#secret") };
    assert.equal(made, await new Cert({ schema, noncer }).imprint(data));
    assert.notEqual(made, imprint);

    const secret = await page.inputValue("#secret");
    const asked = [];
    page.on("request", (request) => asked.push([request.method(), request.postData(), new URL(request.url()).search]));
    await page.getByRole("link", { name: "Verify what you made" }).click();
    await page.waitForURL("**/verify/");
    const handed = await answerOf(page);
    assert.match(handed.text, /^Valid\. 4 values of this document are proven under the imprint that you have just made\./);
    assert.match(await page.locator("#imprint-source").innerText(), /just made/);
    assert.doesNotMatch(await page.locator("#machine").textContent(), new RegExp(secret));
    // Nothing went anywhere, and it is handed over once.
    assert.ok(asked.length > 3 && asked.every(([method, body, query]) => method === "GET" && body === null && query === ""), JSON.stringify(asked));
    await page.reload();
    assert.equal(await page.inputValue("#metadata"), "");

    await drop(page, "body", [file("metadata.json", metadata), file("evidence.json", evidence), file("schema.json", schema)]);
    await page.waitForFunction(() => ["metadata", "evidence", "schema"].every((id) => document.getElementById(id).value !== ""));
    await page.fill("#imprint", made);
    await page.getByRole("button", { name: "Verify", exact: true }).click();
    const verdict = await answerOf(page);
    assert.match(verdict.text, /^Valid\. 4 values of this document are proven under the imprint that you gave\./);
    const [hidden, lists] = [await page.locator("#hidden").innerText(), await page.locator("#lists").innerText()];
    assert.match(hidden, /holder\.email is hidden/);
    assert.match(lists, /marks shows 2 places; its end is not proven/);
  }));

test("what is handed over and then changed is judged as it is", options, () =>
  host.visit("/certify/", async (page) => {
    await read(page);
    await box(page, "name").check();
    await certify(page);
    await page.getByRole("link", { name: "Verify what you made" }).click();
    await page.waitForURL("**/verify/");
    await answerOf(page);
    await page.fill("#metadata", JSON.stringify({ name: "Forged" }));
    await page.getByRole("button", { name: "Verify", exact: true }).click();
    await page.locator("#answer[data-kind=invalid]").waitFor();
    await page.fill("#imprint", imprint);
    assert.equal(await page.locator("#imprint-source").innerText(), "");
  }));

test("more than the browser keeps is not handed over, and the page says what to do", options, () =>
  host.visit("/certify/", async (page) => {
    await read(page);
    await box(page, "name").check();
    await certify(page);
    await page.evaluate(() => (Storage.prototype.setItem = () => { throw new DOMException("full", "QuotaExceededError"); }));
    await page.getByRole("link", { name: "Verify what you made" }).click();
    await page.getByText("Download the files, and drop them").waitFor();
    assert.match(page.url(), /certify/);
  }));

test("a long list is ticked as a whole", options, () =>
  host.visit("/certify/", async (page) => {
    const grades = Array.from({ length: 6000 }, (_, index) => `grade ${index}`);
    await read(page, { data: { name: "x", grades } });
    await page.getByText("6000 items, as a whole").waitFor();
    await box(page, "grades").check();
    await certify(page);
    assert.deepEqual(await saved(page, "metadata"), { grades });
  }));

test("without a secret the imprint is the one that anybody computes", options, () =>
  host.visit("/certify/", async (page) => {
    await read(page);
    await box(page, "name").check();
    await page.getByLabel("Protect what stays hidden").uncheck();
    await certify(page);
    assert.equal(await page.locator("#imprint").innerText(), imprint);
  }));

test("a tick holds for all below, and shows above; the keyboard does it too", options, () =>
  host.visit("/certify/", async (page) => {
    await read(page);
    const [holder, name, email] = [box(page, "holder"), box(page, "holder", "name"), box(page, "holder", "email")];
    const state = () => Promise.all([holder, name, email].map((one) => one.evaluate(({ checked, indeterminate }) => (indeterminate ? "some" : checked))));
    await name.focus();
    await page.keyboard.press("Space");
    assert.deepEqual(await state(), ["some", true, false]);
    await page.keyboard.press("Tab");
    await page.keyboard.press("Space");
    assert.deepEqual(await state(), [true, true, true]);
    await holder.uncheck();
    assert.deepEqual(await state(), [false, false, false]);
  }));

test("a change after the fact takes the result back", options, () =>
  host.visit("/certify/", async (page) => {
    await read(page);
    await box(page, "name").check();
    await certify(page);
    await box(page, "hours").check();
    assert.equal(await page.locator("#result").isVisible(), false);
    await certify(page);
    await page.getByLabel("Data from a file").setInputFiles(file("other.json", { name: "Other" }));
    await page.getByText("Read other.json.").waitFor();
    assert.deepEqual([await page.locator("#result").isVisible(), await page.locator("#choice").isVisible()], [false, false]);
  }));

test("what the schema does not describe is named, and cannot be ticked", options, () =>
  host.visit("/certify/", async (page) => {
    await read(page, { data: asText(data).replace(/}$/, ',"__proto__":{"name":"x"},"<b>note</b>":1}') });
    await page.getByText("Not certified, because the schema does not describe it: __proto__, <b>note</b>.").waitFor();
    assert.equal(await page.locator("#tree > li").count(), Object.keys(data).length);
  }));

const wide = (fields) => ({ type: "object", properties: Object.fromEntries(Array.from({ length: fields }, (_, index) => [`field ${index}`, { type: "string" }])) });
const nest = (open, inner, close) => open.repeat(3000) + inner + close.repeat(3000);
const REFUSED = [
  ["no data", { data: " " }, /The data is missing\./],
  ["data that is no JSON", { data: "{name:1}" }, /The data is not JSON/],
  ["data of another type", { data: [1] }, /object/],
  ["a field of another type", { data: { ...data, holder: "Ada" } }, /holder/],
  ["data that the schema does not know", { data: { other: 1 } }, /The schema describes nothing of this data/],
  ["a schema that is none", { schema: { type: "string" } }, /object/],
  ["a schema without end", { schema: nest('{"type":"object","properties":{"a":', '{"type":"string"}', "}}"), data: nest('{"a":', "1", "}") }, /nested|deep/],
  ["more values than anybody ticks", { schema: wide(6000), data: Object.fromEntries(Object.keys(wide(6000).properties).map((key) => [key, "x"])) }, /more than 5000 values/],
];
for (const [what, documents, sentence] of REFUSED) {
  test(`${what} is refused in a sentence`, options, () =>
    host.visit("/certify/", async (page) => {
      await read(page, documents);
      const { kind, text } = await answerOf(page);
      assert.deepEqual([kind, sentence.test(text)], ["unchecked", true], text);
      assert.equal(await page.locator("#choice").isVisible(), false);
    }));
}

for (const [what, act, sentence] of [
  ["nothing ticked", async () => {}, /Tick at least one value/],
  ["a short secret", async (page) => {
    await box(page, "name").check();
    await page.fill("#secret", "short");
  }, /at least 16 random bytes/],
]) {
  test(`${what} is refused in a sentence`, options, () =>
    host.visit("/certify/", async (page) => {
      await read(page);
      await act(page);
      assert.match((await certify(page)).text, sentence);
      assert.equal(await page.locator("#result").isVisible(), false);
    }));
}

test("a certificate fits a telephone, and every field has a label", options, () =>
  host.visit(
    "/certify/",
    async (page) => {
      await read(page);
      await box(page, "name").check();
      await certify(page);
      assert.equal(await page.evaluate(() => document.documentElement.scrollWidth), 320);
      assert.equal(await page.evaluate(() => [...document.querySelectorAll("input, textarea")].filter((field) => field.labels.length === 0).length), 0);
      assert.equal(await page.evaluate(() => document.activeElement.id), "answer");
    },
    { viewport: { width: 320, height: 640 } },
  ));
