// The page that issues a certificate, as an office clerk uses it, with a key file and with a wallet.
import assert from "node:assert/strict";
import { randomBytes } from "node:crypto";
import { readFile } from "node:fs/promises";
import { after, before, test } from "node:test";
import { Cert } from "@assay/cert/aih2";
import { Client, PrivateKeyProvider } from "@assay/client";
import { readFile as readCertificateFile } from "../../www/lib/file.ts";
import { Host } from "../demo/host.mjs";
import { drop, file, listening, reload, shoot, skip, start } from "./browser.mjs";

const options = { skip };
const PAGE = "/issue/?lang=en";
/** The organisation's key. The service's operator confirms its account. */
const KEY = randomBytes(32).toString("hex");
const { accountId: ACCOUNT } = await PrivateKeyProvider.from(KEY);

let site;
let host;
before(async () => {
  if (skip) return;
  site = await start({ vars: { ENVIRONMENT: "development", PAYMENTS: "off", ALLOW_PRIVATE_FETCH: "true", BADGE_CACHE_SECONDS: "1", CONFIRMED_ACCOUNTS: `${ACCOUNT} University of Example` } });
  host = await Host.start();
});
after(async () => {
  await host?.stop();
  await site?.stop();
});

const field = (page, name) => page.locator("#form").getByLabel(name, { exact: true });

async function chooseCourse(page, holder = "Ada Example") {
  await page.getByRole("radio", { name: "Course certificate" }).press("Space");
  await field(page, "Course required").fill("Applied Cryptography");
  await field(page, "Holder required").fill(holder);
}

async function openKeyFile(page, key = KEY) {
  await page.getByLabel("Open a key file").setInputFiles(file("uni.key.txt", `${key}\n`));
  await page.locator("#ledger").waitFor();
}

/** Presses the button that issues the certificate. Returns null if it is issued, otherwise the page's message. */
async function issue(page) {
  await page.getByRole("button", { name: "Issue the certificate" }).press("Enter");
  await page.locator("#done:not([hidden]), #answer:not([hidden]):not([data-kind=busy])").first().waitFor();
  return (await page.locator("#done").isVisible()) ? null : page.locator("#answer").innerText();
}

async function saved(page, button) {
  const [download] = await Promise.all([page.waitForEvent("download"), button.click()]);
  return { name: download.suggestedFilename(), text: await readFile(await download.path(), "utf8") };
}

/** Puts the public files at the addresses that the page names. */
async function upload(page) {
  for (const item of await page.locator("#files li").all()) {
    const { name, text } = await saved(page, item.getByRole("button"));
    const address = await item.locator(".hint").innerText();
    assert.ok(address.endsWith(`/${name}`), address);
    host.serve(new URL(address).pathname.slice(1), JSON.parse(text));
  }
}

/** Returns the verdict and the text of a certificate's own page. */
async function certificatePage(page, link) {
  await page.goto(`${link}?lang=en`);
  await page.locator(".checked", { hasText: "Checked by your browser" }).waitFor();
  return { code: await page.locator(".verdict").getAttribute("data-code"), text: await page.locator("#view").innerText() };
}

test("a certificate that is over already is issued only after a second press", options, () =>
  site.visit(PAGE, async (page) => {
    await chooseCourse(page);
    await field(page, "Valid until").fill("2001-11-20");
    // Another account, because the next tests need an account without a register.
    await openKeyFile(page, randomBytes(32).toString("hex"));
    await page.fill("#folder", host.url("courses"));
    const doubt = /Check these dates: .?Valid until.? has passed already\. If they are right, press the button again\./;
    assert.match(await issue(page), doubt);
    await shoot(page, "expired-before-issuing");
    // Another change of the document asks again.
    await field(page, "Valid until").fill("2001-11-21");
    assert.match(await issue(page), doubt);
    assert.equal(await issue(page), null);
  }),
);

test("a clerk issues a certificate with a key file, and its link is valid", options, () =>
  site.visit(PAGE, async (page) => {
    await chooseCourse(page);
    await field(page, "Hours").fill("96");
    assert.match(await page.locator("#paper").innerText(), /Applied Cryptography[^]*Not shown: /);
    assert.doesNotMatch(await page.locator("#paper").innerText(), /Ada Example/);
    await openKeyFile(page);
    assert.equal(await page.locator("#sign-in code").innerText(), ACCOUNT);
    await page.fill("#folder", host.url("courses"));
    assert.equal(await issue(page), null);
    await upload(page);
    const holders = await saved(page, page.getByRole("button", { name: "Save the holder’s file" }));
    assert.match(holders.name, /^applied-cryptography-\d+\.private\.assay\.json$/);
    const { ledger, asset, imprint, schema, document, evidence, service } = readCertificateFile(holders.text);
    assert.deepEqual([service, document.holder, document.hours, document.ledgerId, document.assetId], [new URL(site.url).origin, "Ada Example", 96, ledger, asset]);
    // Ids are random, so nobody can list certificates by counting.
    assert.ok(BigInt(asset) > 1n << 64n);
    assert.ok((await new Cert({ schema }).verify(document, evidence, imprint)).valid);
    const link = await page.locator("#link").innerText();
    assert.equal(link, new URL(`/c/${ledger}/${asset}`, site.url).href);
    const { code, text } = await certificatePage(page, link);
    assert.equal(code, "valid-by-operator");
    assert.match(text, /University of Example[^]*Applied Cryptography[^]*Not shown: /);
    // Fields that nobody filled in are proven to be empty.
    assert.doesNotMatch(text, /Not shown: .*(?:Grade|Achievement|Valid until)/);
    // The certificate's random id may contain the digits 96, so the pattern needs word boundaries.
    assert.doesNotMatch(text, /Ada Example|\b96\b/);
    // The holder opens the file, and shows everything.
    await page.goto(new URL("/share/?lang=en", site.url).href);
    await page.locator("#ready:not(:empty)").waitFor();
    await drop(page, "body", [file(holders.name, holders.text)]);
    await page.getByRole("button", { name: "Tick all" }).click();
    await page.locator("#paper", { hasText: "Ada Example" }).waitFor();
  }),
);

/** Deploys, as a stranger, a copy of the account's newest ledger with another website. The account owns the copy. Returns the ledger's name. */
async function plantLedger() {
  const clientOf = async (key) => {
    const client = new Client({ provider: await PrivateKeyProvider.from(key), apiUrl: new URL(site.url).origin });
    await client.init();
    return client;
  };
  const [owner, stranger] = [await clientOf(KEY), await clientOf(randomBytes(32).toString("hex"))];
  const {
    data: [{ name, symbol, schemaId, capabilities }],
  } = await owner.getLedgers();
  const planted = { name, symbol, schemaId, capabilities, uriPrefix: "https://forger.example/", uriPostfix: "", ownerId: ACCOUNT };
  const {
    data: { ref },
  } = await stranger.createDeployment(planted, 1);
  await stranger.waitForDeployment(ref);
  return name;
}

test("a wallet signs, and the second certificate uses the same register", options, () =>
  site.visit(PAGE, async (page) => {
    const provider = await PrivateKeyProvider.from(KEY);
    const asked = [];
    await page.exposeFunction("walletRequest", async ({ method, params }) => {
      asked.push(method);
      return method === "eth_requestAccounts" ? [ACCOUNT.toLowerCase()] : provider.sign(params[0]);
    });
    await page.addInitScript(() => {
      const announce = () =>
        dispatchEvent(new CustomEvent("eip6963:announceProvider", { detail: { info: { uuid: "1", name: "Wallet One" }, provider: { request: (call) => window.walletRequest(call) } } }));
      addEventListener("eip6963:requestProvider", announce);
    });
    const name = await plantLedger();
    await reload(page);
    await chooseCourse(page, "Grace Example");
    await page.getByRole("button", { name: "Use Wallet One" }).click();
    await page.locator("#ledger").waitFor();
    // The register of the first certificate is offered.
    assert.equal((await page.locator("#ledger-choice").inputValue()) !== "", true);
    // Ledgers that strangers deployed come after the option for a new register.
    const offered = await page.locator("#ledger-choice option").allInnerTexts();
    assert.equal(offered[0], `${name} (${new URL(host.url("")).host})`);
    assert.deepEqual(offered.slice(-2), ["Set up a new register", `${name} (forger.example) – set up for you by another account`]);
    assert.equal(await issue(page), null);
    // The session takes one signature, and the order another one.
    assert.deepEqual(asked, ["eth_requestAccounts", "personal_sign", "personal_sign"]);
    const first = await page.locator("#link").innerText();
    await upload(page);
    // Another certificate can be issued only after the holder's file is saved, because that file exists nowhere else.
    await page.getByRole("button", { name: "Issue another one" }).click();
    assert.match(await page.locator("#file-saved").innerText(), /Save this file first/);
    await saved(page, page.getByRole("button", { name: "Save the holder’s file" }));
    await page.getByRole("button", { name: "They are there: check now" }).click();
    await page.locator("[data-code=valid-by-operator]").waitFor();
    await page.getByRole("button", { name: "Issue another one" }).click();
    assert.equal(await field(page, "Holder required").inputValue(), "");
    assert.equal((await certificatePage(page, first)).code, "valid-by-operator");
  }),
);

/** Issues a course certificate on the page in a language. Returns its link, and the register that was offered first. */
async function issueIn(page, language, key, [course, holder]) {
  await page.goto(new URL(`/issue/?lang=${language}`, site.url).href);
  await listening(page);
  await page.locator("[name=template][value=course]").press("Space");
  await page.locator("#form").getByLabel(course).first().fill("Applied Cryptography");
  await page.locator("#form").getByLabel(holder).first().fill("Ada Example");
  await page.locator("#sign-in input[type=file]").setInputFiles(file("uni.key.txt", `${key}\n`));
  await page.locator("#ledger").waitFor();
  const offered = await page.locator("#ledger-choice").inputValue();
  if (offered === "") await page.fill("#folder", host.url("languages"));
  await page.locator("#issue").press("Enter");
  await page.locator("#done").waitFor();
  await upload(page);
  // The page asks before it is left with a file that was not saved.
  await saved(page, page.locator("#save-file"));
  return { link: await page.locator("#link").innerText(), offered };
}

test("a register goes on in every language, and labels are in the reader's", options, () =>
  site.visit("/issue/?lang=de", async (page) => {
    const key = randomBytes(32).toString("hex");
    const first = await issueIn(page, "de", key, ["Kurs", "Inhaber"]);
    assert.equal(first.offered, "");
    const [, ledger] = /\/c\/(0x[0-9a-fA-F]{40})\//.exec(first.link);
    const second = await issueIn(page, "fr", key, ["Formation", "Titulaire"]);
    assert.equal(second.offered.toLowerCase(), ledger.toLowerCase());
    assert.equal(second.link.split("/").at(-2).toLowerCase(), ledger.toLowerCase());
    // The table page offers the same register.
    await page.goto(new URL("/issue/many/?lang=es", site.url).href);
    await listening(page);
    await page.locator("#file").setInputFiles({ name: "people.csv", mimeType: "text/csv", buffer: Buffer.from("Titular,Horas\r\nAda,10\r\n") });
    await page.locator("#form").getByLabel("Curso").first().fill("Applied Cryptography");
    await page.locator("#form input[type=date]").first().fill("2026-06-30");
    await page.locator("#check").click();
    await page.locator("#sign-in input[type=file]").setInputFiles(file("uni.key.txt", `${key}\n`));
    await page.locator("#ledger").waitFor();
    assert.equal((await page.locator("#ledger-choice").inputValue()).toLowerCase(), ledger.toLowerCase());
    await page.locator("#issue").press("Enter");
    await page.locator("#finished").waitFor();
    // The certified titles are German, and each reader sees the own language.
    for (const { link } of [first, second]) {
      for (const [language, label] of [
        ["fr", "Délivrée le"],
        ["en", "Issued on"],
        ["de", "Ausgestellt am"],
      ]) {
        await page.goto(`${link}?lang=${language}`);
        await page.locator(".verdict[data-code=issuer-not-confirmed]").waitFor();
        await page.locator("#view .paper dt", { hasText: label }).waitFor();
      }
    }
  }),
);

test("a service that hosts files publishes them, and the picture is on the certificate", options, async () => {
  const hosting = await start({ vars: { ENVIRONMENT: "development", PAYMENTS: "off", FILES: "on" } });
  try {
    await hosting.visit(PAGE, async (page) => {
      await page.getByRole("radio", { name: "Certificate of authenticity" }).check();
      await field(page, "Title required").fill("Waterfall");
      await field(page, "Artist required").fill("Ada Example");
      const png = await page.evaluate(() => {
        const canvas = Object.assign(document.createElement("canvas"), { width: 1200, height: 600 });
        canvas.getContext("2d").fillRect(0, 0, 600, 600);
        return canvas.toDataURL("image/png").split(",")[1];
      });
      await field(page, "Picture").setInputFiles({ name: "a.png", mimeType: "image/png", buffer: Buffer.from(png, "base64") });
      await page.locator("#paper img").waitFor();
      // The page scales a large picture down.
      assert.deepEqual(await page.locator("#paper img").evaluate(({ naturalWidth, naturalHeight }) => [naturalWidth, naturalHeight]), [900, 450]);
      await field(page, "Picture").setInputFiles(file("a.png", "no picture"));
      await page.getByText("This picture could not be read.").waitFor();
      await openKeyFile(page);
      assert.ok(!(await page.locator("#folder").isVisible()));
      assert.equal(await issue(page), null);
      assert.ok(!(await page.locator("#publish").isVisible()));
      await saved(page, page.getByRole("button", { name: "Save the holder’s file" }));
      const { code, text } = await certificatePage(page, await page.locator("#link").innerText());
      assert.equal(code, "issuer-not-confirmed");
      assert.match(text, /Waterfall[^]*Ada Example/);
      assert.ok(await page.locator("#view .paper img.picture").evaluate(({ src, naturalWidth }) => src.startsWith("data:image/jpeg") && naturalWidth === 900));
    });
  } finally {
    await hosting.stop();
  }
});

test("a schema as Pydantic writes it becomes a form, with a warning about parts that are shown whole", options, () =>
  site.visit(PAGE, async (page) => {
    const person = {
      type: "object",
      properties: { first: { type: "string" }, born: { anyOf: [{ type: "integer" }, { type: "null" }] }, parent: { anyOf: [{ $ref: "#/$defs/Person" }, { type: "null" }] } },
    };
    const properties = { name: { type: "string" }, level: { $ref: "#/$defs/Level" }, points: { anyOf: [{ type: "number" }, { type: "null" }] }, holder: { $ref: "#/$defs/Person" } };
    await page.getByRole("radio", { name: "Something else" }).check();
    await page.fill("#example", JSON.stringify({ type: "object", properties, $defs: { Person: person, Level: { enum: [1, 2], type: "integer" } } }));
    await page.fill("#kind", "Level certificate");
    await page.getByRole("button", { name: "Make the form" }).click();
    await page.locator("#shown-whole", { hasText: "Can be made public only as a whole, because the schema describes it by $ref, anyOf or a similar keyword: holder." }).waitFor();
    for (const [name, value] of [
      ["name", "Logic"],
      ["points", "9.5"],
      ["first", "Ada"],
      ["born", "1815"],
    ])
      await field(page, name).fill(value);
    await field(page, "level").selectOption("2");
    assert.equal(await page.locator("#form").getByText("parent").count(), 0);
    assert.equal(await page.getByLabel("Public: first").count(), 0);
    await page.getByLabel("Public: holder").check();
    await openKeyFile(page, randomBytes(32).toString("hex"));
    await page.fill("#folder", host.url("levels"));
    assert.equal(await issue(page), null);
    const { text } = await saved(page, page.getByRole("button", { name: "Save the holder’s file" }));
    const { ledgerId, assetId, ...document } = JSON.parse(text).document;
    assert.deepEqual(document, { name: "Logic", level: 2, points: 9.5, holder: { first: "Ada", born: 1815 } });
    // A template without such parts has no warning.
    await reload(page);
    await chooseCourse(page);
    assert.equal(await page.locator("#shown-whole").innerText(), "");
  }),
);

test("repeated attempts after network failures create one register and one certificate", options, () =>
  site.visit(
    PAGE,
    async (page) => {
      await page.getByRole("radio", { name: "Something else" }).check();
      await page.fill("#example", JSON.stringify({ name: "Ada", born: "1815-12-10", marks: [{ subject: "Logic", points: 9.5 }] }));
      await page.fill("#kind", "Report");
      await page.getByRole("button", { name: "Make the form" }).click();
      assert.equal(await field(page, "Points").inputValue(), "9.5");
      await page.getByRole("button", { name: "Add an entry" }).click();
      await field(page, "Subject").nth(1).fill("Music");
      await page.getByLabel("Public: Marks").check();
      assert.match(await page.locator("#paper").innerText(), /Logic\s+9\.5\s+Music/);
      await page.getByRole("button", { name: "Remove entry 2" }).click();
      assert.doesNotMatch(await page.locator("#paper").innerText(), /Music/);
      await openKeyFile(page);
      await page.fill("#folder", host.url("reports/"));
      // The service gets the deployment, and then the order, but their answers are lost.
      const sent = new Set();
      for (const path of ["**/deployments", "**/orders"]) {
        await page.route(path, async (route) => {
          sent.add(route.request().postData());
          await route.fetch();
          await route.abort();
        });
        assert.match((await issue(page)) ?? "", /The service does not answer\./);
        await page.unroute(path);
        await page.route(path, () => assert.fail(`a second request to ${path}`));
      }
      assert.equal(sent.size, 2);
      assert.equal(await issue(page), null);
      await saved(page, page.getByRole("button", { name: "Save the holder’s file" }));
    },
    { expected: [/ERR_FAILED/] },
  ),
);

test("each mistake is reported in one sentence, at its field or below the form", options, () =>
  site.visit(PAGE, async (page) => {
    await chooseCourse(page, "");
    await field(page, "Hours").fill("many");
    await page.getByRole("button", { name: "Use a wallet" }).click();
    await page.locator("#sign-in .answer", { hasText: "There is no wallet in this browser." }).waitFor();
    await page.getByLabel("Open a key file").setInputFiles(file("wrong.txt", "secret"));
    await page.locator("#sign-in .answer", { hasText: "This is not a key file" }).waitFor();
    await page.getByRole("button", { name: "Make a new key" }).click();
    await page.locator("#ledger").waitFor();
    assert.match(await issue(page), /2 fields need your attention/);
    assert.deepEqual(await page.locator(".problem:not(:empty)").allInnerTexts(), ["Fill in this field.", "Enter a number, such as 12."]);
    assert.equal(await page.evaluate(() => document.activeElement.labels[0].innerText), "Holder required");
    await field(page, "Holder required").fill("Ada");
    await field(page, "Hours").fill("12");
    assert.match(await issue(page), /Save the key file of your new account first\./);
    const key = await saved(page, page.getByRole("button", { name: "Save the key file" }));
    assert.match(key.text, /^[0-9a-f]{64}\n$/);
    for (const [folder, sentence] of [
      ["", /Enter the address of a folder/],
      ["http://uni.example/", /Enter the address of a folder/],
    ]) {
      await page.fill("#folder", folder);
      assert.match(await issue(page), sentence);
    }
    for (const name of ["Course", "Achievement", "Issued on", "Valid until"]) await page.getByLabel(`Public: ${name}`).uncheck();
    assert.match(await issue(page), /Make at least one filled-in field public/);
    assert.deepEqual(await page.evaluate(() => ({ ...localStorage, ...sessionStorage })), {});
  }),
);

test("the page shows what a domain has to publish, and the domain then confirms the account", options, () =>
  site.visit(
    PAGE,
    async (page) => {
      const check = async (domain) => {
        await page.fill("#domain-name", domain);
        await page.getByRole("button", { name: "Check", exact: true }).click();
        await page.locator("#domain-answer", { hasText: `${domain} ` }).waitFor();
        return page.locator("#domain-answer").innerText();
      };
      await chooseCourse(page);
      const first = randomBytes(32).toString("hex");
      await openKeyFile(page, first);
      await page.locator("#domain summary").click();
      const { port } = new URL(host.url(""));
      assert.equal(await check(`localhost:${port}`), `localhost:${port} does not confirm you yet.`);
      // The file is published as it is, so it appears only with a name.
      const problem = page.locator("#organisation-problem");
      const download = page.getByRole("button", { name: "Download did.json" });
      assert.match(await problem.innerText(), /^Enter the name of your organisation/);
      assert.ok(!(await download.isVisible()) && !(await page.locator("#domain-file pre").isVisible()));
      for (const [title, logo, sentence] of [
        ["University\u202e", "", /cannot be shown/],
        ["x".repeat(101), "", /at most 100/],
        ["University", "logo.svg", /has to start with http:\/\/localhost/],
        ["University", "https://elsewhere.example/logo.svg", /has to start/],
      ]) {
        await page.getByLabel("Name of your organisation").fill(title);
        await page.getByLabel("Address of your logo").fill(logo);
        assert.match(await problem.innerText(), sentence);
        assert.ok(!(await download.isVisible()));
      }
      await page.getByLabel("Address of your logo").fill("");
      assert.deepEqual(JSON.parse((await saved(page, download)).text).service[0].serviceEndpoint, { name: "University" });
      await page.getByLabel("Name of your organisation").fill(" University of <Example> ");
      await page.getByLabel("Address of your logo").fill(host.url("logo.svg").replace("127.0.0.1", "localhost"));
      for (const contact of ["registrar", "mailto:registrar@uni.example", "https://elsewhere.example/contact"]) {
        await page.getByLabel("Contact for questions").fill(contact);
        assert.match(await problem.innerText(), /^The contact has to be an e-mail address, or start with http:\/\/localhost/);
      }
      await page.getByLabel("Contact for questions").fill(" registrar@uni.example ");
      assert.equal(await problem.innerText(), "");
      const { name, text } = await saved(page, download);
      assert.equal(name, "did.json");
      assert.doesNotMatch(text, /your organisation/i);
      assert.equal(JSON.parse(text).service[0].serviceEndpoint.contact, "registrar@uni.example");
      assert.match(await page.locator("#domain-record").innerText(), /_assay\.[^]*did=did:pkh:eip155:1:0x/);
      const message = new URL(await page.locator("#domain-message").getAttribute("href"));
      assert.ok(message.href.length <= 2083, `${message.href.length} characters`);
      assert.match(message.searchParams.get("body"), /This file at http[^]*did\.json[^]*"University of <Example>"[^]*TXT record for _assay\.[^]*did=did:pkh:eip155:1:0x/);
      // The service caches its answer about a domain for ten seconds, so the test publishes the file for another name of this machine.
      host.serve(".well-known/did.json", JSON.parse(text.replaceAll("localhost", "127.0.0.1")));
      assert.equal(await check(`127.0.0.1:${port}`), `127.0.0.1:${port} confirms you.`);
      assert.ok(!(await page.locator("#domain-ways").isVisible()));
      // The published values can still be changed.
      await page.locator("#domain-change summary").click();
      assert.equal(await page.getByLabel("Name of your organisation").inputValue(), "University of <Example>");
      await page.getByLabel("Contact for questions").fill("office@uni.example");
      const changed = JSON.parse((await saved(page, download)).text);
      assert.equal(changed.service[0].serviceEndpoint.contact, "office@uni.example");
      assert.equal(changed.verificationMethod.length, 1);
      host.serve(".well-known/did.json", changed);
      await page.locator("#domain-change summary").click();
      // The logo does not exist, so the certificate shows the name alone.
      await page.fill("#folder", host.url("domain"));
      assert.equal(await issue(page), null);
      await upload(page);
      await saved(page, page.getByRole("button", { name: "Save the holder’s file" }));
      await page.getByRole("button", { name: "They are there: check now" }).click();
      await page.locator("#view .verdict[data-code=valid]").waitFor();
      await page.locator("#view .issuer", { hasText: "University of <Example>" }).waitFor();
      await page.locator("#view .logo").waitFor({ state: "detached" });
      const certificate = await page.locator("#link").innerText();
      await page.getByRole("button", { name: "Issue another one" }).click();
      await page.getByRole("button", { name: "Use another account" }).click();
      assert.ok(await page.getByLabel("Open a key file").isVisible());
      // The page adds a second account to the published file, and fills the fields with the published values.
      const key = randomBytes(32).toString("hex");
      await openKeyFile(page, key);
      if (!(await page.locator("#domain").evaluate((details) => details.open))) await page.locator("#domain-state").click();
      assert.equal(await check(`127.0.0.1:${port}`), `127.0.0.1:${port} does not confirm you yet.`);
      assert.equal(await page.getByLabel("Contact for questions").inputValue(), "office@uni.example");
      const both = JSON.parse((await saved(page, download)).text);
      assert.deepEqual(both.service, changed.service);
      assert.deepEqual(
        both.verificationMethod.map(({ blockchainAccountId }) => blockchainAccountId),
        [changed.verificationMethod[0].blockchainAccountId, `eip155:1:${(await PrivateKeyProvider.from(key)).accountId}`],
      );
      host.serve(".well-known/did.json", both);
      await page.goto(certificate);
      await page.locator("#view .verdict[data-code=valid]").waitFor();
      await page.locator("#view .issuer-check", { hasText: "browser read" }).waitFor({ state: "attached" });
      // The console changes what the file says of a confirmed account, and removes the domain.
      await page.goto(new URL("/console/?lang=en#organisation", site.url).href);
      await listening(page);
      await page.getByLabel("Open a key file").setInputFiles(file("uni.key.txt", `${first}\n`));
      await page.locator("#standing[data-standing=confirmed]").waitFor();
      await page.click("#change-organisation");
      await page.waitForFunction(() => document.activeElement.id === "organisation");
      // The service may still have an earlier version of the file in its cache.
      assert.match(await page.getByLabel("Contact for questions").inputValue(), /^(registrar|office)@uni\.example$/);
      await page.getByLabel("Name of your organisation").fill("University of Change");
      const named = JSON.parse((await saved(page, download)).text);
      assert.deepEqual([named.service[0].serviceEndpoint.name, named.verificationMethod[0]], ["University of Change", both.verificationMethod[0]]);
      await shoot(page, "organisation-change");
      page.once("dialog", (dialog) => dialog.accept());
      await page.click("#remove-domain");
      await page.locator("#standing[data-standing=none]").waitFor();
      // The list of certificates says at once what strangers see now.
      await page.goto(new URL("/console/?lang=en#certificates", site.url).href);
      await page.locator("#strangers").waitFor();
    },
    { expected: [/logo\.svg' violates/] },
  ),
);
