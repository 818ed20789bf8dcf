// "Save as a page": the page that a visitor saves shows and checks the certificate without the service.
import assert from "node:assert/strict";
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { after, before, test } from "node:test";
import { pathToFileURL } from "node:url";
import { readFile as readCertificateFile, toFragment } from "../../www/lib/file.ts";
import { certificateIn, pageName, readRecord, savedPage } from "../../www/lib/saved-page.ts";
import { launch, openContext, shoot, skip, start } from "./browser.mjs";
import { STATES, answer, cert, certificateFile, data, imprint, ledgerId, metadata, report, schema } from "./shared.mjs";

const options = { skip };
const PAGE = `/c/${ledgerId}/1?lang=en`;

let folder, browser, origin;
/** The texts of saved pages: of a holder's whole link, and of the public certificate. */
let whole, open;
before(async () => {
  if (skip) return;
  folder = await mkdtemp(path.join(tmpdir(), "assay-saved-"));
  const host = await start();
  origin = new URL(host.url).origin;
  const save = async (address, changes, name) => {
    let text;
    await host.visit(
      address,
      async (page) => {
        const button = page.getByRole("button", { name: "Save as a page" });
        const [download] = await Promise.all([page.waitForEvent("download"), button.click()]);
        assert.equal(download.suggestedFilename(), name);
        text = await readFile(await download.path(), "utf8");
      },
      { routes: { "**/badge.json?*": answer(changes) } },
    );
    return text;
  };
  try {
    const fragment = await toFragment({ schema, document: data, evidence: await cert.notarize(data) });
    whole = await save(`${PAGE}#${fragment}`, { metadata, evidence: await cert.disclose(data, [["name"]]) }, "applied-cryptography-advanced-course-1.private.assay.html");
    open = await save(PAGE, {}, "applied-cryptography-advanced-course-1.assay.html");
  } finally {
    // From here on, there is no service.
    await host.stop();
  }
  browser = await launch();
});
after(async () => {
  await browser?.close();
  if (folder) await rm(folder, { recursive: true });
});

/** A host that the policy forbids. A browser reports a forbidden request like a sent one. */
const ELSEWHERE = "https://elsewhere.example/";

/** Opens a page from the disk, without a network. Asserts that it requests nothing else and reports no errors. */
async function visit(text, act, { lang = "en", expected = [], ...more } = {}) {
  const file = path.join(folder, `page-${Math.random().toString(36).slice(2)}.html`);
  await writeFile(file, text);
  const context = await openContext(browser, { offline: true, ...more });
  try {
    const page = await context.newPage();
    const [wrong, asked] = [[], []];
    page.on("console", (message) => message.type() === "error" && !expected.some((pattern) => pattern.test(message.text())) && wrong.push(message.text()));
    page.on("pageerror", (error) => wrong.push(String(error)));
    page.on("request", (request) => asked.push(request.url()));
    await page.goto(`${pathToFileURL(file)}?lang=${lang}`);
    await page.locator(".headline").waitFor();
    await act(page);
    const loaded = asked.filter((url) => !url.startsWith(ELSEWHERE));
    assert.deepEqual([wrong, loaded.length], [[], 1]);
  } finally {
    await context.close();
  }
}

const look = (page) => page.locator(".verdict").getAttribute("data-look");
const lines = async (page) => (await page.locator(".parts li").allInnerTexts()).map((text) => text.replace(/\s+/g, " "));
const paper = (page) => page.locator(".paper").innerText();
const choose = (page, name, text) => page.locator("#file").setInputFiles({ name, mimeType: "text/html", buffer: Buffer.from(text) });
/** Returns a page with another text in its file. */
const edited = (text, from, to) => {
  assert.equal(text.split(from).length, 2, from);
  return text.replace(from, () => to);
};

test("a saved page shows the certificate without the service, and never calls it valid", options, () =>
  visit(whole, async (page) => {
    assert.equal(await page.locator(".headline").innerText(), "A saved copy. By itself it proves nothing.");
    assert.equal(await look(page), "grey");
    const host = new URL(origin).host;
    assert.match(await page.locator(".why").innerText(), new RegExp(`drop this file there\\. The file names ${host}`));
    const [now, noted, unknown, ...others] = await lines(page);
    assert.equal(now, "Checked now, on this device: The content matches the check number in this file.");
    assert.match(noted, new RegExp(`^Only noted\\. ${host} said on .*: In force\\. Issued by uni\\.example\\. Last confirmation by uni\\.example: 23 November 2026\\.$`));
    assert.equal(unknown, "Not known without the service: Whether the certificate is genuine, whether it is in force today, and who issued it.");
    assert.deepEqual(others, []);
    assert.match(await paper(page), /Applied Cryptography[\s\S]*Ada Example[\s\S]*ada@example\.com/);
    assert.doesNotMatch(await page.locator("main").innerText(), /Valid\. Issued/);
    assert.equal(await page.locator('[data-look="green"], [data-state="good"]').count(), 0);
    await page.locator(".technical summary").click();
    assert.match(await page.locator(".facts").innerText(), new RegExp(`${imprint}`));
    await shoot(page, "saved");
    await page.emulateMedia({ media: "print" });
    assert.match(await page.locator(".check-paper").innerText(), /^Printed from a saved copy, which proves nothing\./);
  }),
);

test("a changed value in a saved page is detected", options, () =>
  visit(edited(whole, '"hours":96', '"hours":960'), async (page) => {
    assert.equal(await page.locator(".headline").innerText(), "Changed");
    assert.equal(await look(page), "red");
    assert.equal((await lines(page))[0], "Checked now, on this device: The content does not match its check number.");
    assert.doesNotMatch(await page.locator("main").innerText(), /In force|960|Ada Example/);
    await shoot(page, "saved-changed");
  }),
);

test("a forger's own certificate in a saved page is not called genuine", options, async () => {
  // The forger makes a document, its evidence and its check number, and notes what they like.
  const forged = { ...data, holder: { ...data.holder, name: "Eve Example" } };
  const own = { schema, document: forged, evidence: await cert.notarize(forged), imprint: (await cert.imprint(forged)).replace("aih2:", "") };
  const text = savedPage(template(whole), { file: JSON.stringify({ ...(await certificateFile([])), ...own, service: "https://evil.example" }), record: NOTE, title: "Course" });
  await visit(text, async (page) => {
    assert.equal(await look(page), "grey");
    assert.match(await page.locator(".why").innerText(), /The file names evil\.example: go there only if you know that service\./);
    assert.match(await paper(page), /Eve Example/);
  });
  // A copy that a person saved themselves has the check number of the genuine one.
  await visit(whole, async (page) => {
    await choose(page, "eve.html", edited(text, "https://evil.example", origin));
    await page.locator("[data-look=red]").waitFor();
    assert.equal(await page.locator(".headline").innerText(), "Not the same as the copy that you opened");
    assert.match(await page.locator(".why").innerText(), /^Either somebody forged it, or the issuer has updated the certificate/);
    assert.equal((await lines(page))[0], "Shown here: eve.html");
    assert.doesNotMatch(await page.locator("main").innerText(), /Eve Example/);
  });
});

/** A note as the page writes it. */
const NOTE = { saved: "2026-11-29T15:00:00.000Z", status: "inForce", since: null, issuer: "confirmed", schemaId: report.ledger.schemaId };

/** Returns the template of a saved page. The first element with an id has the data. The script names it, too. */
const template = (text) => [/(id="(certificate)">)[^<]*/, /(id="(record)">)[^<]*/, /(<(title)>)[^<]*/].reduce((rest, element) => rest.replace(element, "$1@@$2@@"), text);

test("one saved page checks another file", options, () =>
  visit(open, async (page) => {
    assert.doesNotMatch(await paper(page), /ada@example\.com/);
    await choose(page, "ada.html", whole);
    await page.locator(".parts", { hasText: "ada.html" }).waitFor();
    assert.equal((await lines(page))[1], "Checked now, on this device: The content matches the check number in the copy that you opened.");
    assert.match(await paper(page), /ada@example\.com/);
    assert.equal(await look(page), "grey");
    for (const [name, text, sentence] of [
      ["a.html", "<!doctype html><title>Other</title>", /This is a saved web page\./],
      ["a.json", '{"assay": 1}', /This file is damaged: `service` is missing\./],
      ["a.csv", "a,b\n1,2\n", /This is a table/],
    ]) {
      await choose(page, name, text);
      await page.locator("#answer", { hasText: sentence }).waitFor();
    }
  }),
);

test("a certificate that was copied to another number is detected in its saved page", options, async () => {
  const file = JSON.stringify({ ...JSON.parse(certificateIn(whole)), asset: "2" });
  for (const record of [NOTE, { ...NOTE, schemaId: null }]) {
    await visit(savedPage(template(whole), { file, record, title: "Course" }), async (page) => {
      assert.equal(await page.locator(".headline").innerText(), "Copied from another certificate");
      assert.equal(await look(page), "red");
    });
  }
});

test("a certificate that has expired is expired in its saved page", options, async () => {
  const old = { ...data, validUntil: "2026-01-31" };
  const file = { ...(await certificateFile([])), document: old, evidence: await cert.notarize(old), imprint: (await cert.imprint(old)).replace("aih2:", "") };
  await visit(savedPage(template(whole), { file: JSON.stringify(file), record: NOTE, title: "Course" }), async (page) => {
    assert.equal(await page.locator(".headline").innerText(), "Expired: it was valid until 31 January 2026");
    assert.equal(await look(page), "amber");
  });
});

for (const lang of ["de", "fr", "es"]) {
  test(`a saved page has its texts in ${lang}`, options, () =>
    visit(
      whole,
      async (page) => {
        const { saved } = JSON.parse(await readFile(new URL(`../../pkg/view/texts/${lang}.holder.json`, import.meta.url), "utf8"));
        assert.equal(await page.locator(".headline").innerText(), saved.headline);
        assert.equal(await page.locator("html").getAttribute("lang"), lang);
        assert.ok((await page.evaluate(() => document.documentElement.scrollWidth)) <= 320);
        await shoot(page, `saved-${lang}`);
      },
      { lang, viewport: { width: 320, height: 640 } },
    ),
  );
}

test("a saved page runs and loads nothing but itself", options, () =>
  visit(
    whole,
    async (page) => {
      const policy = await page.locator("meta[http-equiv]").getAttribute("content");
      const hash = "'sha256-[\\w+/=]{44}'";
      assert.match(policy, new RegExp(`^default-src 'none'; script-src ${hash} 'wasm-unsafe-eval'; style-src ${hash}; img-src data:; base-uri 'none'; form-action 'none'$`));
      await page.evaluate(() => {
        window.blocked = new Set();
        document.addEventListener("securitypolicyviolation", (event) => window.blocked.add(event.effectiveDirective));
        const script = document.createElement("script");
        script.textContent = "window.intruded = true";
        const image = document.createElement("img");
        image.src = "https://elsewhere.example/x.png";
        document.body.append(script, image);
        fetch("https://elsewhere.example/").catch(() => {});
      });
      await page.waitForFunction(() => ["connect-src", "img-src", "script-src-elem"].every((directive) => window.blocked.has(directive)));
      assert.equal(await page.evaluate(() => window.intruded), undefined);
    },
    { expected: [/Content Security Policy/] },
  ),
);

test("texts of a certificate cannot end their element in a saved page", options, async () => {
  const odd = { ...data, name: "</script><script>document.title = 'intruded'</script><!--<script>", description: "@@script@@ $& \u2028" };
  const file = { ...(await certificateFile([])), document: odd, evidence: await cert.notarize(odd), imprint: (await cert.imprint(odd)).replace("aih2:", "") };
  const text = savedPage(template(whole), { file: JSON.stringify(file), record: NOTE, title: odd.name });
  assert.deepEqual(readCertificateFile(certificateIn(text)).document, odd);
  await visit(text, async (page) => {
    assert.equal(await page.locator(".paper h1").innerText(), odd.name);
    assert.match(await page.title(), /^<\/script><script>/);
    assert.equal(await look(page), "grey");
  });
});

const vectors = JSON.parse(await readFile(new URL("../vectors/file/pages.json", import.meta.url), "utf8"));
for (const { name, text, file } of vectors.pages) test(`the file in a page: ${name}`, () => assert.equal(certificateIn(text), file));
for (const { name, record, isRead } of vectors.records) test(`the note in a page: ${name}`, () => assert.deepEqual(readRecord(JSON.stringify(record)), isRead ? record : null));

test("a note that is not JSON is ignored, and a page's name says whether it is private", () => {
  assert.equal(readRecord("{"), null);
  assert.deepEqual([pageName("a", true), pageName("a", false)], ["a.private.assay.html", "a.assay.html"]);
});

test("a withdrawn certificate is noted as withdrawn", options, async () => {
  const note = { ...NOTE, status: "withdrawn", since: STATES.withdrawn.status.since };
  const file = certificateIn(open);
  await visit(savedPage(template(open), { file, record: note, title: "Course" }), async (page) => assert.match((await lines(page))[1], /: Withdrawn \(21 September 2026\)\. Issued by uni\.example\./));
});
