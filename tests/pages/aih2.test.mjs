// The verify page and the certify page, as a visitor uses them for AIH-2 certificates.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { Cert as First } from "@assay/cert";
import { Cert, generateKey } from "@assay/cert/aih2";
import { readFile } from "node:fs/promises";
import { answerOf, drop, file, reload, skip, start } from "./browser.mjs";
import { asset, badge, data, ledger, schema } from "./certificate.mjs";

const options = { skip };
let host;
before(async () => {
  if (!skip) host = await start();
});
after(() => host?.stop());

/** The schema without its property `$schema`. */
const { $schema, ...properties } = schema.properties;
const bare = { ...schema, properties };
const { $schema: address, ...document } = data;
const cert = new Cert({ schema: bare, key: generateKey() });
const imprint = await cert.imprint(document);
const paths = [["name"], ["nickname"], ["holder", "name"], ["grades", 0], ["grades", "-"], ["marks"]];
const metadata = { $schema: address, ...cert.expose(document, paths) };
const attached = await cert.disclose(document, paths);
const detached = await cert.disclose(document, paths, { detached: true });

async function verify(page, given = {}) {
  const documents = { metadata, evidence: attached, schema: bare, imprint, ...given };
  for (const [id, value] of Object.entries(documents)) await page.fill(`#${id}`, typeof value === "string" ? value : JSON.stringify(value));
  await page.getByRole("button", { name: "Verify", exact: true }).click();
  return answerOf(page);
}

const rowOf = (page, field) => page.locator("#fields tr", { has: page.getByRole("rowheader", { name: field, exact: true }) });

test("a genuine document is unchanged, with attached or detached evidence", options, async () => {
  for (const evidence of [attached, detached]) {
    await host.visit("/verify/#expert", async (page) => {
      const { kind, text } = await verify(page, { evidence });
      assert.deepEqual([kind, /^Unchanged\. 5 values of this document match the imprint that you gave\./.test(text)], ["unchanged", true], text);
      const hidden = await page.locator("#hidden").innerText();
      assert.match(hidden, /holder\.email is hidden/);
      assert.match(hidden, /nickname is provably absent/);
      const lists = await page.locator("#lists").innerText();
      assert.match(lists, /^grades has provably at most 3 items\.$/m);
      assert.match(lists, /^marks has provably exactly 2 items\.$/m);
    });
  }
});

test("attached evidence needs no document", options, () =>
  host.visit("/verify/#expert", async (page) => {
    const { kind, text } = await verify(page, { metadata: "" });
    assert.deepEqual([kind, /^Unchanged\. 5 values/.test(text)], ["unchanged", true], text);
    assert.match(await rowOf(page, "holder.name").innerText(), /Ada Example/);
    const missing = await verify(page, { metadata: "", evidence: detached });
    assert.match(missing.text, /The metadata is missing/);
  }),
);

test("a changed field is reported, but with detached evidence the whole document is refused", options, () =>
  host.visit("/verify/#expert", async (page) => {
    const changed = { ...metadata, holder: { name: "Eve Example" } };
    const { kind, text } = await verify(page, { metadata: changed });
    assert.deepEqual([kind, /1 value of this document is not what was certified: holder\.name\./.test(text)], ["changed", true], text);
    const row = await rowOf(page, "holder.name").innerText();
    assert.match(row, /changed[\s\S]*Certified: Ada Example[\s\S]*This document says: Eve Example/);
    const whole = await verify(page, { metadata: changed, evidence: detached });
    assert.deepEqual([whole.kind, /belongs to another imprint/.test(whole.text)], ["changed", true], whole.text);
  }),
);

const LINK = `/verify/?ledgerId=${ledger.id}&assetId=1`;
const linked = (changes = {}) =>
  badge({
    ledger: { ...ledger, schemaId: cert.identify() },
    asset: { ...asset, imprint: imprint.replace("aih2:", "") },
    metadata,
    evidence: attached,
    schema: bare,
    ...changes,
  });

test("a holder's evidence dropped on a linked certificate confirms only its own fields", options, async () => {
  const secret = [["hours"], ["holder", "email"]];
  for (const target of ["body", "#evidence"]) {
    await host.visit(
      LINK,
      async (page) => {
        assert.equal((await answerOf(page)).kind, "unchanged");
        await drop(page, target, [file("holder.json", await cert.disclose(document, secret))]);
        await page.getByText("Read holder.json.").waitFor();
        const { kind, text } = await answerOf(page);
        assert.deepEqual([kind, /2 values that the evidence shows match what was recorded on the ledger\.$/.test(text)], ["unchanged", true], text);
        const rows = await page.locator("#fields tr").evaluateAll((found) => found.map((row) => [row.dataset.status, row.querySelector("th").innerText]));
        assert.deepEqual(rows.sort(), [
          ["proven", "holder.email"],
          ["proven", "hours"],
        ]);
        assert.match(await page.locator("#facts").innerText(), /Status\s+in force/);
        assert.match(await page.locator("#metadata-hint").innerText(), /^Left out/);
        // The public evidence restores the public document.
        await drop(page, "#evidence", [file("public.json", detached)]);
        await page.getByText("Read public.json.").waitFor();
        assert.equal((await answerOf(page)).kind, "unchanged");
        assert.deepEqual(JSON.parse(await page.inputValue("#metadata")), metadata);
      },
      { routes: { "**/badge.json?*": linked() } },
    );
  }
});

test("a holder's evidence of another certificate is refused on a linked certificate", options, async () => {
  const other = new Cert({ schema: bare, key: generateKey() });
  await host.visit(
    LINK,
    async (page) => {
      await answerOf(page);
      await drop(page, "body", [file("holder.json", await other.disclose({ ...document, hours: 960 }, [["hours"]]))]);
      await page.getByText("Read holder.json.").waitFor();
      const { kind, text } = await answerOf(page);
      assert.deepEqual([kind, /belongs to another imprint than the one on the ledger/.test(text)], ["changed", true], text);
    },
    { routes: { "**/badge.json?*": linked() } },
  );
});

test("a copy on another ledger is reported as a copy, and the original as unchanged", options, async () => {
  const text = { type: "string" };
  const naming = { ...bare, properties: { ...bare.properties, ledgerId: text, assetId: text } };
  const issuer = new Cert({ schema: naming, key: generateKey() });
  const named = { ...document, ledgerId: ledger.id, assetId: asset.id };
  const record = { schemaId: issuer.identify(), imprint: (await issuer.imprint(named)).replace("aih2:", "") };
  const own = { ...ledger, schemaId: record.schemaId };
  const thiefs = { ...own, id: "0x1111111111111111111111111111111111111111" };
  const [whole, reduced] = [[["name"], ["ledgerId"], ["assetId"]], [["name"]]];
  for (const [on, shown, kind, said] of [
    [own, whole, "unchanged", /^Unchanged since it was issued by /],
    [thiefs, whole, "changed", /^A copy\. .* for another ledger or asset/],
    [thiefs, reduced, "uncovered", /^May be a copy\. .* hides which asset/],
    [thiefs, [["name"], ["assetId"]], "uncovered", /^May be a copy\./],
    [thiefs, [["name"], ["ledgerId"]], "changed", /^A copy\./],
  ]) {
    for (const detached of [false, true]) {
      const evidence = await issuer.disclose(named, shown, { detached });
      const stolen = { ledger: on, asset: { ...asset, imprint: record.imprint }, metadata: issuer.expose(named, shown), evidence, schema: naming };
      await host.visit(
        `/verify/?ledgerId=${on.id}&assetId=${asset.id}`,
        async (page) => {
          const found = await answerOf(page);
          assert.deepEqual([found.kind, said.test(found.text)], [kind, true], `${found.text} ${JSON.stringify({ on: on.id, shown, detached })}`);
        },
        { routes: { "**/badge.json?*": badge(stolen) } },
      );
    }
  }
});

test("a true value that the evidence does not cover is not reported as changed", options, () =>
  host.visit("/verify/#expert", async (page) => {
    for (const evidence of [attached, detached]) {
      const { kind, text } = await verify(page, { metadata: { ...metadata, hours: 96 }, evidence });
      assert.deepEqual([kind, /^Not certified in full\. The evidence says nothing about 1 value .*: hours\.$/.test(text)], ["uncovered", true], text);
      const row = await rowOf(page, "hours").innerText();
      assert.match(row, /not covered[\s\S]*96[\s\S]*so anyone may have added it/);
      assert.equal(await page.locator("#fields tr[data-status=not-proven]").count(), 0);
    }
  }),
);

test("hidden values and values outside the schema are not certified", options, () =>
  host.visit("/verify/#expert", async (page) => {
    for (const [added, field] of [
      [{ hours: 96 }, "hours"],
      [{ note: "new" }, "note"],
    ]) {
      const { kind, text } = await verify(page, { metadata: { ...metadata, ...added }, evidence: detached });
      assert.deepEqual([kind, text.includes(field)], ["uncovered", true], text);
    }
  }),
);

test("an empty list proves a value, but an empty object does not", options, () =>
  host.visit("/verify/#expert", async (page) => {
    for (const [given, kind] of [
      [{ holder: {} }, "uncovered"],
      [{ grades: [] }, "unchanged"],
    ]) {
      const whole = { ...document, ...given };
      const shown = Object.keys(given).map((key) => [key]);
      for (const detached of [false, true]) {
        const evidence = await cert.disclose(whole, shown, { detached });
        const found = await verify(page, { metadata: cert.expose(whole, shown), evidence, imprint: await cert.imprint(whole) });
        assert.equal(found.kind, kind, found.text);
      }
    }
  }),
);

test("without a matching imprint and readable evidence, no value is shown as proven", options, () =>
  host.visit("/verify/#expert", async (page) => {
    assert.equal((await verify(page, { imprint: "" })).kind, "untrusted");
    assert.equal((await verify(page, { imprint: "ab".repeat(32) })).kind, "changed");
    assert.equal((await verify(page, { imprint: imprint.replace("aih2:", "0x") })).kind, "unchanged");
    const damaged = await verify(page, { evidence: { ...attached, proof: attached.proof.slice(0, -4) } });
    assert.deepEqual([damaged.kind, /proves nothing/.test(damaged.text)], ["uncovered", true], damaged.text);
    const other = await verify(page, { evidence: { ...attached, profile: "AIH-3" } });
    assert.deepEqual([other.kind, /a profile that this page does not know/.test(other.text)], ["unchecked", true], other.text);
    const first = new First({ schema });
    const mixed = await verify(page, { schema, metadata: data, evidence: { data: await first.notarize(data) } });
    assert.deepEqual([mixed.kind, /do not belong together/.test(mixed.text)], ["unchecked", true], mixed.text);
  }),
);

test("dropped evidence and schema are recognized", options, () =>
  host.visit("/verify/#expert", async (page) => {
    // Before the expert part is loaded, the first part opens dropped files.
    await page.locator("#metadata").waitFor();
    await drop(page, "body", [file("a.json", attached), file("b.json", bare)]);
    await page.fill("#imprint", imprint);
    await page.getByText("Read a.json, b.json.", { exact: true }).waitFor();
    await page.getByRole("button", { name: "Verify", exact: true }).click();
    assert.equal((await answerOf(page)).kind, "unchanged");
  }),
);

/** Returns the content of the JSON file that a button downloads. */
async function saved(page, button) {
  const [download] = await Promise.all([page.waitForEvent("download"), page.getByRole("button", { name: button, exact: true }).click()]);
  return JSON.parse(await readFile(await download.path(), "utf8"));
}

test("the certify page proposes AIH-2, its private file has the key, and the evidence opens the ticked values", options, () =>
  host.visit("/certify/", async (page) => {
    for (const [id, value] of Object.entries({ data, schema: bare })) await page.fill(`#${id}`, JSON.stringify(value));
    assert.equal(await page.inputValue("#profile"), "AIH-2");
    await page.getByRole("button", { name: "Choose fields" }).click();
    await page.locator("#choice").waitFor();
    assert.ok(!(await page.locator("#protect").isVisible()));
    await page.locator("#tree > li > label", { hasText: "hours" }).locator("input").check();
    await page.getByLabel("Certify without a ledger").check();
    await page.getByRole("button", { name: "Certify", exact: true }).click();
    assert.match((await answerOf(page)).text, /^Done\. First save your private file\./);
    const key = await page.getByLabel("Key of this document").inputValue();
    const made = new Cert({ schema: bare, key: Buffer.from(key, "hex") });
    const expected = await made.imprint(document);
    const kept = await saved(page, "Download the private file");
    assert.deepEqual([kept.profile, kept.secret, kept.shown], ["AIH-2", key, [["hours"]]]);
    assert.equal(`aih2:${await page.locator("#imprint").innerText()}`, expected);
    assert.equal(await page.locator("#schema-id").innerText(), made.identify());
    // Only a certificate with a ledger has a holder's file.
    assert.ok(!(await page.getByRole("button", { name: "Download the holder’s file" }).isVisible()));
    const [open, evidence] = [await saved(page, "Download the metadata"), await saved(page, "Download the evidence")];
    assert.deepEqual(open, { $schema: address, hours: 96 });
    assert.deepEqual(evidence.values, [[["hours"], 96]]);
    assert.doesNotMatch(JSON.stringify(evidence), /Ada Example/);
    const [beside] = await Promise.all([page.context().waitForEvent("page"), page.getByRole("link", { name: "Verify what you made" }).click()]);
    await beside.waitForURL("**/verify/");
    assert.equal((await answerOf(beside)).kind, "unchanged");

    // With the private file, other values are made public under the same imprint.
    await reload(page);
    await page.getByLabel("Document or private file").setInputFiles(file("kept.json", kept));
    await page.locator("#choice").waitFor();
    assert.deepEqual([await page.inputValue("#profile"), await page.inputValue("#secret")], ["AIH-2", key]);
    await page.locator("#tree > li > label", { hasText: "hours" }).locator("input").uncheck();
    await page.locator("#tree > li > label", { hasText: "name" }).first().locator("input").check();
    await page.getByRole("button", { name: "Certify", exact: true }).click();
    await answerOf(page);
    const again = await saved(page, "Download the private file");
    assert.equal(again.imprint, kept.imprint);
  }),
);

test("AIH-2 refuses a field outside the schema and names it", options, () =>
  host.visit("/certify/", async (page) => {
    for (const [id, value] of Object.entries({ data: { ...data, note: 1 }, schema: bare })) await page.fill(`#${id}`, JSON.stringify(value));
    await page.getByRole("button", { name: "Choose fields" }).click();
    const { kind, text } = await answerOf(page);
    assert.deepEqual([kind, /note/.test(text)], ["unchecked", true], text);
  }),
);
