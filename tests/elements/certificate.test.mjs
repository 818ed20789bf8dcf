// `<assay-certificate>` in a page of another site, in Chromium. The page's policy decides whether the certificate is checked there, framed or linked.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { skip } from "../pages/browser.mjs";
import { badge as aih1Report } from "../pages/certificate.mjs";
import { certified, germanMembership } from "./certified.mjs";
import { isAccessible, markup, reaches, startSite } from "./host.mjs";
import { HEADLINES, LEDGER, answerWith, fakeService, reportOf } from "./reports.mjs";

const MODULE = "/elements/certificate.js";
const UNREADABLE = /Failed to load resource|Access to fetch|Content Security Policy|violates|WebAssembly/;
const EMBEDDED = '<!doctype html><title>Embedded</title><p id="embedded">The service says: valid</p>';

let site;
let service;
before(async () => {
  if (skip) return;
  [site, service] = await Promise.all([startSite(), fakeService()]);
  const serve = async (asset, report) => {
    service.answers.set(asset, answerWith(await report));
    service.answers.set(`/c/${LEDGER}/${asset}`, { headers: { "content-type": "text/html" }, body: EMBEDDED });
  };
  await serve("1", certified("valid", "1"));
  await serve(
    "2",
    certified("valid", "2", (metadata) => ({ ...metadata, name: "Forged" })),
  );
  await serve(
    "3",
    certified("withdrawn", "3", (metadata) => metadata, { metadata: null, evidence: null, schema: null }),
  );
  // Asset 4 has a copy of asset 1's documents.
  await serve(
    "4",
    certified("valid", "1").then((copy) => ({ ...copy, asset: { ...copy.asset, id: "4" } })),
  );
  await serve(
    "5",
    certified("valid", "5", (metadata) => ({ ...metadata, hours: 95, holder: { name: "Ada Example", email: "forged@example.com" } })),
  );
  await serve("6", certified("expired", "6"));
  await serve(
    "7",
    certified("valid", "7", (metadata) => metadata, { evidence: { profile: "AIH-9" } }),
  );
  await serve(
    "8",
    certified("valid", "8", (metadata) => ({ ...metadata, name: "x".repeat(600_000) })),
  );
  await serve("9", certified("changed", "9"));
  await serve(
    "10",
    certified("replaced", "10").then((report) => ({
      ...report,
      asset: { ...report.asset, imprint: "ab".repeat(32), pastImprints: [{ imprint: report.asset.imprint, endedAt: "2026-09-21T14:13:20.000Z", withdrawn: false }] },
    })),
  );
  await serve("12", germanMembership("12"));
  const old = JSON.parse(aih1Report().body).data;
  await serve("11", { ...old, headline: { code: "issuer-not-confirmed", look: "amber", text: "" }, ledger: { ...old.ledger, id: LEDGER }, asset: { ...old.asset, id: "11" } });
});
after(async () => {
  await site?.stop();
  await service?.stop();
});

const certificate = (asset, content, more) => markup("assay-certificate", service.origin, asset, content, more);
const visit = (body, act, options) => site.visit(body, act, { module: MODULE, ...options });
const policy = (...more) => [`default-src 'none'; connect-src 'self' ${service.origin}; frame-src ${service.origin}; require-trusted-types-for 'script'; trusted-types 'none'`, ...more].join("; ");
const part = (page, name) => page.locator(`assay-certificate [part=${name}]`);
const framed = (page) => page.frameLocator("assay-certificate iframe").locator("#embedded").innerText();

test("under default-src 'none' with 'wasm-unsafe-eval' and Trusted Types, the browser checks and shows the certificate", { skip }, () =>
  visit(
    certificate(1),
    async (page) => {
      await part(page, "sheet").waitFor();
      assert.equal(await part(page, "headline").innerText(), "Valid. Issued by uni.example");
      assert.equal(await part(page, "title").innerText(), "Applied Cryptography");
      assert.equal(await part(page, "kind").innerText(), "Course certificate");
      const rows = await page.locator("assay-certificate [part=sheet] > dl > div").evaluateAll((all) => all.map((row) => row.innerText.replace(/\s+/g, " ")));
      assert.deepEqual(rows, ["Holder Ada Example", "Day 7 May 2026", "Hours 96", "Grades good better", "Site https://school.example/"]);
      assert.equal(await part(page, "hidden").innerText(), "Not shown: \u2068Email\u2069.");
      assert.match(await part(page, "note").innerText(), new RegExp(`^Checked by your browser on .*, against the record of ${new URL(service.origin).host}\\. Open it at`));
      assert.equal(await part(page, "link").getAttribute("href"), `${service.origin}/c/${LEDGER}/1`);
      assert.equal(await page.locator("assay-certificate iframe").count(), 0);
    },
    { policy: policy("script-src 'self' 'wasm-unsafe-eval'") },
  ),
);

test("the WebAssembly is loaded only for a certificate with documents, and only the verifier", { skip }, () =>
  visit(certificate(3), async (page) => {
    const loaded = [];
    page.on("request", (request) => /cert\//.test(request.url()) && loaded.push(new URL(request.url()).pathname));
    await reaches(page.locator("assay-certificate"), "withdrawn");
    assert.match(await part(page, "note").innerText(), /^Checked by 127/);
    assert.deepEqual(loaded, []);
    await page.evaluate(() => document.querySelector("assay-certificate").setAttribute("asset", "1"));
    await part(page, "sheet").waitFor();
    assert.deepEqual(
      loaded.filter((path) => path.endsWith(".wasm")),
      ["/cert/verify/dist/verify_bg.wasm"],
    );
  }),
);

for (const [what, more, why] of [
  ["WebAssembly", ["script-src 'self'"], /valid/],
  ["the request for the WebAssembly", ["script-src 'self' 'wasm-unsafe-eval'"], /valid/],
]) {
  test(`where the policy refuses ${what}, the service's page is framed with the service's name`, { skip }, () => {
    const base = what === "WebAssembly" ? policy(...more) : policy(...more).replace("connect-src 'self'", "connect-src");
    return visit(
      certificate(1),
      async (page) => {
        await reaches(page.locator("assay-certificate"), "framed");
        assert.match(await framed(page), why);
        assert.match(await part(page, "note").innerText(), /^Shown and checked by 127/);
        assert.ok(await page.locator("assay-certificate").evaluate((element) => element.matches(":state(valid)")));
        assert.ok(service.asked.includes(`/c/${LEDGER}/1?embed&lang=en`));
      },
      { policy: base, expected: [UNREADABLE] },
    );
  });
}

test("where the policy refuses the request for the verdict, the service's page is framed", { skip }, () =>
  visit(
    certificate(1, "<b>Our own words</b>"),
    async (page) => {
      await reaches(page.locator("assay-certificate"), "framed");
      assert.match(await framed(page), /valid/);
      assert.equal(await page.getByText("Our own words").isVisible(), false);
    },
    { policy: policy("script-src 'self' 'wasm-unsafe-eval'").replace(/connect-src [^;]*/, "connect-src 'none'"), expected: [UNREADABLE] },
  ),
);

test("where the policy refuses WebAssembly and frames, the service's verdict and a link remain", { skip }, () =>
  visit(
    certificate(1),
    async (page) => {
      await page.waitForFunction(
        () =>
          /^Checked by 127/.test(document.querySelector("assay-certificate").shadowRoot.querySelector("[part=note]").textContent) &&
          !document.querySelector("assay-certificate").matches(":state(loading)"),
      );
      await page.waitForFunction(() => performance.getEntriesByType("resource").some(({ name }) => name.endsWith(".wasm")));
      await reaches(page.locator("assay-certificate"), "valid");
      await page.waitForFunction(() => document.querySelector("assay-certificate").shadowRoot.querySelector("iframe") === null);
      assert.equal(await part(page, "headline").innerText(), "Valid. Issued by uni.example");
      assert.equal(await part(page, "link").getAttribute("href"), `${service.origin}/c/${LEDGER}/1`);
    },
    { policy: policy("script-src 'self'").replace(/frame-src [^;]*/, "frame-src 'none'"), expected: [UNREADABLE, /./] },
  ),
);

test("where the policy refuses everything, a link or the page's own content remains", { skip }, () =>
  visit(
    certificate(1) + certificate(1, "<b>Our own words</b>"),
    async (page) => {
      const [empty, own] = [page.locator("assay-certificate").nth(0), page.locator("assay-certificate").nth(1)];
      await reaches(empty, "unreachable");
      assert.equal(await empty.locator("[part=headline]").innerText(), "Could not be checked");
      assert.equal(await empty.locator("[part=link]").getAttribute("href"), `${service.origin}/c/${LEDGER}/1`);
      await reaches(own, "unreachable");
      assert.ok(await page.getByText("Our own words").isVisible());
    },
    { policy: "default-src 'none'; script-src 'self'", expected: [UNREADABLE] },
  ),
);

for (const [asset, what, headline] of [
  [2, "another value than the certified one", "Changed"],
  [4, "a copy of another asset's documents", "Copied from another certificate"],
  [5, "a value that the evidence does not have", "Changed"],
]) {
  test(`the browser's check overrules the service on ${what}`, { skip }, () =>
    visit(certificate(asset), async (page) => {
      await page.waitForFunction((wanted) => document.querySelector("assay-certificate").shadowRoot.querySelector("[part=headline]")?.textContent === wanted, headline);
      assert.equal(await part(page, "sheet").count(), 0);
      assert.match(await part(page, "note").innerText(), /^Checked by your browser/);
    }),
  );
}

test("an expired certificate is shown as expired", { skip }, () =>
  visit(certificate(6), async (page) => {
    await part(page, "sheet").waitFor();
    assert.equal(await part(page, "headline").innerText(), "Expired: it was valid until 21 September 2026");
  }),
);

test("a replaced certificate is checked under its earlier imprint", { skip }, () =>
  visit(certificate(10), async (page) => {
    await part(page, "sheet").waitFor();
    assert.equal(await part(page, "headline").innerText(), "Replaced on 21 September 2026");
    assert.match(await part(page, "note").innerText(), /^Checked by your browser/);
  }),
);

test("the service's verdict is kept if it is worse than the browser's", { skip }, () =>
  visit(certificate(9), async (page) => {
    await page.waitForFunction(() => /your browser/.test(document.querySelector("assay-certificate").shadowRoot.querySelector("[part=note]").textContent));
    assert.equal(await part(page, "headline").innerText(), "Changed");
    assert.equal(await part(page, "sheet").count(), 0);
  }),
);

for (const [asset, what] of [
  [7, "of an unknown profile"],
  [8, "that is too long for a page's own thread"],
]) {
  test(`a certificate ${what} is framed`, { skip }, () =>
    visit(certificate(asset), async (page) => {
      await reaches(page.locator("assay-certificate"), "framed");
      assert.match(await framed(page), /valid/);
    }),
  );
}

test("a certificate of AIH-1 is checked in the page", { skip }, () =>
  visit(certificate(11), async (page) => {
    await part(page, "sheet").waitFor();
    assert.equal(await part(page, "title").innerText(), "Applied Cryptography");
    assert.match(await part(page, "note").innerText(), /^Checked by your browser/);
  }),
);

/**
 * Serves the `did.json` of a domain, as docs/spec/issuer.md describes and changed by `change`. Also serves a report in which the service has
 * found that this domain confirms the issuer. Returns the domain.
 */
async function confirmedBy(asset, change) {
  const report = await certified("valid", asset);
  const { issuer } = report;
  const domain = new URL(service.origin).host;
  const id = `did:web:${domain.replace(":", "%3A")}`;
  const method = { id: `${id}#assay`, type: "EcdsaSecp256k1RecoveryMethod2020", controller: id, blockchainAccountId: `eip155:1:${issuer.account}` };
  service.answers.set("/.well-known/did.json", change({ id, verificationMethod: [method], assertionMethod: [method.id] }, issuer.account));
  service.answers.set(asset, answerWith({ ...report, issuer: { ...issuer, domain, checkedBy: "didJson" } }));
  return domain;
}
const json = (file) => ({ body: JSON.stringify(file) });
for (const [what, change, headline, isRead] of [
  ["confirms", (file) => json(file), "Valid. Issued by {domain}", true],
  ["does not name", (file) => json({ ...file, assertionMethod: [] }), "Unchanged, but {domain} no longer confirms the issuer", true],
  ["disowns", (file, account) => json({ ...file, service: [{ type: "AssayIssuer", serviceEndpoint: { revoked: [account] } }] }), "{domain} says this account is not theirs", true],
  ["does not let pages read its statement about", (file) => ({ ...json(file), headers: { "access-control-allow-origin": "https://other.example" } }), "Valid. Issued by {domain}", false],
]) {
  test(`the issuer's domain ${what} the account, as this browser reads it`, { skip }, async () => {
    const domain = await confirmedBy("700", change);
    const asked = service.asked.length;
    await visit(
      certificate(700),
      async (page) => {
        await part(page, "sheet").waitFor();
        const wanted = headline.replace("{domain}", domain);
        await page.waitForFunction(
          ([wanted, isRead]) => {
            const root = document.querySelector("assay-certificate").shadowRoot;
            return root.querySelector("[part=headline]").textContent === wanted && /read the confirmation/.test(root.querySelector("[part=note]").textContent) === isRead;
          },
          [wanted, isRead],
        );
        await page.waitForLoadState("networkidle");
        assert.equal(await part(page, "headline").innerText(), wanted);
        assert.ok(service.asked.slice(asked).includes("/.well-known/did.json"));
      },
      { expected: [UNREADABLE] },
    );
  });
}

test("each headline has its text and states, and no axe-core finding", { skip }, async () => {
  const codes = HEADLINES.map(([code], index) => [code, String(500 + index)]);
  for (const [code, asset] of codes) service.answers.set(asset, answerWith(reportOf(code, asset)));
  await visit(
    certificate(1) + codes.map(([, asset]) => certificate(asset)).join("\n"),
    async (page) => {
      for (const [index, [code, look, headline]] of HEADLINES.entries()) {
        const one = page.locator("assay-certificate").nth(index + 1);
        await reaches(one, code);
        await reaches(one, look);
        assert.equal(await one.locator("[part=headline]").innerText(), headline);
      }
      await part(page, "sheet").waitFor();
      await isAccessible(page);
    },
    { bypassCSP: true },
  );
});

test("the labels of a template are in the element's language", { skip }, () =>
  visit(certificate(12), async (page) => {
    await part(page, "sheet").waitFor();
    for (const [language, kind, label] of [
      ["fr", "Adhésion", "Type d’adhésion"],
      ["de", "Mitgliedschaft", "Art der Mitgliedschaft"],
      ["en", "Membership", "Kind of membership"],
    ]) {
      await page.evaluate((tag) => document.querySelector("assay-certificate").setAttribute("lang", tag), language);
      await page.waitForFunction((text) => document.querySelector("assay-certificate").shadowRoot.textContent.includes(text), label);
      assert.equal(await part(page, "kind").innerText(), kind);
    }
  }),
);

test("changing several attributes together causes one new check, in the new language", { skip }, () =>
  visit(certificate(1), async (page) => {
    await part(page, "sheet").waitFor();
    const before = service.asked.length;
    await page.evaluate(() => {
      const element = document.querySelector("assay-certificate");
      element.setAttribute("asset", "2");
      element.setAttribute("lang", "de");
      element.setAttribute("asset", "6");
    });
    await page.waitForFunction(() => /Abgelaufen/.test(document.querySelector("assay-certificate").shadowRoot.textContent));
    await page.waitForFunction(() => /Kurs|Course/.test(document.querySelector("assay-certificate").shadowRoot.textContent));
    assert.equal(service.asked.length - before, 1);
  }),
);

test("a removed element ignores the result of its check", { skip }, () =>
  visit(certificate(1), async (page) => {
    await page.evaluate(() => {
      window.removed = document.querySelector("assay-certificate");
      window.removed.remove();
    });
    const asked = service.asked.length;
    await page.waitForLoadState("networkidle");
    assert.equal(await page.evaluate(() => window.removed.shadowRoot.querySelector("[part=sheet]") === null), true);
    assert.equal(service.asked.length, asked);
  }),
);
