// The expert part of the verify page, as a visitor uses it.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { Cert } from "@assay/cert";
import { answerOf, drop, file, skip, start } from "./browser.mjs";
import { asset, badge, evidence, imprint, ledger, metadata, neverIssued, schema, unknownLedger, withdrawn } from "./certificate.mjs";

const options = { skip };
let host;
before(async () => {
  if (!skip) host = await start();
});
after(() => host?.stop());

/** Fills the form. Strings are entered unchanged, and other values as JSON. */
async function fill(page, documents) {
  for (const [id, value] of Object.entries({ metadata, evidence, schema, imprint, ...documents })) {
    await page.fill(`#${id}`, typeof value === "string" ? value : JSON.stringify(value));
  }
}

async function verify(page, documents) {
  await fill(page, documents);
  await page.getByRole("button", { name: "Verify", exact: true }).click();
  return answerOf(page);
}

const statusOf = (page, field) =>
  page
    .locator("#fields tr", { has: page.getByRole("rowheader", { name: field, exact: true }) })
    .locator(".status")
    .innerText();

test("a genuine document is unchanged, and the page lists its fields and hidden fields", options, () =>
  host.visit("/verify/#expert", async (page) => {
    const { kind, text } = await verify(page, {});
    assert.deepEqual([kind, /^Unchanged\. 5 values of this document match the imprint that you gave\. Files alone do not show who issued it/.test(text)], ["unchanged", true], text);
    assert.equal(await statusOf(page, "holder.name"), "proven");
    // The number of proven fields matches the answer, and the schema's address is listed separately.
    assert.deepEqual([await page.locator("#fields tr").count(), await page.locator("#fields tr:not([data-status=proven])").count()], [5, 0]);
    assert.equal(await page.locator("#pointer-fields tr").count(), 1);
    assert.ok(!(await page.locator("#pointer-fields").isVisible()));
    assert.ok(!(await page.locator("#record").isVisible()));
    const hidden = await page.locator("#hidden").innerText();
    assert.match(hidden, /holder\.email is hidden/);
    assert.match(hidden, /hours is hidden/);
    assert.match(hidden, /nickname is provably absent/);
    assert.doesNotMatch(hidden, /name is hidden/);
    const lists = await page.locator("#lists").innerText();
    assert.match(lists, /grades shows 1 item\. The list may be longer: the evidence does not show where it ends\.$/m);
  }),
);

test("in a shortened list, neither the end nor the positions are shown as proven", options, () =>
  host.visit("/verify/#expert", async (page) => {
    const long = { grades: Array.from({ length: 14 }, (_, index) => `grade ${index}`) };
    const cert = new Cert({ schema });
    const [root, list] = (await cert.notarize(long)).filter(({ path }) => path.length === 0 || path[0] === "grades");
    const cut = { ...list, values: list.values.slice(0, 3), nodes: list.nodes.filter(({ index }) => index === 6) };
    const documents = { metadata: { grades: ["grade 0", "grade 1", "grade 10"] }, evidence: [root, cut], imprint: await cert.imprint(long) };
    assert.equal((await verify(page, documents)).kind, "unchanged");
    const lists = await page.locator("#lists").innerText();
    assert.match(lists, /grades shows 3 items\. The list may be longer: .* After the second shown item, items in between may be missing, too\./);
  }),
);

test("without an imprint, no value is shown as proven", options, () =>
  host.visit("/verify/#expert", async (page) => {
    assert.equal((await verify(page, { imprint: "" })).kind, "untrusted");
    assert.equal(await statusOf(page, "holder.name"), "fits");
    assert.doesNotMatch(await page.locator("#fields").innerText(), /proven/);
    assert.doesNotMatch(await page.locator("#result").innerText(), /provably/);
    assert.match(await page.locator("#hidden").innerText(), /nickname is by this evidence absent or empty/);
    const machine = JSON.parse(await page.locator("#machine").textContent());
    assert.deepEqual([machine.imprint.source, machine.fields.some(({ status }) => status === "proven")], [null, false]);
  }),
);

const deep = `{"name":${"[".repeat(100_000)}${"]".repeat(100_000)}}`;
const REFUSED = [
  ["a forged value", { metadata: { ...metadata, name: "Forged" } }, "changed", /1 value of this document is not what was certified: name\./],
  [
    "a value that no proof covers",
    { metadata: { ...metadata, hours: 97 } },
    "uncovered",
    /^Not certified in full\. The evidence says nothing about 1 value that this document states, so anyone may have added it: hours\.$/,
  ],
  ["another imprint", { imprint: "0".repeat(64) }, "changed", /belongs to another imprint than the one that you gave/],
  ["no evidence in the evidence", { evidence: { data: [] } }, "uncovered", /The evidence proves nothing/],
  ["a document that states nothing", { metadata: {} }, "uncovered", /states nothing that the evidence proves/],
  ["only the address of a schema", { metadata: { $schema: metadata.$schema } }, "uncovered", /states nothing that the evidence proves/],
  ["a forgery without an imprint", { metadata: { ...metadata, name: "Forged" }, imprint: "" }, "changed", /not what was certified: name/],
  ["no imprint", { imprint: "" }, "untrusted", /there is no imprint to compare them with/],
  ["half an imprint", { imprint: imprint.slice(1) }, "unchecked", /That is not an imprint: an imprint has 64 characters/],
  ["no schema", { schema: "" }, "unchecked", /The schema is missing\./],
  ["a schema that certifies nothing", { schema: { type: "string" } }, "unchecked", /object/],
  ["evidence that is not JSON", { evidence: "{" }, "unchecked", /The evidence is not JSON/],
  ["endless nesting", { metadata: deep }, "unchecked", /nested at most/],
];
for (const [what, documents, kind, sentence] of REFUSED) {
  test(`${what} is ${kind}, with a message`, options, () =>
    host.visit("/verify/#expert", async (page) => {
      const answer = await verify(page, documents);
      assert.equal(answer.kind, kind, answer.text);
      assert.match(answer.text, sentence);
    }),
  );
}

test("forged and uncovered values are marked and come before proven values", options, () =>
  host.visit("/verify/#expert", async (page) => {
    const { text } = await verify(page, { metadata: { ...metadata, name: "Forged", hours: 1 } });
    assert.match(text, /not what was certified: name\. The evidence says nothing about 1 value .*: hours\./);
    assert.equal(await statusOf(page, "Course name"), "changed");
    // The row has the certified value beside the document's value.
    const row = page.locator("#fields tr").first();
    assert.match(await row.innerText(), /Certified: Applied Cryptography\s+This document says: Forged/);
    assert.equal(await statusOf(page, "hours"), "not covered");
    assert.equal(await statusOf(page, "holder.name"), "proven");
  }),
);

test("deceptive keys and markup are shown as text", options, () =>
  host.visit("/verify/#expert", async (page) => {
    const text = JSON.stringify(metadata).replace(/}$/, ',"__proto__":{"name":"x"},"constructor":1,"<img src=x onerror=alert(1)>":2,"a\u202eb":3}');
    const { kind, text: sentence } = await verify(page, { metadata: text });
    assert.equal(kind, "unchanged", sentence);
    assert.match(sentence, /Never certified, because the schema does not describe it/);
    assert.equal(await statusOf(page, "__proto__"), "not covered");
    assert.equal(await page.locator("main img").count(), 0);
    assert.match(await page.locator("#fields").innerText(), /u\{202e\}/);
  }),
);

test("dropped files are recognized, and chosen files stay in their fields", options, () =>
  host.visit("/verify/#expert", async (page) => {
    await page.locator("#metadata").waitFor();
    await drop(page, "body", [file("a.json", evidence), file("b.json", schema), file("c.json", metadata)]);
    await page.waitForFunction(() => ["metadata", "evidence", "schema"].every((id) => document.getElementById(id).value !== ""));
    await page.getByText("Read a.json, b.json, c.json.", { exact: true }).waitFor();
    const chosen = () => page.evaluate(() => ["metadata", "evidence", "schema"].map((id) => document.getElementById(`${id}-file`).files[0]?.name));
    assert.deepEqual(await chosen(), ["c.json", "a.json", "b.json"]);
    await page.fill("#imprint", `0x${imprint.toUpperCase()}`);
    await page.getByRole("button", { name: "Verify", exact: true }).click();
    assert.equal((await answerOf(page)).kind, "unchanged");
    await page.getByLabel("Metadata from a file").setInputFiles(file("forged.json", { ...metadata, name: "Forged" }));
    await page.waitForFunction(() => document.getElementById("metadata").value.includes("Forged"));
    assert.deepEqual(await chosen(), ["forged.json", "a.json", "b.json"]);
    await page.getByRole("button", { name: "Verify", exact: true }).click();
    await page.locator("#answer[data-kind=changed]").waitFor();
    // Typed text no longer belongs to the chosen file.
    await page.fill("#metadata", "{}");
    assert.deepEqual(await chosen(), [undefined, "a.json", "b.json"]);
  }),
);

test("a document of a megabyte is checked in a worker and shown in part", options, async () => {
  const items = Array.from({ length: 1000 }, (_, index) => `${index} ${"x".repeat(1000)}`);
  const long = { type: "object", properties: { items: { type: "array", items: { type: "string" } } } };
  const cert = new Cert({ schema: long });
  const certified = { metadata: { items }, evidence: { data: await cert.notarize({ items }) }, schema: long, imprint: await cert.imprint({ items }) };
  await host.visit("/verify/#expert", async (page) => {
    for (const [id, label] of [
      ["metadata", "Metadata"],
      ["evidence", "Evidence"],
      ["schema", "Schema"],
    ]) {
      await page.getByLabel(`${label} from a file`).setInputFiles(file(`${id}.json`, certified[id]));
      await page.getByText(`Read ${id}.json.`).waitFor();
    }
    // The page keeps long texts outside the fields, and pasted text replaces them.
    assert.equal(await page.inputValue("#metadata"), "");
    assert.match(await page.getAttribute("#metadata", "placeholder"), /^metadata\.json: \d{7} characters\. Paste JSON/);
    await page.fill("#imprint", certified.imprint);
    await page.getByRole("button", { name: "Verify", exact: true }).click();
    const { kind, text } = await answerOf(page);
    assert.deepEqual([kind, /^Unchanged\. 1000 values/.test(text)], ["unchanged", true], text);
    assert.equal(await page.locator("#fields tr").count(), 500);
    assert.match(await page.locator("#fields-more").innerText(), /500 more values/);
    await page.getByText("Machine-readable result", { exact: true }).click();
    assert.match(await page.locator("#machine").innerText(), /\d{7} characters in all$/);
    // The page itself neither loads the library nor computes with it.
    assert.deepEqual(
      page.workers().map((worker) => /^\/workers\/(\w+)\/one-\w+\.js$/.exec(new URL(worker.url()).pathname)?.[1]),
      ["documents"],
    );
    const asked = await page.evaluate(() => performance.getEntriesByType("resource").map(({ name }) => new URL(name).pathname));
    assert.deepEqual(
      asked.filter((name) => name.endsWith(".wasm")),
      [],
    );
    await page.fill("#metadata", JSON.stringify({ items: ["forged"] }));
    await page.getByRole("button", { name: "Verify", exact: true }).click();
    await page.locator("#answer[data-kind=changed]").waitFor();
  });
});

test("a huge file is refused with a message before it is read", options, () =>
  host.visit("/verify/#expert", async (page) => {
    await page.getByLabel("Metadata from a file").setInputFiles(file("huge.json", `"${"x".repeat(6 * 1024 * 1024)}"`));
    await page.getByText("The file huge.json is too long: 6.0 MB. At most 5.0 MB are possible.").waitFor();
    assert.equal(await page.inputValue("#metadata"), "");
  }),
);

test("the page works with the keyboard, and the answer is a live region that gets the focus", options, () =>
  host.visit("/verify/#expert", async (page) => {
    await fill(page, {});
    await page.focus("#imprint");
    await page.keyboard.press("Enter");
    assert.equal((await answerOf(page)).kind, "unchanged");
    assert.equal(await page.evaluate(() => document.activeElement.id), "answer");
    assert.equal(await page.getAttribute("#answer", "role"), "status");
    const unlabelled = await page.evaluate(() => [...document.querySelectorAll("input, textarea")].filter((field) => field.labels.length === 0).length);
    assert.equal(unlabelled, 0);
  }),
);

test("the result can be copied as JSON", options, () =>
  host.visit(
    "/verify/#expert",
    async (page) => {
      await verify(page, {});
      await page.getByText("Machine-readable result", { exact: true }).click();
      await page.getByRole("button", { name: "Copy the result" }).click();
      await page.getByText("Copied.").waitFor();
      const copied = JSON.parse(await page.evaluate(() => navigator.clipboard.readText()));
      assert.deepEqual([copied.answer, copied.imprint], ["unchanged", { compared: imprint, source: "typed", evidence: imprint }]);
    },
    { permissions: ["clipboard-read", "clipboard-write"] },
  ),
);

const LINK = "/verify/?ledgerId=0xF9196F9f176fd2eF9243E8960817d5FbE63D79aa&assetId=1";
const LINKED = [
  [
    "a genuine asset",
    badge(),
    "unchanged",
    /^Unchanged since it was issued by 0x70997970C51812dc3A010C7d01b50e0d17dc79C8\. This check does not show whose account that is\. 5 values .* match what was recorded on the ledger/,
  ],
  ["an asset that was transferred", badge({ ledger: { ...ledger, capabilities: [] }, asset: { ...asset, updatedAt: "2026-06-01T00:00:00.000Z" } }), "unchanged", /^Unchanged since it was issued by/],
  [
    "an asset whose imprint may have changed",
    badge({ asset: { ...asset, updatedAt: "2026-06-01T00:00:00.000Z" } }),
    "unchanged",
    /^Unchanged since 1 June 2026, when its record was last changed\. Issued by 0x7099.*\. This check does not show whose account that is\./,
  ],
  [
    "an asset of a confirmed issuer",
    badge({ issuer: { account: ledger.ownerId, kind: "confirmed", confirmed: true, domain: "uni.example" } }),
    "unchanged",
    /issued by 0x7099.*\. uni\.example confirms that the account is its own\. 5 values/,
  ],
  [
    "an asset of a disowned account",
    badge({ issuer: { account: ledger.ownerId, kind: "disowned", domain: "uni.example" } }),
    "unchanged",
    /But uni\.example says that the account is not its own\. Do not rely/,
  ],
  ["a forged document from the service", badge({ metadata: { ...metadata, name: "Forged" } }), "changed", /^Not what was certified\. .*not what was certified: name/],
  ["another imprint on the ledger", badge({ asset: { ...asset, imprint: "0".repeat(64) } }), "changed", /than the one on the ledger/],
  ["a schema of the forger's", badge({ schema: { ...schema, title: "mine" } }), "unchecked", /not the one that the ledger names/],
  ["a withdrawn asset", badge(withdrawn), "withdrawn", /^Withdrawn on 21 September 2026\. This certificate is no longer in force/],
  ["an asset that was never issued", badge(neverIssued), "never-issued", /^No such certificate was ever issued on this ledger\./],
  ["an unknown ledger", badge(unknownLedger), "never-issued", /^No such ledger\./],
  [
    "evidence out of reach",
    badge({ valid: null, evidence: null, errors: [{ code: 400017, message: "the server of the evidence does not answer" }] }),
    "unchecked",
    /^Could not be checked\. The server of the evidence does not answer\.$/,
  ],
  ["a service with an invalid answer", { body: "<html>" }, "unchecked", /did not answer/],
];
for (const [what, answer, kind, sentence] of LINKED) {
  test(`by a link: ${what} is ${kind}`, options, () =>
    host.visit(
      LINK,
      async (page) => {
        const found = await answerOf(page);
        assert.equal(found.kind, kind, found.text);
        assert.match(found.text, sentence);
      },
      { routes: { "**/badge.json?*": answer } },
    ),
  );
}

test("the issuer is shown above the values, and the ledger's name as a claim", options, () =>
  host.visit(
    LINK,
    async (page) => {
      await answerOf(page);
      const facts = await page.locator("#facts").innerText();
      for (const fact of [
        /Issuer\s+0x70997970C51812dc3A010C7d01b50e0d17dc79C8\s+This check does not show whose account this is/,
        /Ledger\s+calls itself “University of Oxenford” \(UOX\)\s+The issuer chose this name\. It proves nothing/,
        /Recorded on\s+7 May 2026/,
        /Held by\s+0x3C44CdDdB6a900fa2b585dd299e03d12FA4293BC/,
        /Status\s+in force/,
      ])
        assert.match(facts, fact);
      const [above, below] = await Promise.all(["#record", "#result"].map((part) => page.locator(part).boundingBox()));
      assert.ok(above.y + above.height <= below.y);
      assert.doesNotMatch(await page.locator("main").innerText(), /\bvalid\b/i);
      const machine = JSON.parse(await page.locator("#machine").textContent());
      assert.deepEqual([machine.answer, machine.record.status.kind, machine.record.issuer.confirmed], ["unchanged", "inForce", false]);
    },
    { routes: { "**/badge.json?*": badge({ ledger: { ...ledger, name: "University of Oxenford" } }) } },
  ),
);

test("a ledger's name cannot imitate other parts of the page", options, () =>
  host.visit(
    LINK,
    async (page) => {
      await answerOf(page);
      assert.match(await page.locator("#facts").innerText(), /calls itself “<b>A\\u\{202e\}B”/);
      assert.equal(await page.locator("#facts b").count(), 0);
    },
    { routes: { "**/badge.json?*": badge({ ledger: { ...ledger, name: "<b>A\u202eB" } }) } },
  ),
);

test("a withdrawn asset shows its issuer and date, but no values", options, () =>
  host.visit(
    LINK,
    async (page) => {
      await answerOf(page);
      assert.match(await page.locator("#facts").innerText(), /Recorded on\s+7 May 2026\s+Status\s+withdrawn on 21 September 2026/);
      assert.ok(!(await page.locator("#result").isVisible()));
      assert.equal(await page.evaluate(() => document.activeElement.id), "answer");
    },
    { routes: { "**/badge.json?*": badge(withdrawn) } },
  ),
);

test("Enter in the ledger's fields loads the asset, and the page's address then names the asset", options, () =>
  host.visit(
    "/verify/#expert",
    async (page) => {
      await page.fill("#ledger-id", ledger.id);
      await page.fill("#asset-id", "1");
      await page.keyboard.press("Enter");
      assert.equal((await answerOf(page)).kind, "unchanged");
      assert.equal(new URL(page.url()).search, `?ledgerId=${ledger.id}&assetId=1`);
      // A changed document no longer belongs to that address.
      await page.fill("#metadata", JSON.stringify({ ...metadata, name: "Mine" }));
      await page.fill("#imprint", "");
      await page.getByRole("button", { name: "Verify", exact: true }).click();
      assert.equal((await answerOf(page)).kind, "changed");
      assert.equal(new URL(page.url()).search, "");
      assert.ok(!(await page.locator("#record").isVisible()));
    },
    { routes: { "**/badge.json?*": badge() } },
  ),
);

test("by a link: an asset of a ledger that the service does not have was never issued", options, () =>
  host.visit(LINK.toLowerCase().replace("ledgerid", "ledgerId").replace("assetid", "assetId"), async (page) => {
    const { kind, text } = await answerOf(page);
    assert.deepEqual([kind, /^No such ledger\. This service does not have the ledger/.test(text)], ["never-issued", true], text);
  }),
);

test("by a link: an asset of an invalid ledger address cannot be checked", options, () =>
  host.visit(
    "/verify/?ledgerId=me&assetId=1",
    async (page) => {
      const { kind, text } = await answerOf(page);
      assert.deepEqual([kind, /The service answered: /.test(text)], ["unchecked", true], text);
    },
    { expected: [/status of 400/] },
  ),
);

const isShown = (page, part) => page.locator(part).isVisible();

const ENTRIES = [
  ["an edited document", (page) => page.fill("#metadata", "{}")],
  ["another imprint", (page) => page.fill("#imprint", "")],
  ["another asset", (page) => page.fill("#asset-id", "2")],
  ["a chosen file", (page) => page.getByLabel("Schema from a file").setInputFiles(file("schema.json", schema))],
  ["a dropped file", (page) => drop(page, "#metadata", [file("forged.json", { ...metadata, name: "Forged" })])],
];
for (const [what, enter] of ENTRIES) {
  test(`${what} removes the verdict from the page`, options, () =>
    host.visit("/verify/#expert", async (page) => {
      assert.equal((await verify(page, {})).kind, "unchanged");
      await enter(page);
      await page.locator("#answer").waitFor({ state: "hidden" });
      assert.ok(!(await isShown(page, "#result")));
    }),
  );
}

test("a verdict that arrives after the document was edited is not shown", options, () =>
  host.visit("/verify/#expert", async (page) => {
    await fill(page, {});
    await page.evaluate(() => {
      document.getElementById("form").requestSubmit();
      const metadata = document.getElementById("metadata");
      metadata.value = "{}";
      metadata.dispatchEvent(new Event("input", { bubbles: true }));
    });
    // The worker answers in order, so the first answer has arrived before the second.
    assert.equal((await verify(page, { imprint: "" })).kind, "untrusted");
    assert.ok(await isShown(page, "#result"));
  }),
);

test("an answer of the service that arrives after another asset was entered is ignored", options, () =>
  host.visit("/verify/#expert", async (page) => {
    let release;
    const held = new Promise((resolve) => (release = resolve));
    await page.route("**/badge.json?*", async (route) => {
      await held;
      await route.fulfill(badge());
    });
    await page.fill("#ledger-id", ledger.id);
    await page.fill("#asset-id", "1");
    const answered = page.waitForResponse("**/badge.json?*");
    await page.keyboard.press("Enter");
    await page.fill("#asset-id", "2");
    release();
    await (await answered).finished();
    await page.evaluate(() => new Promise((resolve) => setTimeout(resolve)));
    assert.deepEqual([await isShown(page, "#answer"), await page.inputValue("#metadata")], [false, ""]);
  }),
);

const LINKS = [
  ["a link to the page", `https://assay.example/verify/?ledgerId=${ledger.id}&assetId=1`],
  ["a badge's address", `https://assay.example/badge?assetId=1&ledgerId=${ledger.id}&validImg=https://a.example/i.png`],
  ["a badge's address that begins with an image", `See https://b.example/a and https://assay.example/badge?validImg=https://a.example/i.png&assetId=1&ledgerId=${ledger.id}.`],
  ["a badge's markup", `<img src="https://assay.example/badge?ledgerId=${ledger.id}&amp;assetId=1" alt="">`],
  ["ledger and asset", ` ${ledger.id}/1 `],
];
for (const [what, text] of LINKS) {
  test(`${what} can be pasted`, options, () =>
    host.visit(
      "/verify/#expert",
      async (page) => {
        await page.fill("#ledger-id", text);
        assert.deepEqual([await page.inputValue("#ledger-id"), await page.inputValue("#asset-id")], [ledger.id, "1"]);
        const note = await page.locator("#link-note").innerText();
        assert.match(note, text.includes("assay.example") ? /^The link leads to assay\.example\. The answer below is what this service says, 127\.0\.0\.1:\d+\.$/ : /^$/);
        await page.keyboard.press("Enter");
        assert.equal((await answerOf(page)).kind, "unchanged");
      },
      { routes: { "**/badge.json?*": badge() } },
    ),
  );
}

test("an earlier withdrawal of an asset that was created again is shown", options, () =>
  host.visit(
    LINK,
    async (page) => {
      assert.equal((await answerOf(page)).kind, "unchanged");
      assert.match(await page.locator("#facts").innerText(), /Before\s+withdrawn on 21 September 2026\s+An asset with this number was removed/);
    },
    { routes: { "**/badge.json?*": badge({ asset: { ...asset, withdrawnBefore: "2026-09-21T14:13:20.000Z" } }) } },
  ),
);

test("four states of an answer have different colours", options, async () => {
  const looks = new Map();
  for (const [kind, changes] of [
    ["unchanged", {}],
    ["changed", { metadata: { ...metadata, name: "Forged" } }],
    ["withdrawn", withdrawn],
    ["unchecked", { evidence: null }],
  ]) {
    await host.visit(
      LINK,
      async (page) => {
        assert.equal((await answerOf(page)).kind, kind);
        looks.set(kind, await page.locator("#answer").evaluate((answer) => getComputedStyle(answer).color));
      },
      { routes: { "**/badge.json?*": badge(changes) } },
    );
  }
  assert.equal(new Set(looks.values()).size, 4, [...looks].join());
});

test("an edited imprint no longer counts as the ledger's", options, () =>
  host.visit(
    LINK,
    async (page) => {
      await answerOf(page);
      assert.match(await page.locator("#imprint-source").innerText(), /From ledger/);
      await page.fill("#imprint", "0".repeat(64));
      assert.equal(await page.locator("#imprint-source").innerText(), "");
      await page.getByRole("button", { name: "Verify", exact: true }).click();
      assert.match((await answerOf(page)).text, /another imprint than the one that you gave/);
    },
    { routes: { "**/badge.json?*": badge() } },
  ),
);

test("an asset's result fits a phone", options, () =>
  host.visit(
    LINK,
    async (page) => {
      await answerOf(page);
      assert.equal(await page.evaluate(() => document.documentElement.scrollWidth), 320);
    },
    { routes: { "**/badge.json?*": badge() }, viewport: { width: 320, height: 640 } },
  ),
);
