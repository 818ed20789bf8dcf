// The part of a certificate's page for its holder: to keep the certificate, to show a part of it, and to have it corrected.
import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { after, before, test } from "node:test";
import { Cert as First } from "@assay/cert";
import { evidence as evidenceFile } from "@assay/cert/conventions";
import { Cert } from "@assay/cert/aih2";
import { toCompact } from "../../www/lib/compact.ts";
import { fromFragment, readFile as readCertificateFile, toFragment, writeFile } from "../../www/lib/file.ts";
import { linkedInAddress } from "../../www/lib/linkedin.ts";
import { drop, file, shoot, skip, start } from "./browser.mjs";
import { readCode } from "./qr.mjs";
import { STATES, answer, cert, certificateFile, data, didFile, evidence, imprint, ledgerId, metadata, record, report, schema } from "./shared.mjs";

const options = { skip };
let host;
before(async () => {
  if (!skip) host = await start();
});
after(() => host?.stop());

const PAGE = `/c/${ledgerId}/1?lang=en`;
/** The public files do not show the holder. */
const OPEN = { metadata, evidence };
const whole = async () => toFragment({ schema, document: data, evidence: await cert.notarize(data) });

/** Opens the page with the whole certificate, or another address, and waits for the holder's part. */
const visit = async (act, { changes = {}, address, routes = {}, ...more } = {}) =>
  host.visit(
    address ?? `${PAGE}#${await whole()}`,
    async (page) => {
      await page.locator(".holders .tree input").first().waitFor();
      await act(page);
    },
    { routes: { "**/badge.json?*": answer({ ...OPEN, ...changes }), ...routes }, ...more },
  );

const part = (page) => page.locator(".holders");
const button = (page, name) => part(page).getByRole("button", { name });
const box = (page, name) => page.locator(".tree label", { has: page.getByText(name, { exact: true }) }).locator("input");

async function make(page) {
  await button(page, "Make the link").click();
  await page.locator(".made").waitFor();
}

test("the whole certificate has a part for its holder", options, () =>
  visit(async (page) => {
    const text = await part(page).innerText();
    assert.match(text, /^Is this your certificate\?\s+This copy shows all of it/);
    for (const heading of ["Keep it", "Show a part of it", "Is something wrong?"]) assert.ok(await part(page).getByRole("heading", { name: heading }).isVisible());
    assert.doesNotMatch(await page.locator(".below").innerText(), /The holder shows you this part/);
    assert.equal(await page.getByRole("button", { name: "Download as a file" }).count(), 1);
    await shoot(page, "holder");
  }),
);

test("only the holder's whole copy has this part", options, async () => {
  const shownPart = await toFragment({ ...(await certificateFile([["name"], ["holder", "name"]])), document: null });
  // Everything but the last grade.
  const { grades, ...others } = data;
  const paths = [...Object.keys(others).map((key) => [key]), ["grades", 0], ["grades", 1]];
  const cut = await toFragment({ schema, document: null, evidence: await cert.disclose(data, paths) });
  const printed = await toCompact({ schema, document: data, evidence: await cert.notarize(data) }, { ledger: ledgerId, asset: "1" });
  for (const [address, changes] of [
    [PAGE, {}],
    [`${PAGE}#${shownPart}`, {}],
    [`${PAGE}#${cut}`, {}],
    // Anybody can scan a printed code.
    [`${PAGE}#${printed}`, {}],
    [`${PAGE}&embed#${await whole()}`, {}],
    // The copy does not match the record.
    [`${PAGE}#${await whole()}`, { asset: { ...record, imprint: "0".repeat(64) } }],
    // Everything is public.
    [`${PAGE}#${await whole()}`, { metadata: data, evidence: await cert.notarize(data) }],
  ]) {
    await host.visit(
      address,
      async (page) => {
        await page.locator(".next").waitFor();
        await page.locator(".checked", { hasText: /Checked by/ }).waitFor();
        await page.evaluate(() => new Promise((resolve) => requestIdleCallback(resolve)));
        assert.equal(await page.locator(".holders").count(), 0, `${JSON.stringify(changes).slice(0, 40)} ${address.slice(0, 90)}`);
      },
      { routes: { "**/badge.json?*": answer({ ...OPEN, ...changes }) } },
    );
  }
});

test("a replaced copy of the holder cannot be saved, and leads to the current certificate", options, async () => {
  const past = { imprint, endedAt: "2026-10-02T00:00:00.000Z", withdrawn: false };
  await host.visit(
    `${PAGE}#${await whole()}`,
    async (page) => {
      await page.locator("[data-code=replaced] .next").waitFor();
      await page.locator(".checked", { hasText: "Checked by your browser" }).waitFor();
      assert.equal(await page.getByRole("link", { name: "Open the current certificate" }).getAttribute("href"), `/c/${ledgerId}/1`);
      for (const name of ["Download as a file", "Save as a page"]) assert.equal(await page.getByRole("button", { name }).count(), 0);
      assert.equal(await page.locator(".holders").count(), 0);
    },
    { routes: { "**/badge.json?*": answer({ ...OPEN, asset: { ...record, imprint: "0".repeat(64), pastImprints: [past] } }) } },
  );
});

test("the holder saves the private file", options, () =>
  visit(async (page) => {
    const [download] = await Promise.all([page.waitForEvent("download"), button(page, "Download as a file").click()]);
    assert.equal(download.suggestedFilename(), "applied-cryptography-advanced-course-1.private.assay.json");
    const saved = readCertificateFile(await readFile(await download.path(), "utf8"));
    assert.deepEqual([saved.document, saved.imprint, saved.confirmation.domain], [data, imprint, "uni.example"]);
  }),
);

test("the holder makes a link that shows only what is ticked, without sending it", options, () =>
  visit(async (page) => {
    const asked = [];
    page.on("request", (request) => asked.push(request.url()));
    // Public values are ticked at first.
    assert.ok((await box(page, "Course").isChecked()) && !(await box(page, "Email").isChecked()));
    for (const name of ["Course", "Achievement", "Picture", "Issued on"]) await box(page, name).uncheck();
    assert.ok(await button(page, "Make the link").isDisabled());
    await box(page, "Email").check();
    await make(page);
    const link = await page.locator(".made .link").innerText();
    assert.ok(link.startsWith(`${new URL(host.url).origin}/c/${ledgerId}/1#1`));
    const { schema, evidence } = await fromFragment(new URL(link).hash.slice(1));
    const shown = await new Cert({ schema }).verify(evidence, imprint, { asset: { ledgerId, assetId: "1" } });
    assert.deepEqual([shown.errors, shown.document], [[], { holder: { email: data.holder.email }, ledgerId, assetId: "1" }]);
    const [download] = await Promise.all([page.waitForEvent("download"), button(page, "Download the file").click()]);
    assert.equal(download.suggestedFilename(), "applied-cryptography-advanced-course-1.shared.assay.json");
    // A changed choice hides the earlier link.
    await box(page, "Course").check();
    assert.ok(!(await page.locator(".made").isVisible()));
    assert.deepEqual(
      asked.filter((url) => !url.startsWith(`blob:${new URL(host.url).origin}`)),
      [],
    );
  }),
);

test("the holder shows a code on the screen, and the employer opens it", options, () =>
  visit(
    async (page) => {
      await box(page, "Email").check();
      await make(page);
      await button(page, "Show a code to scan").click();
      const dialog = page.getByRole("dialog", { name: "Let the other person scan this code." });
      await dialog.locator("svg").waitFor();
      const { width } = await dialog.locator("svg").boundingBox();
      assert.ok(width >= 300 && width <= 390, `${width}`);
      await shoot(page, "holder-code");
      const code = await readCode(dialog.locator("svg"));
      await dialog.getByRole("button", { name: "Close" }).click();
      await page.locator("dialog").waitFor({ state: "detached" });
      const employer = await page.context().newPage();
      await employer.route("**/badge.json?*", (route) => route.fulfill(answer(OPEN)));
      await employer.goto(code.replace("#", "?lang=en#"));
      await employer.locator(".compare").waitFor();
      assert.equal(await employer.locator(".verdict").getAttribute("data-code"), "valid");
      assert.match(await employer.locator(".paper").innerText(), /ada@example\.com/);
      assert.doesNotMatch(await employer.locator(".paper").innerText(), /Ada Example/);
    },
    { viewport: { width: 390, height: 844 } },
  ),
);

test("a device that shares passes on the link", options, () =>
  visit(async (page) => {
    await page.evaluate(() => {
      navigator.share = async (content) => {
        window.shared = content;
      };
    });
    await make(page);
    await button(page, "Share…").click();
    assert.deepEqual(await page.evaluate(() => window.shared), { url: await page.locator(".made .link").innerText() });
  }, {}),
);

test("a wrong value is reported to the contact in the domain's file, or else to its website", options, async () => {
  const byFile = { issuer: { ...report.issuer, checkedBy: "didJson" } };
  const published = (contact) => didFile({ name: "University", contact });
  for (const [contact, text, href] of [
    ["registrar@uni.example", "Write to registrar@uni.example", /^mailto:registrar@uni\.example\?subject=Applied%20Cryptography.*&body=Something.*%2Fc%2F0x[0-9a-fA-F]{40}%2F1$/],
    ["https://uni.example/contact", "Contact of uni.example", /^https:\/\/uni\.example\/contact$/],
    ["javascript:alert(1)", "Website of uni.example", /^https:\/\/uni\.example\/$/],
    ["https://elsewhere.example/", "Website of uni.example", /^https:\/\/uni\.example\/$/],
  ]) {
    await visit(
      async (page) => {
        await page.waitForFunction(() => document.querySelector(".issuer-check")?.textContent !== "");
        const link = part(page).locator(".contact", { hasText: text });
        await link.waitFor();
        assert.match(await link.getAttribute("href"), href);
        await page.locator(".next .contact", { hasText: text }).waitFor();
      },
      { changes: byFile, routes: { "https://uni.example/.well-known/did.json": published(contact) } },
    );
  }
});

test("a domain that no longer confirms the issuer leaves no link to LinkedIn", options, () =>
  visit(
    async (page) => {
      await page.locator("[data-code=issuer-no-longer-confirmed]").waitFor();
      await page.locator(".holders").waitFor();
      assert.equal(await part(page).locator("a[href*=linkedin]").count(), 0);
    },
    {
      changes: { issuer: { ...report.issuer, checkedBy: "didJson" } },
      routes: { "https://uni.example/.well-known/did.json": { headers: { "access-control-allow-origin": "*" }, status: 404, body: "" } },
      expected: [/404/],
    },
  ),
);

test("a certificate of an issuer that is not confirmed has neither a contact nor a link to LinkedIn", options, () =>
  visit(async (page) => assert.equal(await part(page).locator(".contact, a[href*=linkedin]").count(), 0), { changes: STATES["issuer-not-confirmed"] }),
);

test("the link to LinkedIn has only public values, and nothing is sent before the click", options, () =>
  visit(async (page) => {
    const address = new URL(await page.getByRole("link", { name: "Add to LinkedIn" }).getAttribute("href"));
    assert.equal(address.origin + address.pathname, "https://www.linkedin.com/profile/add");
    assert.deepEqual(Object.fromEntries(address.searchParams), {
      startTask: "CERTIFICATION_NAME",
      name: data.name,
      organizationName: "University of Example",
      issueYear: "2026",
      issueMonth: "6",
      certUrl: `${new URL(host.url).origin}/c/${ledgerId}/1`,
      certId: "1",
    });
    assert.equal(await page.getByRole("link", { name: "Add to LinkedIn" }).getAttribute("rel"), "noopener noreferrer");
  }),
);

test("the address of LinkedIn has the proven dates, and needs a confirmed issuer", () => {
  const proven = (path, value) => ({ path: path.split("."), value, status: "proven" });
  const fields = [proven("issuedAt", "2026-06-30"), proven("validUntil", "2099-01-31"), { ...proven("holder.validUntil", "2000-01-01") }];
  const valid = { verdict: { code: "valid", issuer: report.issuer }, schema, fields, title: "Course & more", page: "https://certs.example/c/0x1/1", asset: "1" };
  const parameters = (changes) => new URL(linkedInAddress({ ...valid, ...changes })).searchParams;
  assert.deepEqual(
    ["name", "issueYear", "issueMonth", "expirationYear", "expirationMonth"].map((name) => parameters({}).get(name)),
    ["Course & more", "2026", "6", "2099", "1"],
  );
  const marked = { properties: { ends: { type: "string", "x-assay-expires": true }, validUntil: { type: "string" } } };
  assert.equal(parameters({ schema: marked, fields: [...fields, proven("ends", "2030-02-01T00:00:00Z")] }).get("expirationYear"), "2030");
  for (const status of ["unchecked", "not-proven", "untrusted"]) assert.equal(parameters({ fields: fields.map((field) => ({ ...field, status })) }).get("issueYear"), null);
  for (const value of ["soon", "2026-13-45", 2026, null]) assert.equal(parameters({ fields: [proven("issuedAt", value)] }).get("issueYear"), null);
  for (const code of ["issuer-not-confirmed", "expired", "withdrawn", "changed", "not-checked"]) assert.equal(linkedInAddress({ ...valid, verdict: { code, issuer: report.issuer } }), null);
  assert.equal(linkedInAddress({ ...valid, title: "" }), null);
});

test("the evidence of AIH-1 is kept, but cannot show a part without the issuer", options, async () => {
  const text = { type: "string" };
  const old = { type: "object", properties: { name: { ...text, title: "Course" }, holder: { ...text, title: "Holder" } } };
  const document = { name: "Applied Cryptography", holder: "Ada Example" };
  const issuer = new First({ schema: old, noncer: { secret: "correct horse battery staple" } });
  const [proofs, own] = [await issuer.notarize(document), await issuer.imprint(document)];
  const changes = { asset: { ...record, imprint: own }, ledger: { ...report.ledger, schemaId: issuer.identify() }, schema: old, metadata: null, evidence: null, integrity: "notChecked" };
  await host.visit(
    `${PAGE}#${await toFragment({ schema: old, document, evidence: evidenceFile(proofs) })}`,
    async (page) => {
      await part(page).getByText("Only the issuer can make a file that shows a part of this one.").waitFor();
      assert.ok(await button(page, "Save as a page").isVisible());
      assert.equal(await part(page).locator(".tree").count(), 0);
    },
    { routes: { "**/badge.json?*": answer(changes) } },
  );
});

test("a saved page is opened like the file inside it", options, async () => {
  let saved;
  await visit(async (page) => {
    const [download] = await Promise.all([page.waitForEvent("download"), button(page, "Save as a page").click()]);
    saved = { name: download.suggestedFilename(), mimeType: "text/html", buffer: await readFile(await download.path()) };
  });
  await host.visit(
    "/verify/?lang=en",
    async (page) => {
      await page.locator("#given-files").setInputFiles(saved);
      await page.locator(".holders").waitFor();
      assert.equal(await page.locator(".verdict").getAttribute("data-code"), "valid");
      assert.match(await page.locator(".below").innerText(), /This is the holder’s private file/);
      // A value that was changed in the page is detected.
      const forged = saved.buffer.toString().replace('"hours":96', '"hours":960');
      await drop(page, "body", [{ ...file("forged.html", forged), mimeType: "text/html" }]);
      await page.locator("[data-code=changed]").waitFor();
      // Another web page is not a certificate.
      await drop(page, "body", [{ ...file("other.html", "<!doctype html><title>A</title>"), mimeType: "text/html" }]);
      await page.locator("#refusal", { hasText: "This is a saved web page." }).waitFor();
    },
    { routes: { "**/badge.json?*": answer(OPEN) } },
  );
  await host.visit("/share/?lang=en", async (page) => {
    await page.locator("#ready:not(:empty)").waitFor();
    await page.locator("#files").setInputFiles(saved);
    await page.locator("#holding").waitFor();
    assert.ok((await page.locator("#tree input").count()) > 5);
  });
});

test("a private file that is opened on the verify page has the holder's part", options, async () => {
  const text = writeFile({ service: new URL(host.url).origin, ledger: ledgerId, asset: "1", imprint, schema, document: data, evidence: await cert.notarize(data) });
  await host.visit(
    "/verify/?lang=en",
    async (page) => {
      await drop(page, "body", [file("ada.private.assay.json", text)]);
      await page.locator(".holders .tree input").first().waitFor();
    },
    { routes: { "**/badge.json?*": answer(OPEN) } },
  );
});
