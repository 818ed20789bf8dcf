// The certify page, as a visitor uses it, and its results on the verify page.
import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { after, before, test } from "node:test";
import { Cert } from "@assay/cert";
import { Cert as Second } from "@assay/cert/aih2";
import { assetEvidence } from "@assay/cert/conventions";
import { answerOf, drop, file, listening, reload, skip, start } from "./browser.mjs";
import { data, imprint, schema } from "./certificate.mjs";

const options = { skip };
let host;
before(async () => {
  if (!skip) host = await start();
});
after(() => host?.stop());

const asText = (value) => (typeof value === "string" ? value : JSON.stringify(value));

/** Enters data and schema, and presses “Choose fields”. */
async function read(page, documents = {}, profile = "AIH-1") {
  await page.selectOption("#profile", profile);
  for (const [id, value] of Object.entries({ data, schema, ...documents })) await page.fill(`#${id}`, asText(value));
  await page.getByRole("button", { name: "Choose fields" }).click();
}

/** Like `read`, and waits until the fields can be chosen. */
async function choose(page, documents) {
  await read(page, documents);
  await page.locator("#choice").waitFor();
}

/** Returns the check box of a field, by the field's name and the names above it. */
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

/** Downloads a file and returns its content. By default, its name has the certificate's public name, if any, and the start of its imprint. */
async function saved(page, name, filename = new RegExp(`^(applied-cryptography-)?[0-9a-f]{8}\\.${name}\\.json$`)) {
  const [download] = await Promise.all([page.waitForEvent("download"), page.getByRole("button", { name: `Download the ${name}`, exact: true }).click()]);
  assert.match(download.suggestedFilename(), filename);
  return JSON.parse(await readFile(await download.path(), "utf8"));
}

const savedPrivateFile = (page) => saved(page, "private file", /^(applied-cryptography-)?[0-9a-f]{8}\.private\.json$/);

/** Follows the link to the verify page, which opens in another tab. Runs `look` on this tab, and returns the answer that it showed before. */
async function verifyBeside(page, look = async () => {}) {
  const [beside] = await Promise.all([page.context().waitForEvent("page"), page.getByRole("link", { name: "Verify what you made" }).click()]);
  await beside.waitForURL("**/verify/");
  const handed = await answerOf(beside);
  await look(beside);
  return handed;
}

/** Tries to leave the page. Returns true if the browser asked whether to leave. The page then stays open. */
async function asksBeforeLeaving(page) {
  let asked = false;
  const stay = (dialog) => {
    asked = dialog.type() === "beforeunload";
    return dialog.dismiss();
  };
  page.on("dialog", stay);
  await page.goto(new URL("/", page.url()).href).catch(() => {});
  page.off("dialog", stay);
  return asked;
}

test("exactly the ticked values are disclosed, and the verify page agrees", options, () =>
  host.visit("/certify/", async (page) => {
    await read(page);
    await box(page, "name").check();
    await box(page, "holder", "name").check();
    await box(page, "marks").check();
    const { text } = await certify(page);
    assert.match(text, /^Done\./);
    await savedPrivateFile(page);
    const [metadata, evidence, made] = [await saved(page, "metadata"), await saved(page, "evidence"), await page.locator("#imprint").innerText()];
    assert.deepEqual(metadata, { $schema: data.$schema, name: data.name, holder: { name: data.holder.name }, marks: data.marks });
    assert.doesNotMatch(JSON.stringify(evidence), /ada@example/);
    assert.deepEqual(Object.keys(evidence), Object.keys(assetEvidence.schema.properties));
    assert.deepEqual(await saved(page, "schema"), schema);

    // The secret reproduces the imprint. Without the secret, the imprint differs.
    const secret = await page.inputValue("#secret");
    assert.equal(made, await new Cert({ schema, noncer: { secret } }).imprint(data));
    assert.notEqual(made, imprint);

    const asked = [];
    page.context().on("request", (request) => asked.push([request.method(), request.postData(), new URL(request.url()).search]));
    const handed = await verifyBeside(page, async (beside) => {
      assert.equal(await beside.evaluate(() => window.opener), null);
      assert.match(await beside.locator("#imprint-source").innerText(), /just made/);
      assert.doesNotMatch(await beside.locator("#machine").textContent(), new RegExp(secret));
      // The page has sent no data, and the certificate is handed over only once.
      assert.ok(asked.length > 3 && asked.every(([method, body, query]) => method === "GET" && body === null && query === ""), JSON.stringify(asked));
      assert.deepEqual(await beside.evaluate(() => ({ ...localStorage })), {});
      await reload(beside);
      await beside.locator("#expert > summary").click();
      assert.equal(await beside.inputValue("#metadata"), "");
    });
    assert.equal(handed.kind, "unchanged", handed.text);
    // The certify page still has the certificate.
    assert.equal(await page.locator("#imprint").innerText(), made);

    await page.goto(new URL("/verify/#expert", page.url()).href);
    await listening(page);
    await page.locator("#metadata").waitFor();
    await drop(page, "body", [file("metadata.json", metadata), file("evidence.json", evidence), file("schema.json", schema)]);
    await page.waitForFunction(() => ["metadata", "evidence", "schema"].every((id) => document.getElementById(id).value !== ""));
    await page.fill("#imprint", made);
    await page.getByRole("button", { name: "Verify", exact: true }).click();
    const verdict = await answerOf(page);
    assert.equal(verdict.kind, "unchanged", verdict.text);
    assert.match(await page.locator("#hidden").innerText(), /holder\.email is hidden/);
  }),
);

test("the private file must be saved before publishing or leaving the page", options, () =>
  host.visit("/certify/", async (page) => {
    await read(page);
    await box(page, "name").check();
    assert.equal(await page.locator("#secret-origin").innerText(), "New, for this document only. It is stored in your private file alone, which you save after certifying.");
    await certify(page);
    assert.equal(await page.locator("#public").isVisible(), false);
    assert.equal(await asksBeforeLeaving(page), true);
    const kept = await savedPrivateFile(page);
    assert.equal(await page.locator("#public").isVisible(), true);
    assert.equal((await answerOf(page)).text, "Done. The public files are below.");
    assert.deepEqual([kept.secret, kept.data, kept.schema, kept.shown], [await page.inputValue("#secret"), data, schema, [["name"]]]);
    assert.equal(kept.imprint, await page.locator("#imprint").innerText());
    assert.match(kept.warning, /Keep this file to yourself/);
    assert.equal(await asksBeforeLeaving(page), false);
  }),
);

test("a private file discloses more values under the same imprint", options, () =>
  host.visit("/certify/", async (page) => {
    const addresses = { evidence: "https://school.example/1/evidence.json", schema: "https://school.example/schema.json" };
    await choose(page);
    await box(page, "name").check();
    for (const [name, address] of Object.entries(addresses)) await page.fill(`#${name}-address`, address);
    await certify(page);
    const kept = await savedPrivateFile(page);

    await reload(page);
    await page.getByLabel("Document or private file").setInputFiles(file("kept.json", kept));
    await page.locator("#choice").waitFor();
    assert.equal(await page.locator("#secret-origin").innerText(), "From the private file.");
    assert.deepEqual([await page.inputValue("#evidence-address"), await page.inputValue("#schema-address")], Object.values(addresses));
    assert.deepEqual([await box(page, "name").isChecked(), await box(page, "hours").isChecked()], [true, false]);
    await box(page, "hours").check();
    await certify(page);
    const more = await savedPrivateFile(page);
    assert.deepEqual([more.imprint, more.shown], [kept.imprint, [["name"], ["hours"]]]);
    const metadata = await saved(page, "metadata");
    assert.deepEqual([metadata.name, metadata.hours], [data.name, data.hours]);
    const { valid } = await new Cert({ schema }).verify(metadata, await saved(page, "evidence"), kept.imprint);
    assert.equal(valid, true);
  }),
);

test("a damaged private file is refused with a message", options, () =>
  host.visit("/certify/", async (page) => {
    for (const text of ['{"assay private file":1,', '{"assay private file":1,"secret":"x"}', '{"assay private file":2,"secret":"x","shown":[],"data":{},"schema":{}}']) {
      await page.fill("#data", "");
      await page.fill("#data", text);
      assert.match((await answerOf(page)).text, /The private file is damaged/);
    }
  }),
);

test("another document gets a new secret, but a correction keeps the secret", options, () =>
  host.visit("/certify/", async (page) => {
    const secret = () => page.inputValue("#secret");
    await choose(page);
    const first = await secret();
    await choose(page, { data: { ...data, hours: 97 } });
    assert.equal(await secret(), first);
    await box(page, "name").check();
    await certify(page);
    await savedPrivateFile(page);
    await choose(page, { data: { ...data, hours: 97 } });
    assert.equal(await secret(), first);
    await choose(page, { data: { ...data, name: "Other" } });
    assert.notEqual(await secret(), first);
    assert.match(await page.locator("#secret-origin").innerText(), /^New, for this document only/);
    await page.fill("#secret", "ab".repeat(32));
    assert.equal(await page.locator("#secret-origin").innerText(), "");
  }),
);

const described = { ...schema, properties: { ...schema.properties, $evidence: { type: "string" } } };
for (const [what, chosenSchema] of [
  ["a schema that describes them", described],
  ["a schema that does not describe them", schema],
]) {
  test(`addresses are part of the certificate, with ${what}`, options, () =>
    host.visit("/certify/", async (page) => {
      await choose(page, { schema: chosenSchema });
      // The field contains the address in the document's `$schema`.
      assert.equal(await page.inputValue("#schema-address"), data.$schema);
      await page.fill("#evidence-address", "evidence/1.json");
      await page.fill("#schema-address", "https://school.example/other.json");
      await box(page, "name").check();
      await certify(page);
      const kept = await savedPrivateFile(page);
      const metadata = await saved(page, "metadata");
      assert.deepEqual([metadata.$evidence, metadata.$schema], ["evidence/1.json", "https://school.example/other.json"]);
      const { entries } = await new Cert({ schema: chosenSchema }).verify(metadata, await saved(page, "evidence"), kept.imprint);
      const status = Object.fromEntries(entries.map(({ path, status }) => [path.join("."), status]));
      assert.deepEqual(status, { name: "proven", $schema: "proven", $evidence: chosenSchema === described ? "proven" : "not-covered" });
      assert.match(await page.locator("#schema-place").innerText(), /Upload it to https:\/\/school\.example\/other\.json/);
      assert.deepEqual(await saved(page, "schema"), chosenSchema);
      assert.equal((await verifyBeside(page)).kind, "unchanged");
    }),
  );
}

test("without addresses, the page says that a badge cannot check the certificate", options, () =>
  host.visit("/certify/", async (page) => {
    await choose(page);
    await page.fill("#schema-address", "");
    await box(page, "name").check();
    await certify(page);
    assert.deepEqual((await savedPrivateFile(page)).data, Object.fromEntries(Object.entries(data).filter(([key]) => key !== "$schema")));
    assert.match(await page.locator("#badge-note").innerText(), /^No badge yet/);
  }),
);

test("a certificate too large for the browser's storage is not passed on, and the page gives advice", options, () =>
  host.visit("/certify/", async (page) => {
    await read(page);
    await box(page, "name").check();
    await certify(page);
    await savedPrivateFile(page);
    await page.evaluate(
      () =>
        (Storage.prototype.setItem = () => {
          throw new DOMException("full", "QuotaExceededError");
        }),
    );
    await page.getByRole("link", { name: "Verify what you made" }).click();
    await page.getByText("Download the files, and drop them").waitFor();
    assert.equal(page.context().pages().length, 1);
  }),
);

test("a long list can only be ticked as a whole", options, () =>
  host.visit("/certify/", async (page) => {
    const grades = Array.from({ length: 6000 }, (_, index) => `grade ${index}`);
    await read(page, { data: { name: "x", grades } });
    await page.getByText("6000 items, as a whole").waitFor();
    await box(page, "grades").check();
    await certify(page);
    await savedPrivateFile(page);
    assert.deepEqual(await saved(page, "metadata"), { grades });
  }),
);

test("without protection, the imprint is computed without a secret", options, () =>
  host.visit("/certify/", async (page) => {
    await read(page);
    await box(page, "name").check();
    await page.getByLabel("Protect private values").uncheck();
    await certify(page);
    assert.equal(await page.locator("#imprint").innerText(), imprint);
    // No secret can be lost, so the browser does not ask whether to leave.
    assert.equal(await asksBeforeLeaving(page), false);
  }),
);

test("a tick includes all values below it and is shown above it, also with the keyboard", options, () =>
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
  }),
);

test("a change after certifying removes the result", options, () =>
  host.visit("/certify/", async (page) => {
    await read(page);
    await box(page, "name").check();
    await certify(page);
    await box(page, "hours").check();
    assert.equal(await page.locator("#result").isVisible(), false);
    await certify(page);
    await page.getByLabel("Document or private file").setInputFiles(file("other.json", { name: "Other" }));
    await page.waitForFunction(() => document.getElementById("data").value.includes("Other"));
    assert.deepEqual([await page.locator("#result").isVisible(), await page.locator("#choice").isVisible()], [false, false]);
  }),
);

test("values outside the schema are named and cannot be ticked", options, () =>
  host.visit("/certify/", async (page) => {
    await read(page, { data: asText(data).replace(/}$/, ',"__proto__":{"name":"x"},"<b>note</b>":1}') });
    await page.getByText("Not certified, because the schema does not describe it: __proto__, <b>note</b>.").waitFor();
    assert.equal(await page.locator("#tree > li").count(), Object.keys(data).length - 1);
  }),
);

test("values that can only be shown as a whole are named", options, () =>
  host.visit("/certify/", async (page) => {
    const properties = Object.fromEntries(Array.from({ length: 6 }, (_, index) => [`part${index}`, { $ref: "#/$defs/part" }]));
    const parts = { type: "object", properties, $defs: { part: { type: "object", properties: { a: {} } } } };
    await read(page, { data: { part0: { a: 1 } }, schema: parts }, "AIH-2");
    await page.getByText("Can be made public only as a whole, because the schema describes it by $ref, anyOf or a similar keyword: part0, part1, part2, part3, part4, one more.").waitFor();
    await read(page, {}, "AIH-2");
    await page.locator("#shown-whole:empty").waitFor({ state: "attached" });
  }),
);

const wide = (fields) => ({ type: "object", properties: Object.fromEntries(Array.from({ length: fields }, (_, index) => [`field ${index}`, { type: "string" }])) });
const nest = (open, inner, close) => open.repeat(3000) + inner + close.repeat(3000);
const REFUSED = [
  ["no data", { data: " " }, /The document is missing\./],
  ["data that is not JSON", { data: "{name:1}" }, /The document is not JSON/],
  ["data of another type", { data: "1" }, /object/],
  ["a field of another type", { data: { ...data, holder: "Ada" } }, /holder/],
  ["data without any field of the schema", { data: { other: 1 } }, /The schema describes no field of this document/],
  ["an address in the data that is not text", { data: { ...data, $evidence: 1 } }, /\$evidence has to be text/],
  ["a schema that is not an object schema", { schema: { type: "string" } }, /object/],
  ["a schema nested too deeply", { schema: nest('{"type":"object","properties":{"a":', '{"type":"string"}', "}}"), data: nest('{"a":', "1", "}") }, /nested|deep/],
  ["too many values to tick", { schema: wide(6000), data: Object.fromEntries(Object.keys(wide(6000).properties).map((key) => [key, "x"])) }, /more than 5000 values/],
];
for (const [what, documents, sentence] of REFUSED) {
  test(`${what} is refused with a message`, options, () =>
    host.visit("/certify/", async (page) => {
      await read(page, documents);
      const { kind, text } = await answerOf(page);
      assert.deepEqual([kind, sentence.test(text)], ["unchecked", true], text);
      assert.equal(await page.locator("#choice").isVisible(), false);
    }),
  );
}

for (const [what, act, sentence] of [
  ["nothing ticked", async () => {}, /Tick at least one value/],
  [
    "a short secret",
    async (page) => {
      await box(page, "name").check();
      await page.fill("#secret", "short");
    },
    /at least 16 random bytes/,
  ],
  [
    "an address that no badge would follow",
    async (page) => {
      await box(page, "name").check();
      await page.fill("#evidence-address", "http://school.example/evidence.json");
    },
    /The address of the evidence has to start with https:/,
  ],
  [
    "an invalid address",
    async (page) => {
      await box(page, "name").check();
      await page.fill("#schema-address", "javascript:alert(1)");
    },
    /The address of the schema has to start with https:/,
  ],
]) {
  test(`${what} is refused with a message`, options, () =>
    host.visit("/certify/", async (page) => {
      await read(page);
      await act(page);
      assert.match((await certify(page)).text, sentence);
      assert.equal(await page.locator("#result").isVisible(), false);
    }),
  );
}

test("a certificate fits a phone, and every field has a label", options, () =>
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
  ),
);

const LEDGER = "0xF9196F9f176fd2eF9243E8960817d5FbE63D79aa";
const titled = { title: "Course certificate", ...schema };

/** Shows the fields of an AIH-2 certificate and makes its name public. */
async function chooseAih2(page, documents = { schema: titled }) {
  await read(page, documents, "AIH-2");
  await page.locator("#choice").waitFor();
  await box(page, "name").check();
}

async function fillAsset(page, ledgerId = LEDGER, assetId = "42") {
  await page.fill("#ledger-id", ledgerId);
  await page.fill("#asset-id", assetId);
}

test("an AIH-2 certificate shows its ledger and asset", options, () =>
  host.visit("/certify/", async (page) => {
    await chooseAih2(page);
    await fillAsset(page);
    const announced = await page.locator("#bound-schema").innerText();
    assert.ok(await page.locator("#bound-added").isVisible());
    assert.equal((await certify(page)).kind, "valid");
    await saved(page, "private file", /^applied-cryptography-42\.private\.json$/);
    const holders = await saved(page, "holder’s file", /^applied-cryptography-42\.private\.assay\.json$/);
    assert.deepEqual([holders.ledger, holders.asset, holders.document.holder], [LEDGER, "42", data.holder]);
    const [metadata, evidence, bound] = [
      await saved(page, "metadata", /^applied-cryptography-42\.metadata\.json$/),
      await saved(page, "evidence", /^applied-cryptography-42\.evidence\.json$/),
      await saved(page, "schema", /^course-certificate-[0-9a-f]{8}\.schema\.json$/),
    ];
    assert.deepEqual(metadata, { $schema: data.$schema, name: data.name, ledgerId: LEDGER, assetId: "42" });
    assert.deepEqual(Object.keys(bound.properties), [...Object.keys(schema.properties), "ledgerId", "assetId"]);
    const cert = new Second({ schema: bound });
    assert.deepEqual([cert.identify(), await page.locator("#schema-id").innerText()], [announced, announced]);
    const shown = Object.fromEntries(evidence.values.map(([path, value]) => [path.join("."), value]));
    assert.deepEqual([shown.ledgerId, shown.assetId], [LEDGER, "42"]);
    const imprint = `aih2:${await page.locator("#imprint").innerText()}`;
    assert.ok((await cert.verify(metadata, evidence, imprint)).valid);
    const handed = await verifyBeside(page);
    assert.equal(handed.kind, "unchanged", handed.text);
  }),
);

test("a schema that has ledger and asset stays unchanged, and the fields show the document's ids", options, () =>
  host.visit("/certify/", async (page) => {
    const own = { ...titled, properties: { ...titled.properties, ledgerId: { type: "string" }, assetId: { type: "integer" } } };
    await chooseAih2(page, { schema: own, data: { ...data, ledgerId: LEDGER, assetId: 7 } });
    assert.deepEqual([await page.inputValue("#ledger-id"), await page.inputValue("#asset-id")], [LEDGER, "7"]);
    assert.equal(await page.locator("#bound-added").isVisible(), false);
    await certify(page);
    const kept = await saved(page, "private file", /^applied-cryptography-7\.private\.json$/);
    assert.deepEqual([kept.schema, kept.data.assetId], [own, 7]);
  }),
);

test("a certificate without a ledger needs an explicit choice, which the private file restores", options, () =>
  host.visit("/certify/", async (page) => {
    await chooseAih2(page);
    for (const [ledgerId, assetId, sentence] of [
      ["", "", /The ledger is missing or wrong/],
      ["0x12", "1", /The ledger is missing or wrong/],
      [LEDGER, "", /asset’s ID is missing or wrong/],
      [LEDGER, "no. 7", /asset’s ID is missing or wrong/],
    ]) {
      await fillAsset(page, ledgerId, assetId);
      const { kind, text } = await certify(page);
      assert.deepEqual([kind, sentence.test(text)], ["unchecked", true], text);
    }
    await page.getByLabel("Certify without a ledger").check();
    await certify(page);
    const kept = await savedPrivateFile(page);
    assert.deepEqual([kept.schema, kept.data], [titled, data]);
    await reload(page);
    await page.getByLabel("Document or private file").setInputFiles(file("kept.json", kept));
    await page.locator("#choice").waitFor();
    assert.ok(await page.getByLabel("Certify without a ledger").isChecked());
    await certify(page);
    assert.equal((await savedPrivateFile(page)).imprint, kept.imprint);
  }),
);

for (const [width, height] of [
  [1280, 720],
  [390, 640],
]) {
  test(`the next step is visible, ${width} pixels wide`, options, () =>
    host.visit(
      "/certify/",
      async (page) => {
        const isInWindow = (selector) =>
          page.locator(selector).evaluate((element) => {
            const { top, bottom } = element.getBoundingClientRect();
            return top >= 0 && bottom <= window.innerHeight;
          });
        await chooseAih2(page);
        await fillAsset(page);
        await certify(page);
        assert.ok(await isInWindow("#save-private"));
        await saved(page, "private file", /private/);
        assert.ok(await isInWindow("#save-metadata"));
        assert.equal(await page.evaluate(() => document.activeElement.id), "publish-title");
      },
      { viewport: { width, height } },
    ),
  );
}

test("the page sends nothing that the visitor enters, and says so", options, () =>
  host.visit("/certify/", async (page) => {
    const asked = [];
    page.on("request", (request) => asked.push(`${request.method()} ${new URL(request.url()).pathname}`));
    await chooseAih2(page);
    await fillAsset(page);
    await certify(page);
    assert.deepEqual(
      asked.filter((one) => !/^GET \/(workers\/|chunks\/|logo\.svg$)/.test(one)),
      [],
    );
    assert.match(await page.locator("main > p").first().innerText(), /this page sends nothing that you enter/);
  }),
);
