// The pages for an office: they issue a certificate for each row of a table, exactly once, and replace and withdraw certificates.
import assert from "node:assert/strict";
import { randomBytes } from "node:crypto";
import { readFileSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { after, before, test } from "node:test";
import { Cert } from "@assay/cert/aih2";
import { Ability, ActionKind, Client, Priority, PrivateKeyProvider } from "@assay/client";
import { strFromU8, unzipSync } from "fflate";
import { Host } from "../demo/host.mjs";
import { until } from "../support/until.mjs";
import { fromFragment } from "../../www/lib/file.ts";
import { readCode } from "./qr.mjs";
import { DEFAULT, parsed } from "../../www/lib/design.ts";
import { certificateIn } from "../../www/lib/pdf-file.ts";
import { answerOf, endRoutes, listening, serveSources, shoot, skip, start } from "./browser.mjs";

const options = { skip };
const MANY = "/issue/many/?lang=en";
const ISSUED = "/console/?lang=en#issued";
let host;
let website;
before(async () => {
  if (skip) return;
  host = await start({ vars: { ENVIRONMENT: "development", DEPOSITS: "test", ALLOW_PRIVATE_FETCH: "true" }, quiet: true });
  website = await Host.start();
});
after(async () => {
  await website?.stop();
  await host?.stop();
});

const HEADER = ["Holder", "E-Mail", "Hours", "Remarks"];
const rowOf = (index) => [`Zoë Müller ${index}`, `zoe${index}@example.com`, String(index + 10), index === 0 ? "=1+1" : ""];
const csv = (rows) => [HEADER, ...rows].map((cells) => `${cells.join(";")}\r\n`).join("");
const file = (name, content) => ({ name, mimeType: "text/csv", buffer: typeof content === "string" ? Buffer.from(content) : content });
const chosen = (page, column) => page.getByLabel(`${column} becomes`).evaluate((select) => select.selectedOptions[0].textContent);

/** Returns the client of a new account with tokens, and the account's key file. */
async function newIssuer({ url } = host) {
  const key = randomBytes(32).toString("hex");
  const client = new Client({ provider: await PrivateKeyProvider.from(key), apiUrl: new URL(url).origin });
  await client.init();
  await client.createDeposit(100_000);
  return { client, keyFile: file("office.key.txt", `${key}\n`) };
}

const signIn = (page, { keyFile }) => page.locator("#sign-in input[type=file]").setInputFiles(keyFile);

/** Chooses a table of course certificates, fills in the fields that all rows share, and has the rows checked. */
async function prepare(page, table, course = "Applied Cryptography") {
  await page.locator("#file").setInputFiles(table);
  await page.locator("#encoding:not([hidden]), #columns:not([hidden])").waitFor();
  if (await page.locator("#encoding").isVisible()) await page.getByRole("button", { name: "Yes, they look right" }).click();
  await page.locator("#columns").waitFor();
  await page.getByLabel("Course", { exact: false }).first().fill(course);
  await page.locator("#form input[type=date]").first().fill("2026-06-30");
  await page.getByRole("button", { name: "Check all rows" }).click();
}

test("a table's certificates are issued exactly once, although the tab is closed in the middle", options, async () => {
  const issuer = await newIssuer();
  const rows = Array.from({ length: 30 }, (_, index) => rowOf(index));
  await host.visit(MANY, async (first) => {
    // Spreadsheet programs in Western Europe save tables in this encoding.
    await prepare(first, file("people.csv", Buffer.from(csv(rows), "latin1")));
    assert.deepEqual(await Promise.all(HEADER.map((column) => chosen(first, column))), ["Holder", "Leave out", "Hours", "Leave out"]);
    await first.locator("#preview").waitFor();
    const paper = await first.locator("#paper").innerText();
    assert.match(paper, /Applied Cryptography/);
    assert.doesNotMatch(paper, /Müller/);
    assert.equal(await first.getByLabel("The column that tells the rows apart").evaluate((select) => select.selectedOptions[0].textContent), "E-Mail");
    await signIn(first, issuer);
    await first.locator("#ledger").waitFor();
    await first.getByLabel("Folder on your website").fill(website.url("certificates/"));
    // The service gets the order, and the page is closed before the answer arrives.
    const taken = Promise.withResolvers();
    await first.route("**/orders", async (route) => {
      if (route.request().method() !== "POST") return route.continue();
      await route.fetch();
      taken.resolve();
    });
    await first.getByRole("button", { name: "Issue 30 certificates" }).click();
    await taken.promise;
    await first.close();

    const page = await first.context().newPage();
    await page.goto(new URL(MANY, host.url).href);
    await listening(page);
    assert.match(await page.locator("#kept-lists li").innerText(), /people\.csv, .*: 0 of 30 issued/);
    await page.getByRole("button", { name: "Continue" }).click();
    await signIn(page, issuer);
    await page.locator("#finished").waitFor();
    assert.equal(await page.locator("#finished h2").innerText(), "30 certificates are issued");

    const [saved] = await Promise.all([page.waitForEvent("download"), page.getByRole("button", { name: "Save all files (ZIP)" }).click()]);
    const files = Object.entries(unzipSync(await readFile(await saved.path()))).map(([name, bytes]) => [name, strFromU8(bytes)]);
    assert.equal(saved.suggestedFilename(), "people.certificates.zip");
    await assertIssued(issuer, rows, files);

    // Issues the list again with an additional row. Only that row gets a new certificate.
    await page.getByRole("button", { name: "Issue another list" }).click();
    await prepare(page, file("people.csv", csv([...rows, rowOf(30)])));
    await page.locator("#standing", { hasText: "30 rows are issued already and cost nothing again: 2 (zoe0@example.com), 3 (zoe1@example.com)" }).waitFor();
    assert.match(await page.locator("#costs").innerText(), /^This costs 3 tokens\./);
    await page.getByRole("button", { name: "Issue one certificate" }).click();
    await page.locator("#finished").waitFor();
    assert.equal((await assetsOf(issuer)).length, 31);
    await assertInBook(page, issuer, await saved.path());
    await assertLeftOut(page, issuer, file("people.csv", csv([...rows, rowOf(30)])), await unpacked(saved));
  });
});

/** Asserts that the console finds a person of the list by name: from the book that was filled when the list was issued, and from the archive. */
async function assertInBook(page, issuer, archive) {
  const zip = await readFile(archive);
  const texts = textsIn(zip);
  await page.goto(new URL("/console/?lang=en", host.url).href);
  await listening(page);
  await signIn(page, issuer);
  const people = page.locator(".rows .row");
  const find = async () => {
    await page.fill("#find", "zoe muller 17");
    await page.locator(".rows .row", { hasText: "Zoë Müller 17" }).waitFor();
    assert.equal(await people.count(), 1);
  };
  await people.nth(30).waitFor();
  await find();
  await people.locator("a").click();
  assert.match(await page.locator("#one").innerText(), /zoe17@example\.com/);
  await printOne(page);
  const [, held] = privateFilesOf(texts).find(([, { document }]) => document.holder.endsWith(" 17"));
  await replaceOne(page, issuer, held);
  await page.getByRole("link", { name: "Register book" }).click();
  page.on("dialog", (dialog) => dialog.accept());
  for (const dropped of [file("people.certificates.zip", zip), file("result.csv", Buffer.from(texts["result.csv"]))]) {
    await page.getByRole("button", { name: "Remove the book from this browser" }).click();
    await page.getByText("Your book is empty.").waitFor();
    await page.locator("#book-files").setInputFiles(dropped);
    await page.locator("#book-size", { hasText: "Your book has 30 certificates, 30 with a holder." }).waitFor();
  }
  await page.getByRole("link", { name: "Certificates", exact: true }).click();
  await find();
}

/** Asserts that a list that is dropped again gets no files of a certificate that was replaced, and of one that is withdrawn now. */
async function assertLeftOut(page, issuer, table, texts) {
  const [, { ledger, asset }] = privateFilesOf(texts).find(([, { document }]) => document.holder === "Zoë Müller 3");
  const { accountId } = issuer.client.provider;
  const actions = [{ kind: ActionKind.DESTROY_ASSET, assetLedgerId: ledger, id: asset, senderId: accountId }];
  const { data } = await issuer.client.createOrder({ actions, signersIds: [accountId], payerId: accountId, wildcardSigner: false, automatedPerform: true }, Priority.MEDIUM);
  await issuer.client.waitForOrder(data.ref);
  await page.goto(new URL(MANY, host.url).href);
  await listening(page);
  assert.match(await page.locator("#kept-lists li").innerText(), /people\.csv, .*: 31 of 31 issued/);
  await prepare(page, table);
  await signIn(page, issuer);
  const standing = page.locator("#standing");
  await standing.getByText("One row gets no file, because its certificate was withdrawn: 5 (zoe3@example.com).").waitFor();
  await standing.getByText("One row gets no file, because its certificate was replaced and has other content now: 19 (zoe17@example.com).").waitFor();
  assert.equal(await page.locator("#costs").innerText(), "");
  assert.equal(await page.locator("#try").count(), 0);
  await shoot(page, "many-again");
  await page.getByRole("button", { name: "Get the files of the 29 issued certificates again" }).click();
  await page.locator("#finished", { hasText: "29 certificates are issued" }).waitFor();
  assert.match(await page.locator("#finished").innerText(), /withdrawn: 5 \(zoe3@example\.com\)/);
  const [saved] = await Promise.all([page.waitForEvent("download"), page.getByRole("button", { name: "Save all files (ZIP)" }).click()]);
  const files = await unpacked(saved);
  assert.equal(privateFilesOf(files).length, 29);
  assert.doesNotMatch(files["result.csv"], /zoe(3|17)@example\.com/);
  assert.equal((await assetsOf(issuer)).length, 30);
}

/** Prints the certificate that is open in the console. */
async function printOne(page) {
  await page.evaluate(() => (window.print = () => dispatchEvent(new Event("beforeprint"))));
  await page.click("#one-print");
  await page.locator("#print-now").click();
  await page.locator(".sheets .paper", { hasText: "Zoë Müller 17" }).waitFor({ state: "attached" });
  await page.emulateMedia({ media: "print" });
  assert.ok((await page.locator(".sheets .code svg").isVisible()) && !(await page.locator("#one").isVisible()));
  await page.emulateMedia({ media: "screen" });
  await page.evaluate(() => dispatchEvent(new Event("afterprint")));
}

/** Replaces the certificate that is open in the console: its hours become 99, and its holder's name is corrected. The form appears once the last digits of the number are typed. */
async function replaceOne(page, issuer, held) {
  await page.getByRole("button", { name: "Replace…" }).click();
  await page.fill("#last-digits", String(10_000 - Number(held.asset.slice(-4))).padStart(4, "0"));
  assert.equal(await page.locator("#replace-file").count(), 0);
  await page.fill("#last-digits", held.asset.slice(-4));
  await page.locator("#replace-file").setInputFiles({ name: "17.json", mimeType: "application/json", buffer: Buffer.from(JSON.stringify(held)) });
  await page.getByLabel("Hours", { exact: true }).fill("99");
  await page.locator("#replace-form").getByLabel("Holder required", { exact: true }).fill("Zoë Weiß-Müller 17");
  const replace = page.getByRole("button", { name: "Save the files and replace" });
  const [saved] = await Promise.all([page.waitForEvent("download"), replace.click()]);
  await page.locator("#answer[data-kind=valid]").waitFor();
  const [[, now]] = privateFilesOf(await unpacked(saved));
  assert.equal((await assetsOf(issuer)).find(({ id }) => id === held.asset).imprint, now.imprint);
  assert.notEqual(now.imprint, held.imprint);
  await page.locator("#history li", { hasText: "Replaced" }).waitFor();
  await page.locator("#one", { hasText: "Zoë Weiß-Müller 17" }).waitFor();
}

/** Returns the assets of the issuer's only ledger. */
async function assetsOf({ client }) {
  const {
    data: [ledger, ...others],
  } = await client.getLedgers();
  assert.deepEqual(others, []);
  const found = [];
  for await (const asset of client.ledgerAssets(ledger.ref)) found.push(asset);
  return found;
}

/**
 * Asserts that each row has one certificate, whose link and private file are in the result. The public files must not contain private values.
 * Of the certificates, only the first is verified.
 */
async function assertIssued(issuer, rows, files) {
  const assets = await assetsOf(issuer);
  assert.equal(assets.length, rows.length);
  const below = (folder) => files.filter(([name]) => name.startsWith(folder));
  for (const [name, text] of below("public/")) {
    // None of these strings can occur by chance in a proof, which is random base64url.
    assert.doesNotMatch(text, /Müller|@example\.com|"hours": ?\d/);
    website.serve(`certificates/${name.slice("public/".length)}`, JSON.parse(text));
  }
  const [, result] = files.find(([name]) => name === "result.csv");
  const lines = result.split("\r\n");
  assert.equal(lines[0], "Holder;E-Mail;Hours;Remarks;certificate_status;certificate_holder_link;certificate_public_link;certificate_file;certificate_pdf");
  assert.match(lines[1], /^Zoë Müller 0;zoe0@example\.com;10;'=1\+1;issued;/);
  for (const [index, row] of rows.entries()) {
    const [name, , , , status, holderLink, link, privateName, pdfName] = lines[index + 1].split(";");
    const [, , ledger, asset] = new URL(link).pathname.split("/");
    const stem = `zoë-müller-${index}-${asset.slice(-10)}`;
    assert.deepEqual([name, status, privateName, pdfName], [row[0], "issued", `${stem}.private.assay.json`, `${stem}.pdf`]);
    assert.ok(files.some(([name, text]) => name === `private/${pdfName}` && text.startsWith("%PDF-1.7")));
    const held = JSON.parse(files.find(([name]) => name === `private/${privateName}`)[1]);
    const { imprint } = assets.find(({ id }) => id === asset);
    assert.deepEqual([held.asset, held.ledger, held.imprint, held.document.holder, held.document.hours], [asset, ledger, imprint, row[0], index + 10]);
    if (index > 0) continue;
    assert.ok(holderLink.startsWith(`${link}#`), holderLink);
    const { schema, document, evidence } = held;
    assert.deepEqual(await fromFragment(new URL(holderLink).hash.slice(1)), { schema, document, evidence });
    const report = await new Cert({ schema: held.schema }).verify(held.document, held.evidence, held.imprint);
    assert.equal(report.valid, true);
    const { data } = await issuer.client.getValidity(ledger, asset);
    assert.deepEqual([data.valid, data.errors], [true, []]);
  }
}

/** Returns the contents of the files in a downloaded archive, by file name. */
const unpacked = async (download) => textsIn(await readFile(await download.path()));

const textsIn = (zip) => Object.fromEntries(Object.entries(unzipSync(zip)).map(([name, bytes]) => [name, strFromU8(bytes)]));

/** Puts the public files of an archive on the issuer's website. */
function publishFiles(folder, files) {
  for (const [name, text] of Object.entries(files)) {
    if (name.startsWith("public/")) website.serve(`${folder}/${name.slice("public/".length)}`, JSON.parse(text));
  }
}

const privateFilesOf = (files) =>
  Object.entries(files)
    .filter(([name]) => /^private\/.*\.json$/.test(name))
    .map(([name, text]) => [name, JSON.parse(text)]);

test("rows that changed after they were sent are refused, and hosted certificates stay valid", options, async () => {
  const hosting = await start({ vars: { ENVIRONMENT: "development", DEPOSITS: "test", FILES: "on" }, quiet: true });
  try {
    const issuer = await newIssuer(hosting);
    const table = file("people.csv", csv([rowOf(0), rowOf(1)]));
    await hosting.visit(MANY, async (first) => {
      await prepare(first, table);
      await signIn(first, issuer);
      await first.locator("#ledger").waitFor();
      const taken = Promise.withResolvers();
      await first.route("**/orders", async (route) => {
        if (route.request().method() !== "POST") return route.continue();
        await route.fetch();
        taken.resolve();
      });
      await first.getByRole("button", { name: "Issue 2 certificates" }).click();
      await taken.promise;
      await first.close();

      const page = await first.context().newPage();
      await page.goto(new URL(MANY, hosting.url).href);
      await listening(page);
      await prepare(page, table, "Another course");
      await signIn(page, issuer);
      await page.locator("#ledger").waitFor();
      // Whether the order is final by now decides the button's text.
      await page.locator("#issue:enabled").click();
      await page.locator("#answer[data-kind=unchecked]").waitFor();
      assert.match((await answerOf(page)).text, /2, 3/);
      let assets;
      while ((assets = await assetsOf(issuer)).length < 2);
      for (const { ledgerId, id } of assets) {
        const { data } = await issuer.client.getValidity(ledgerId, id);
        assert.deepEqual([data.valid, data.errors], [true, []]);
      }
    });
  } finally {
    await hosting.stop();
  }
});

test("after a failure to publish, a hosted replacement is published without a second order", options, async () => {
  const hosting = await start({ vars: { ENVIRONMENT: "development", DEPOSITS: "test", FILES: "on" }, quiet: true });
  try {
    const issuer = await newIssuer(hosting);
    await hosting.visit(
      MANY,
      async (page) => {
        await prepare(page, file("one.csv", csv([rowOf(0)])));
        await signIn(page, issuer);
        await page.locator("#ledger").waitFor();
        await page.getByRole("button", { name: "Issue one certificate" }).click();
        await page.locator("#finished").waitFor();
        const [saved] = await Promise.all([page.waitForEvent("download"), page.getByRole("button", { name: "Save all files (ZIP)" }).click()]);
        const [[name, held]] = privateFilesOf(await unpacked(saved));

        await page.goto(new URL(ISSUED, hosting.url).href);
        await listening(page);
        await signIn(page, issuer);
        const choose = await chooserOfFirst(page);
        await choose(name, held);
        await page.getByLabel("Hours", { exact: true }).fill("99");
        let orders = 0;
        page.on("request", (request) => (orders += request.method() === "POST" && new URL(request.url()).pathname === "/orders" ? 1 : 0));
        const refused = { id: "1", status: 400, errors: [{ code: 422900, message: "the file is refused" }] };
        await page.route("**/files", (route) => route.fulfill({ status: 400, contentType: "application/json", body: JSON.stringify(refused) }));
        const again = page.getByRole("button", { name: "Save the files and replace" });
        await again.click();
        await page.locator("#answer[data-kind=unchecked]").waitFor();
        await endRoutes(page);
        await again.click();
        await page.locator("#answer[data-kind=valid]").waitFor();
        assert.equal(orders, 1);
        const verdict = async () => (await issuer.client.getValidity(held.ledger, held.asset)).data;
        const { valid, errors } = await until(verdict, ({ valid }) => valid);
        assert.deepEqual([valid, errors], [true, []]);
      },
      { expected: [/status of 400/] },
    );
  } finally {
    await hosting.stop();
  }
});

test("a list saved on one computer continues on another, and no row is issued twice", options, async () => {
  const issuer = await newIssuer();
  const table = file("people.csv", csv([rowOf(0), rowOf(1)]));
  let saved;
  await host.visit(MANY, async (first) => {
    await prepare(first, table);
    await signIn(first, issuer);
    await first.locator("#ledger").waitFor();
    await first.getByLabel("Folder on your website").fill(website.url("moved/"));
    // The service gets the order, but its answer is lost.
    await first.route("**/orders", async (route) => {
      if (route.request().method() !== "POST") return route.continue();
      await route.fetch();
      const [download] = await Promise.all([first.waitForEvent("download"), first.locator("#working").getByRole("button", { name: "Save the list to a file" }).click()]);
      saved ??= { name: download.suggestedFilename(), text: await readFile(await download.path(), "utf8") };
    });
    await first.getByRole("button", { name: "Issue 2 certificates" }).click();
    while (saved === undefined) await first.waitForTimeout(50);
  });
  assert.equal(saved.name, "people.assay-list.json");
  const load = (page, text) => page.getByLabel("Load a saved list").setInputFiles({ name: saved.name, mimeType: "application/json", buffer: Buffer.from(text) });
  await host.visit(MANY, async (page) => {
    for (const [text, expected] of [
      ["[1]", /This is not a list that this page saved/],
      [saved.text.slice(0, -9), /This is not a list that this page saved/],
      [
        saved.text.replace(JSON.stringify(`["${new URL(host.url).origin}`).slice(1, -1), JSON.stringify('["https://other.example').slice(1, -1)),
        /another service. Load it there: https:\/\/other\.example/,
      ],
      // A list without the lines that name the rows' assets.
      [JSON.stringify({ ...JSON.parse(saved.text), lines: `${JSON.parse(saved.text).lines.split("\n")[0]}\n` }), /This is not a list that this page saved/],
    ]) {
      await load(page, text);
      await page.locator("#answer[data-kind=unchecked]").waitFor();
      assert.match(await page.locator("#answer").innerText(), expected);
    }
    await load(page, saved.text);
    await page.locator("#kept-lists li", { hasText: "people.csv" }).waitFor();
    await page.getByRole("button", { name: "Continue" }).click();
    await signIn(page, issuer);
    await page.locator("#finished").waitFor();
    assert.equal((await assetsOf(issuer)).length, 2);
    // The loaded older state does not replace the newer state in the browser.
    await page.reload();
    await listening(page);
    await load(page, saved.text);
    await page.locator("#kept-lists li", { hasText: "2 of 2 issued" }).waitFor();
  });
});

test("the code of a printed sheet opens the values that stand on the sheet", options, async () => {
  const issuer = await newIssuer();
  await host.visit(MANY, async (page) => {
    await prepare(page, file("two.csv", csv([rowOf(0), rowOf(1)])));
    await signIn(page, issuer);
    await page.locator("#ledger").waitFor();
    await page.getByLabel("Folder on your website").fill(website.url("printed/"));
    await page.getByRole("button", { name: "Issue 2 certificates" }).click();
    await page.locator("#finished").waitFor();
    const [saved] = await Promise.all([page.waitForEvent("download"), page.getByRole("button", { name: "Save all files (ZIP)" }).click()]);
    publishFiles("printed", await unpacked(saved));
    await page.evaluate(() => (window.print = () => dispatchEvent(new Event("beforeprint"))));
    await page.getByRole("button", { name: "Print all certificates" }).click();
    await page.locator("#print-now").click();
    const sheet = page.locator("#printed .paper").first();
    await sheet.waitFor({ state: "attached" });
    const [holder] = rowOf(0);
    const words = await sheet.textContent();
    assert.ok(words.includes(holder) && words.includes("Check before you rely on it: scan the code"), words);
    assert.doesNotMatch(words, /Valid\b(?! until)/);
    const link = await readCode(sheet.locator(".code svg"));
    const size = Number((await sheet.locator(".code svg").getAttribute("viewBox")).split(" ")[2]);
    await page.evaluate(() => dispatchEvent(new Event("afterprint")));
    assert.equal(await page.locator("#printed .paper").count(), 0);
    assert.match(link, /^https?:\/\/[^a-z]+\/C\/0X[0-9A-F]{40}\/\d+#2\d+$/);
    assert.ok(size <= 85 + 8, String(size));

    await page.goto(link.replace("#", "?lang=en#"));
    await page.locator(".compare").waitFor();
    const values = await page.locator(".compare .value").allInnerTexts();
    assert.ok(values.includes(holder), values.join());
    assert.equal(await page.locator(".unconfirmed").count(), 0);
  });
});

test("a certificate is replaced, and another is withdrawn with a reason that its page shows", options, async () => {
  const issuer = await newIssuer();
  const act = async (page) => {
    await prepare(page, file("two.csv", csv([rowOf(0), rowOf(1)])));
    await signIn(page, issuer);
    await page.locator("#ledger").waitFor();
    await page.getByLabel("Folder on your website").fill(website.url("two/"));
    await page.getByRole("button", { name: "Issue 2 certificates" }).click();
    await page.locator("#finished").waitFor();
    const [saved] = await Promise.all([page.waitForEvent("download"), page.getByRole("button", { name: "Save all files (ZIP)" }).click()]);
    const files = await unpacked(saved);
    publishFiles("two", files);

    await page.goto(new URL(ISSUED, host.url).href);
    await listening(page);
    await signIn(page, issuer);
    await replaceFirst(page, issuer, privateFilesOf(files));
    const item = page.locator("#assets li", { hasText: "zoe1@example.com" });
    await item.getByText("Applied Cryptography").waitFor();
    const link = await item.getByRole("link").getAttribute("href");
    await item.getByRole("checkbox").check();
    await page.getByRole("button", { name: "Withdraw…" }).click();
    await page.getByLabel("The reason, which everybody sees").fill("Issued <b>by mistake");
    await page.getByRole("button", { name: "Withdraw", exact: true }).click();
    assert.match(await page.locator("#reason-problem").innerText(), /without < and >/);
    await page.getByLabel("The reason, which everybody sees").fill("Issued by mistake.");
    // The reason does not reach the service at first, and is sent again.
    await page.route("**/withdrawal", (route) => route.abort());
    await page.getByRole("button", { name: "Withdraw", exact: true }).click();
    await page.locator("#answer[data-kind=unchecked]", { hasText: "its reason is not recorded yet" }).waitFor();
    await endRoutes(page);
    await page.getByRole("button", { name: "Try again" }).click();
    await page.locator("#answer[data-kind=withdrawn]").waitFor();
    assert.equal((await assetsOf(issuer)).length, 1);

    await page.evaluate(() => (window.print = () => dispatchEvent(new Event("beforeprint"))));
    await page.getByLabel("Tick all below").check();
    await page.getByRole("button", { name: "Print", exact: true }).click();
    await page.locator("#print-now").click();
    await page.locator(".sheets .paper").first().waitFor({ state: "attached" });
    await page.emulateMedia({ media: "print" });
    assert.equal(await page.locator(".sheets .paper").count(), 1);
    assert.ok(await page.locator(".sheets .code svg").isVisible());
    assert.ok(!(await page.locator("#listing").isVisible()));
    await page.emulateMedia({ media: "screen" });

    await page.getByText("Withdrawn certificates", { exact: true }).click();
    const gone = page.locator("#gone-list li");
    await gone.waitFor();
    assert.match(await gone.innerText(), /^zoe1@example\.com\s+Withdrawn on .+\s+Open it\s+Issued by mistake\.$/);

    await page.goto(`${link}?lang=en`);
    await page.locator(".headline", { hasText: "Withdrawn on" }).waitFor();
    assert.match(await page.locator(".reason").innerText(), /Issued by mistake\./);
  };
  await host.visit(MANY, act, { expected: [/ERR_FAILED/] });
});

/** Begins to replace the certificate of the first row. Returns the function that chooses its private file. */
async function chooserOfFirst(page) {
  const item = page.locator("#assets li", { hasText: "zoe0@example.com" });
  await item.getByText("Applied Cryptography").waitFor();
  await item.getByRole("checkbox").check();
  await page.getByRole("button", { name: "Replace…" }).click();
  return (name, content) => page.locator("#replace-file").setInputFiles({ name, mimeType: "application/json", buffer: Buffer.from(JSON.stringify(content)) });
}

/** Replaces the certificate of the first row: its hours become 99. */
async function replaceFirst(page, issuer, files) {
  const [[, other], [name, held]] = files.toSorted(([, one]) => (one.document.holder.endsWith(" 0") ? 1 : -1));
  const choose = await chooserOfFirst(page);
  await choose(name, other);
  assert.match((await answerOf(page)).text, /This is not the private file of this certificate/);
  await choose(name, held);
  await page.getByLabel("Hours", { exact: true }).fill("99");
  const replace = page.getByRole("button", { name: "Save the files and replace" });
  const day = page.locator("#replace-form input[type=date]").first();
  const issuedOn = await day.inputValue();
  await day.fill("1500-01-01");
  await replace.click();
  assert.match((await answerOf(page)).text, /Check these dates: .?Issued on.? is before 1600\. If they are right, press the button again\./);
  await day.fill(issuedOn);
  const [saved] = await Promise.all([page.waitForEvent("download"), replace.click()]);
  await page.locator("#answer[data-kind=valid]").waitFor();
  const made = await unpacked(saved);
  const [[, now]] = privateFilesOf(made);
  assert.deepEqual([now.asset, now.document], [held.asset, { ...held.document, hours: 99 }]);
  assert.equal((await assetsOf(issuer)).find(({ id }) => id === held.asset).imprint, now.imprint);
  assert.notEqual(now.imprint, held.imprint);
  const report = await new Cert({ schema: now.schema }).verify(now.document, now.evidence, now.imprint);
  assert.equal(report.valid, true);
  // The replaced certificate shows the same fields as before.
  const [metadata] = Object.entries(made)
    .filter(([name]) => name === `public/${held.asset}.json`)
    .map(([, text]) => JSON.parse(text));
  assert.deepEqual(
    Object.keys(metadata)
      .filter((key) => !key.startsWith("$"))
      .sort(),
    ["assetId", "issuedAt", "ledgerId", "name"],
  );
}

test("a column of names becomes the private holder, and not the public course", options, () =>
  host.visit(MANY, async (page) => {
    await page.locator("#file").setInputFiles(file("people.csv", "Name;Hours\r\nZoë;10\r\n"));
    await page.locator("#columns").waitFor();
    assert.deepEqual(await Promise.all(["Name", "Hours"].map((column) => chosen(page, column))), ["Holder", "Hours"]);
    await page.locator("#file").setInputFiles(file("people.csv", "Holder;Name\r\nZoë;A\r\n"));
    await page.getByLabel("Holder becomes").waitFor();
    assert.deepEqual(await Promise.all(["Holder", "Name"].map((column) => chosen(page, column))), ["Holder", "Leave out"]);
  }),
);

test("a new account's key has to be saved before the account can issue, and the day of issue is filled in", options, () =>
  host.visit(MANY, async (page) => {
    await page.locator("#file").setInputFiles(file("people.csv", "Holder;Hours\r\nZoë;10\r\n"));
    await page.locator("#columns").waitFor();
    assert.match(await page.locator("#form input[type=date]").first().inputValue(), /^\d{4}-\d\d-\d\d$/);
    await page.getByLabel("Course", { exact: false }).first().fill("Applied Cryptography");
    await page.getByRole("button", { name: "Check all rows" }).click();
    await page.getByRole("button", { name: "Make a new key" }).click();
    await page.locator("#ledger").waitFor();
    await page.getByRole("button", { name: "Issue one certificate" }).click();
    const answer = await answerOf(page);
    assert.deepEqual(answer, { kind: "unchecked", text: "Not possible. Save the key file of your new account first." });
    await Promise.all([page.waitForEvent("download"), page.getByRole("button", { name: "Save the key file" }).click()]);
    await page.getByRole("button", { name: "Issue one certificate" }).click();
    // The next attempt is refused, because the new account has no tokens.
    await page.locator("#answer", { hasText: "your account has 0" }).waitFor();
  }),
);

test("the encoding of a table is chosen by the words that look right", options, () =>
  host.visit(MANY, async (page) => {
    // "Žofie Šťastná" in the encoding of Central Europe. Western Europe reads the same bytes as "Žofie Š\u009dastná".
    const bytes = Buffer.concat([
      Buffer.from("Holder;Hours\r\n"),
      Buffer.from([0x8e]),
      Buffer.from("ofie "),
      Buffer.from([0x8a, 0x9d]),
      Buffer.from("astn"),
      Buffer.from([0xe1]),
      Buffer.from(";3\r\n"),
    ]);
    await page.locator("#file").setInputFiles(file("people.csv", bytes));
    await page.getByRole("button", { name: "No", exact: true }).click();
    const spellings = await page.locator("#spellings button").allInnerTexts();
    assert.ok(spellings.includes("Žofie, Šťastná") && spellings.includes("éofie, äùastn·"), spellings.join(" | "));
    assert.equal(new Set(spellings).size, spellings.length);
    await page.getByRole("button", { name: "Žofie, Šťastná", exact: true }).click();
    await page.locator("#columns").waitFor();
    assert.match(await page.locator("#mapping").innerText(), /Žofie Šťastná/);
    await page.locator("#file").setInputFiles(file("people.csv", bytes));
    await page.getByRole("button", { name: "No", exact: true }).click();
    await page.getByRole("button", { name: "None of these" }).click();
    assert.match((await answerOf(page)).text, /save it as “CSV UTF-8”/);
  }),
);

test("columns are recognised in each language of the pages", options, () =>
  host.visit(MANY, async (page) => {
    await page.locator("#file").setInputFiles(file("people.csv", "Titular;Stunden;Délivrée le;Ort\r\nAda;3;2026-06-30;Wien\r\n"));
    await page.locator("#columns").waitFor();
    const columns = ["Titular", "Stunden", "Délivrée le", "Ort"];
    assert.deepEqual(await Promise.all(columns.map((column) => chosen(page, column))), ["Holder", "Hours", "Issued on", "Leave out"]);
  }),
);

test("two rows are issued first, and the others on the same register", options, async () => {
  const issuer = await newIssuer();
  await host.visit(MANY, async (page) => {
    const rows = Array.from({ length: 5 }, (_, index) => rowOf(index));
    await prepare(page, file("trial.csv", csv(rows)), "Trial course");
    await signIn(page, issuer);
    await page.locator("#ledger").waitFor();
    // The domain can confirm the account here, too.
    await page.locator("#domain summary").click();
    await page.getByLabel("Your domain").fill("localhost:1");
    await page.getByRole("button", { name: "Check", exact: true }).click();
    // The server cannot be reached, so no whole file is offered in place of the one that it may have.
    await page.locator("#domain-entries").waitFor();
    assert.deepEqual(Object.keys(JSON.parse(await page.locator("#domain-file pre").innerText())), ["assertionMethod", "verificationMethod"]);
    assert.equal(await page.getByRole("button", { name: "Download did.json" }).count(), 0);
    assert.match(new URL(await page.locator("#domain-message").getAttribute("href")).searchParams.get("body"), /keep everything else in it/);
    await page.getByLabel("Folder on your website").fill(website.url("trial/"));
    await page.getByRole("button", { name: "First issue 2 to look at them" }).click();
    await page.locator("#finished").waitFor();
    assert.equal(await page.locator("#finished h2").innerText(), "2 certificates are issued");
    const first = (await assetsOf(issuer)).map(({ id }) => id);
    assert.equal(first.length, 2);
    await page.getByRole("button", { name: "Issue the other 3" }).click();
    await page.getByRole("heading", { name: "5 certificates are issued" }).waitFor();
    assert.ok(!(await page.locator("#rest").isVisible()));
    const all = (await assetsOf(issuer)).map(({ id }) => id);
    assert.deepEqual([all.length, first.every((id) => all.includes(id))], [5, true]);
    assert.equal(await page.locator("#links li").count(), 5);
  });
});

/** Performs actions of an account. */
async function performed({ client }, actions) {
  const { accountId } = client.provider;
  const { data } = await client.createOrder(
    { actions: actions.map((action) => ({ ...action, senderId: accountId })), signersIds: [accountId], payerId: accountId, wildcardSigner: false, automatedPerform: true },
    Priority.MEDIUM,
  );
  await client.waitForOrder(data.ref);
}

test("a colleague with too few tokens pays no permission, and issues after another gift", options, async () => {
  const issuer = await newIssuer();
  await host.visit(MANY, async (page) => {
    await prepare(page, file("first.csv", csv([rowOf(0)])), "Shared course");
    await signIn(page, issuer);
    await page.getByLabel("Folder on your website").fill(website.url("shared/"));
    await page.getByRole("button", { name: "Issue one certificate" }).click();
    await page.locator("#finished").waitFor();
  });
  const key = randomBytes(32).toString("hex");
  const colleague = new Client({ provider: await PrivateKeyProvider.from(key), apiUrl: new URL(host.url).origin });
  await colleague.init();
  const receiverId = colleague.provider.accountId;
  const { payment } = (await issuer.client.getAccount()).data;
  const gift = (value) => ({ kind: ActionKind.TRANSFER_VALUE, valueLedgerId: payment.tokenAddress, value: BigInt(value), receiverId });
  const {
    data: [{ id }],
  } = await issuer.client.getLedgers();
  await performed(issuer, [{ kind: ActionKind.SET_ABILITIES, assetLedgerId: id, receiverId, abilities: [Ability.ALLOW_CREATE_ASSET] }, gift(payment.assetCreateCost)]);
  await host.visit(
    MANY,
    async (page) => {
      await prepare(page, file("second.csv", csv([rowOf(1)])), "Shared course");
      await signIn(page, { keyFile: file("colleague.key.txt", `${key}\n`) });
      await page.locator("#ledger-choice").selectOption(id);
      const issue = page.getByRole("button", { name: "Issue one certificate" });
      await page.locator("#costs", { hasText: /^This costs 4\.7 tokens, 1\.7 of them once for the permission to take fees\. Your account has 3\./ }).waitFor();
      await issue.click();
      await page.locator("#answer[data-kind=unchecked]", { hasText: "This costs 4.7 tokens, 1.7 of them once" }).waitFor();
      const { data } = await colleague.getAccount();
      assert.deepEqual([data.balance, (await colleague.getApprovals()).data], [payment.assetCreateCost, []]);
      await performed(issuer, [gift(payment.dappValueApproveCost)]);
      await issue.click();
      await page.locator("#finished").waitFor();
      assert.equal((await colleague.getAccount()).data.balance, "0");
    },
    // The service refuses the orders, and says that their certificates do not exist.
    { expected: [/status of (400|422)/] },
  );
});

test("an account with given tokens alone pays the permission once, and sets up a register", options, async () => {
  const issuer = await newIssuer();
  const key = randomBytes(32).toString("hex");
  const given = new Client({ provider: await PrivateKeyProvider.from(key), apiUrl: new URL(host.url).origin });
  await given.init();
  const { payment } = (await issuer.client.getAccount()).data;
  const value = ["assetDeployCost", "assetCreateCost", "dappValueApproveCost"].reduce((sum, name) => sum + BigInt(payment[name]), 0n);
  await performed(issuer, [{ kind: ActionKind.TRANSFER_VALUE, valueLedgerId: payment.tokenAddress, value, receiverId: given.provider.accountId }]);
  await host.visit(
    MANY,
    async (page) => {
      await prepare(page, file("given.csv", csv([rowOf(0)])), "Given course");
      await signIn(page, { keyFile: file("given.key.txt", `${key}\n`) });
      await page.getByLabel("Folder on your website").fill(website.url("given/"));
      await page.locator("#costs", { hasText: "This costs 9.7 tokens, 1.7 of them once" }).waitFor();
      await page.getByRole("button", { name: "Issue one certificate" }).click();
      await page.locator("#finished").waitFor();
      assert.equal((await given.getAccount()).data.balance, "0");
      assert.equal((await given.getApprovals()).data.length, 1);
    },
    // The service refuses the first deployment, and the certificate does not exist yet.
    { expected: [/status of (400|422)/] },
  );
});

test("a price has no permission if an earlier version of the service does not tell the allowance", options, () =>
  host.visit(MANY, async (page) => {
    await page.route("**/account", async (route) => {
      const { data, ...rest } = await (await route.fetch()).json();
      const { feeAllowance: _, ...earlier } = data;
      await route.fulfill({ json: { ...rest, data: earlier } });
    });
    await prepare(page, file("earlier.csv", csv([rowOf(0)])), "Earlier course");
    await signIn(page, { keyFile: file("new.key.txt", `${randomBytes(32).toString("hex")}\n`) });
    await page.locator("#costs", { hasText: /^This costs 8 tokens\. Your account has 0\./ }).waitFor();
    await endRoutes(page);
  }),
);

test("broken rows are listed with their column and advice, and nothing can be signed", options, () =>
  host.visit(MANY, async (page) => {
    const rows = [
      ["Ada", "ada@example.com", "97,5 h", ""],
      ["", "x@example.com", "1", ""],
      ["Eve", "ada@example.com", "2", ""],
    ];
    await prepare(page, file("people.csv", `${csv(rows)}Mal\r\n`));
    await page.selectOption("#key-column", { label: "E-Mail" });
    await page.getByRole("button", { name: "Check all rows" }).click();
    await page.locator("#problems").waitFor();
    const cells = await page.locator("#problem-rows tr").allInnerTexts();
    assert.deepEqual(
      cells.map((text) => text.split(/\s*\t\s*|\n/).slice(0, 2)),
      [
        ["2", "Hours"],
        ["3", "Holder"],
        ["4", "E-Mail"],
        ["5", "–"],
      ],
    );
    assert.match(cells[0], /“97,5 h” is not a number\. Write digits, and a point before decimals, as in 97\.5\./);
    assert.match(await page.locator("#problems h2").innerText(), /^4 problems in your table$/);
    assert.ok(!(await page.locator("#signing").isVisible()));
  }),
);

test("values that a spreadsheet destroyed are confirmed, one kind at a time", options, async () => {
  const issuer = await newIssuer();
  await host.visit(MANY, async (page) => {
    const rows = [
      ["#REF!", "1.5E+1"],
      ["Ada ", "10"],
      ["Ada ", "10"],
      ["Eve", "11"],
    ];
    await prepare(page, file("people.csv", ["Holder;Hours", ...rows.map((cells) => cells.join(";"))].join("\r\n")));
    await page.locator("#form input[type=date]").first().fill("1500-06-30");
    const check = page.getByRole("button", { name: "Check all rows" });
    const again = "If they are right, press the button again.";
    for (const expected of [
      `Check these dates: row 2: Issued on is before 1600; row 3: Issued on is before 1600; row 4: Issued on is before 1600; row 5: Issued on is before 1600. ${again}`,
      `Check these error values of a spreadsheet: row 2: Holder is an error value. ${again}`,
      `Check these numbers, which a spreadsheet may have shortened: row 2: Hours is a shortened number. ${again}`,
      "Check these equal rows: row 4: the same values as row 3. If each of them needs its own certificate, press the button again. Otherwise delete the row, save the table, and drop it here again.",
      `Check these spaces: row 3: Holder has spaces around it; row 4: Holder has spaces around it. ${again}`,
    ]) {
      await check.click();
      const { kind, text } = await answerOf(page);
      assert.deepEqual([kind, text.replaceAll(/[\u2068\u2069]/g, "")], ["unchecked", `Not possible. ${expected}`]);
      assert.equal(await page.locator("#preview").isVisible(), false);
    }
    await check.click();
    await page.locator("#preview").waitFor();
    await signIn(page, issuer);
    await page.locator("#ledger").waitFor();
    await page.getByLabel("Folder on your website").fill(website.url("doubts/"));
    const { data } = await issuer.client.getLedgers();
    assert.deepEqual(data, []);
    await page.getByRole("button", { name: "Issue 4 certificates" }).click();
    await page.locator("#finished").waitFor();
    assert.equal((await assetsOf(issuer)).length, 4);
  });
});

const REFUSED = [
  ["an archive", file("list.zip", Buffer.from("PK\u0003\u0004\u0014\u0000", "latin1")), /This is an archive and no workbook\. .* save the table as an Excel workbook \(\.xlsx\)/],
  ["a damaged Excel workbook", file("list.xlsx", Buffer.from("PK\u0003\u0004 xl/workbook.xml", "latin1")), /This workbook cannot be read/],
  ["an Excel workbook with a cell in the last row", file("list.xlsx", readFileSync(new URL("../vectors/batch/workbooks/far.xlsx", import.meta.url))), /This workbook has more than 100,000 rows/],
  [
    "an OpenDocument spreadsheet that repeats a row to the last one",
    file("list.ods", readFileSync(new URL("../vectors/batch/workbooks/far.ods", import.meta.url))),
    /This workbook has more than 100,000 rows/,
  ],
  ["a PDF", file("list.pdf", "%PDF-1.7"), /This is a PDF\./],
  ["a file of 21 MB", file("list.csv", "a".repeat(21 << 20)), /The file is too large: 21\.0 MB/],
  ["2001 rows", file("list.csv", `a\n${"1\n".repeat(2001)}`), /The table has more than 2000 rows\. Split the list, or use the command-line tool/],
  ["a quotation mark that is not closed", file("list.csv", 'a,b\n"1,2\n'), /A quotation mark is not closed/],
  ["two columns of one name with a hidden character", file("list.csv", "a\u202eb,a\u202eb\n1,2\n"), /Two columns are called “a\\u\{202e\}b”/],
  ["two columns of one name", file("list.csv", "a,a\n1,2\n"), /Two columns are called “a”/],
  ["an empty file", file("list.csv", ""), /The table is empty/],
];

test("every file that is not a valid table is refused with one sentence", options, () =>
  host.visit(MANY, async (page) => {
    for (const [what, table, expected] of REFUSED) {
      await page.locator("#file").setInputFiles(table);
      await page.waitForFunction((source) => new RegExp(source).test(document.querySelector("#answer").innerText), expected.source);
      assert.match((await answerOf(page)).text, expected, what);
      assert.ok(!(await page.locator("#columns").isVisible()), what);
    }
    await page.locator("#file").setInputFiles(file("list.csv", "Holder;a,b\nAda;1,2\n"));
    await page.getByRole("button", { name: "Semicolon ;" }).click();
    assert.equal(await chosen(page, "Holder"), "Holder");
  }),
);

test("a worker that takes too long is ended, and the next task gets a new one", options, () =>
  host.visit(MANY, async (page) => {
    await serveSources(page);
    const found = await page.evaluate(async () => {
      const [{ beside }, { files }] = [await import("/lib/beside.ts"), await (await fetch("/release.json")).json()];
      const { ask } = beside(
        files.find((file) => file.startsWith("/workers/documents/table-")),
        { keepsAll: true },
      );
      // No worker loads its library within 0 ms.
      const slow = [ask("ready"), ask("ready", null, 0)].map((answer) => answer.catch(({ key }) => key));
      return [...(await Promise.all(slow)), await ask("ready", null, 120_000)];
    });
    assert.deepEqual(found, ["refusal.slow", "refusal.slow", null]);
  }),
);

test("a workbook is read below its title, and each local way of writing is confirmed once", options, () =>
  host.visit(MANY, async (page) => {
    const workbook = async (name) => file(name, await readFile(new URL(`../vectors/batch/workbooks/${name}`, import.meta.url)));
    await page.locator("#file").setInputFiles(await workbook("course.xlsx"));
    await page.locator("#columns").waitFor();
    assert.equal(await page.locator("#above").innerText(), "Row 3 names the columns. The rows above it are left out.");
    assert.equal(await chosen(page, "Name"), "Holder");

    await page.locator("#file").setInputFiles(await workbook("sheets.xlsx"));
    await page.getByRole("button", { name: "Autumn" }).waitFor();
    assert.deepEqual(await page.locator("#sheet-names button").allInnerTexts(), ["Spring", "Autumn", "Secret"]);
    await page.getByRole("button", { name: "Autumn" }).click();
    await page.locator("#columns").waitFor();
    assert.match(await page.locator("#mapping").innerText(), /Autumn/);

    await prepare(page, file("people.csv", "Holder;Hours\nAda;24,5\nEve;1.234\n"));
    const question = page.getByLabel("How the column Hours is written");
    await page.locator("#answer", { hasText: "Choose how the column “Hours” is written." }).waitFor();
    assert.deepEqual(await question.locator("option").allInnerTexts(), ["Please choose", "Comma before decimals: 24,5 → 24.5"]);
    await page.locator("#mapping li", { hasText: "24,5" }).locator("input[type=checkbox]").check();
    await question.selectOption("decimal-comma");
    await page.getByRole("button", { name: "Check all rows" }).click();
    await page.locator("#preview").waitFor();
    assert.match(await page.locator("#paper").innerText(), /24\.5/);
    await page.getByRole("button", { name: "Next row" }).click();
    assert.match(await page.locator("#paper").innerText(), /1,?234/);
    // The preview has two sides: the public one lacks the holder's name.
    assert.doesNotMatch(await page.locator("#paper").innerText(), /Eve/);
    assert.match(await page.locator("#holder-paper").innerText(), /Eve/);
    await page.getByLabel("Find a row").fill("ADA");
    assert.match(await page.locator("#holder-paper").innerText(), /Ada/);
    await page.getByLabel("Find a row").fill("nobody");
    await page.getByText("No row has this text.").waitFor();

    // The corrected table begins with the same choices, also in another tab.
    await page.goto(new URL(MANY, host.url).href);
    await listening(page);
    await prepare(page, file("corrected.csv", "holder;Hours \nAda;24,5\nEve;7\n"));
    await page.locator("#preview").waitFor();
    assert.match(await page.locator("#remembered").innerText(), /^You have chosen the meaning of these columns for an earlier table/);
    assert.match(await page.locator("#paper").innerText(), /24\.5/);
  }),
);

/** A picture of the colour red. */
const RED = Buffer.from("iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8DwHwAFBQIAX8jx0gAAAABJRU5ErkJggg==", "base64");
const picture = { name: "picture.png", mimeType: "image/png", buffer: RED };

test("the issuer chooses how certificates are printed, and the browser remembers it for the template", options, async () => {
  const issuer = await newIssuer();
  await host.visit(MANY, async (page) => {
    await prepare(page, file("two.csv", csv([rowOf(0), rowOf(1)])));
    await signIn(page, issuer);
    await page.locator("#ledger").waitFor();
    await page.getByLabel("Folder on your website").fill(website.url("designed/"));
    await page.getByRole("button", { name: "Issue 2 certificates" }).click();
    await page.locator("#finished").waitFor();
    await page.evaluate(() => (window.print = () => dispatchEvent(new Event("beforeprint"))));
    const ask = () => page.getByRole("button", { name: "Print all certificates" }).click();
    await ask();
    const preview = page.locator("#design .sample .paper");
    assert.equal(await preview.getAttribute("data-layout"), "portrait");
    assert.match(await preview.innerText(), /Signature/);
    await shoot(page, "design-portrait");
    await page.getByLabel("Landscape").check();
    await page.getByLabel("Colour").fill("#204080");
    await page.getByLabel("Choose a logo").setInputFiles(picture);
    await page.locator("#design .sample .logo").waitFor();
    await page.getByLabel("Choose a picture of the signature").setInputFiles(picture);
    await page.locator("#design .sample .sign img").waitFor();
    await page.getByLabel("Name and role below the signature").fill("Dr Grace Example, Dean");
    await page.getByLabel("Choose a logo").setInputFiles({ ...picture, buffer: Buffer.from("no picture") });
    await page.getByText("This picture could not be read").waitFor();
    await shoot(page, "design-landscape");
    await page.locator("#print-now").click();
    const sheet = page.locator("#printed .paper").first();
    await sheet.waitFor({ state: "attached" });
    assert.equal(await page.locator("#design").count(), 0);
    await page.emulateMedia({ media: "print" });
    assert.equal(await page.locator("#printed .paper").count(), 2);
    const words = await sheet.innerText();
    for (const part of [rowOf(0)[0], "Dr Grace Example, Dean", "Check before you rely on it", new URL(host.url).host]) assert.ok(words.includes(part), words);
    assert.deepEqual(await sheet.evaluate((one) => [one.dataset.layout, one.style.getPropertyValue("--accent")]), ["landscape", "#204080"]);
    for (const part of [".logo", ".sign img", ".code svg", ".number"]) assert.ok(await sheet.locator(part).isVisible(), part);
    const pdf = await page.pdf({ preferCSSPageSize: true });
    assert.equal(pdf.toString("latin1").match(/\/Type\s*\/Page[^s]/g).length, 2);
    await page.emulateMedia({ media: "screen" });
    await page.evaluate(() => dispatchEvent(new Event("afterprint")));

    await ask();
    assert.equal(await preview.getAttribute("data-layout"), "landscape");
    assert.match(await preview.innerText(), /Dr Grace Example, Dean/);
    const [archive] = await Promise.all([page.waitForEvent("download"), page.locator("#pdf-now").click()]);
    const pdfs = Object.entries(unzipSync(await readFile(await archive.path())));
    assert.deepEqual(
      pdfs.map(([name]) => name.replace(/^(\d+-zoe-muller-\d)-.*(\.pdf)$/, "$1$2")),
      ["001-zoe-muller-0.pdf", "002-zoe-muller-1.pdf"],
    );
    for (const [index, [, bytes]] of pdfs.entries()) assert.ok((await certificateIn(new Uint8Array(bytes))).includes(rowOf(index)[0]));
    await ask();
    await page.locator("#no-logo").click();
    assert.equal(await preview.locator(".logo").count(), 0);
    await page.getByRole("button", { name: "Start over" }).click();
    assert.equal(await preview.getAttribute("data-layout"), "portrait");
    await page.keyboard.press("Escape");
    await page.locator("#design").waitFor({ state: "detached" });
    assert.equal(await page.locator("#printed .paper").count(), 0);
  });
});

test("a stored design of another form is replaced by the default", () => {
  const stored = { layout: "round", colour: "red;}", logo: "https://evil.example/x.png", signature: "data:image/svg+xml,<svg/>", signer: 7 };
  assert.deepEqual(parsed(stored), DEFAULT);
  assert.deepEqual(parsed(null), DEFAULT);
  const own = { layout: "landscape", colour: "#204080", logo: "data:image/jpeg;base64,/9j/4A==", signature: null, signer: "Dean" };
  assert.deepEqual(parsed(own), own);
});

test("a logo that does not load is left out of print", options, async () => {
  const svg = { contentType: "image/svg+xml", body: '<svg xmlns="http://www.w3.org/2000/svg" width="9" height="9"/>' };
  for (const [logo, count] of [
    [svg, 1],
    [{ status: 404, body: "" }, 0],
    [{ contentType: "text/html", body: "<p>" }, 0],
  ]) {
    await host.visit(
      ISSUED,
      async (page) => {
        await serveSources(page);
        const printed = await page.evaluate(async () => {
          const [{ printSheets }, { certificateOf }, { DEFAULT }] = [await import("/lib/sheets.ts"), await import("/pkg/view/src/model.ts"), await import("/lib/design.ts")];
          const issuer = { account: `0x${"1".repeat(40)}`, confirmed: true, domain: "uni.example", name: "University", logo: "https://uni.example/logo.svg" };
          let found = null;
          window.print = () => (found = document.querySelectorAll("#printed img.logo").length);
          const certificate = certificateOf({ schema: { type: "object" }, fields: [], locale: "en" });
          await printSheets(document.getElementById("printed"), [{ certificate, link: "https://uni.example/c/1", proving: null, issuer, issuedAt: null, level: 2 }], DEFAULT);
          return found;
        });
        assert.equal(printed, count);
      },
      { routes: { "https://uni.example/logo.svg": logo }, expected: [/404/] },
    );
  }
});
