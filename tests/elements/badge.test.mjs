// `<assay-badge>` in a page of another site, in Chromium.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { skip } from "../pages/browser.mjs";
import { isAccessible, markup, reaches, startSite } from "./host.mjs";
import { HEADLINES, LEDGER, answerWith, fakeService, reportOf } from "./reports.mjs";

/** The strictest policy under which a badge works: a page may load the module and read from the service. */
const policyFor = (service) => `default-src 'none'; script-src 'self'; connect-src ${service.origin}; require-trusted-types-for 'script'; trusted-types 'none'`;
const UNREADABLE = /Failed to load resource|Access to fetch|Content Security Policy|violates/;

let site;
let service;
before(async () => {
  if (skip) return;
  [site, service] = await Promise.all([startSite(), fakeService()]);
  HEADLINES.forEach(([code], index) => service.answers.set(String(index + 1), answerWith(reportOf(code, String(index + 1)))));
});
after(async () => {
  await site?.stop();
  await service?.stop();
});

const badge = (asset, content, more) => markup("assay-badge", service.origin, asset, content, more);
let assets = 1000;
const newAsset = () => String((assets += 1));
/** Returns the look and the text of a badge as a reader sees it. */
const shown = (locator) =>
  locator.evaluate((element) => {
    const link = element.shadowRoot.querySelector("[part=badge]");
    return { look: link.dataset.look, headline: link.querySelector("[part=headline]").textContent, isVisible: link.checkVisibility() };
  });

test("each headline has its text, look, states and link to the certificate", { skip }, () =>
  site.visit(
    HEADLINES.map((_, index) => badge(index + 1)).join("<br>"),
    async (page) => {
      for (const [index, [code, look, headline]] of HEADLINES.entries()) {
        const one = page.locator("assay-badge").nth(index);
        await reaches(one, code);
        assert.deepEqual(await shown(one), { look, headline, isVisible: true });
        assert.ok(await one.evaluate((element, look) => element.matches(`:state(${look})`), look));
        const link = page.getByRole("link", { name: `Certificate: ${headline}` }).first();
        assert.equal(await link.getAttribute("href"), `${service.origin}/c/${LEDGER}/${index + 1}`);
      }
      assert.equal(await page.locator("assay-badge [part=reason]").innerText(), "Issued by mistake");
      await isAccessible(page);
    },
    // The accessibility check injects a script, which a content security policy would block.
    { bypassCSP: true },
  ),
);

test("under default-src 'none' with Trusted Types, the badge is styled and complete", { skip }, () =>
  site.visit(
    badge(11),
    async (page) => {
      const one = page.locator("assay-badge");
      await reaches(one, "valid");
      assert.equal(await one.evaluate((element) => getComputedStyle(element.shadowRoot.querySelector("a")).color), "rgb(8, 117, 74)");
    },
    { policy: policyFor(service) },
  ),
);

for (const [lang, headline] of [
  ["de-AT", "Widerrufen am 21. September 2026"],
  ["fr", "Révoqué le 21 septembre 2026"],
  ["es", "Retirado el 21 de septiembre de 2026"],
  ["ja", "Withdrawn on 21 September 2026"],
]) {
  test(`in a page in ${lang}, the headline is in a language of the service`, { skip }, () =>
    site.visit(
      badge(3),
      async (page) => {
        await reaches(page.locator("assay-badge"), "withdrawn");
        assert.equal((await shown(page.locator("assay-badge"))).headline, headline);
      },
      { lang },
    ),
  );
}

test("a loading badge shows its own content or that it is checking", { skip }, () => {
  const asset = newAsset();
  service.answers.set(asset, () => {});
  return site.visit(badge(asset, '<a href="/mine">My certificate</a>') + badge(asset, "\n"), async (page) => {
    const [own, empty] = [page.locator("assay-badge").nth(0), page.locator("assay-badge").nth(1)];
    await reaches(own, "loading");
    await reaches(empty, "loading");
    assert.ok(await page.getByRole("link", { name: "My certificate" }).isVisible());
    assert.equal((await shown(own)).isVisible, false);
    assert.deepEqual(await shown(empty), { look: "grey", headline: "Checking…", isVisible: true });
  });
});

/** Returns wrong responses by name. Each is `{ status, headers, body }`, or a function that writes the response. */
const forged = (asset) => ({
  "an HTML page": { headers: { "content-type": "text/html" }, body: "<script>alert(1)</script><h1>Valid</h1>" },
  "status 500": { status: 500, body: answerWith(reportOf("valid", asset)).body },
  "a redirect": { status: 302, headers: { location: "/badge.json?assetId=11" } },
  "no answer": (response) => response.destroy(),
  "a truncated answer": (response) => response.writeHead(200, { "access-control-allow-origin": "*" }).write('{"data":{', () => response.destroy()),
  null: { body: "null" },
  "a list": { body: "[]" },
  "no data": { body: "{}" },
  "a report on another asset": answerWith(reportOf("valid", "2")),
  "a report on another ledger": answerWith(reportOf("valid", asset, { ledger: { id: `0x${"0".repeat(40)}` } })),
  "a code that is an object": answerWith(reportOf("valid", asset, { headline: { code: {}, look: "green", text: "Valid" } })),
  "a code that is a property of every object": answerWith(reportOf("valid", asset, { headline: { code: "constructor", look: "green" } })),
  "a look with a selector": answerWith(reportOf("valid", asset, { headline: { code: "new", look: 'green"] *', text: "Valid" } })),
  "a domain that is a list": answerWith(reportOf("valid", asset, { issuer: { kind: "confirmed", domain: ["javascript:alert(1)"] } })),
  "a domain of a megabyte": answerWith(reportOf("valid", asset, { issuer: { kind: "confirmed", domain: "a".repeat(1 << 20) } })),
  "no domain": answerWith(reportOf("valid", asset, { issuer: null })),
  "a date that is not a date": answerWith(reportOf("expired", asset, { status: { kind: "expired", since: "javascript:alert(1)", reason: null } })),
  "a reason that is an object": answerWith(reportOf("withdrawn", asset, { status: { kind: "withdrawn", since: null, reason: { toString: "x" } } })),
  "no status": answerWith(reportOf("valid", asset, { status: null })),
});
for (const what of Object.keys(forged("1"))) {
  test(`${what} instead of a report is shown as "could not be checked"`, { skip }, () => {
    const asset = newAsset();
    service.answers.set(asset, forged(asset)[what]);
    return site.visit(
      badge(asset) + badge(asset, "<b>Our own words</b>"),
      async (page) => {
        const [empty, own] = [page.locator("assay-badge").nth(0), page.locator("assay-badge").nth(1)];
        await reaches(empty, "unreachable");
        assert.deepEqual(await shown(empty), { look: "grey", headline: "Could not be checked", isVisible: true });
        await reaches(own, "unreachable");
        assert.ok(await page.getByText("Our own words").isVisible());
      },
      { expected: [UNREADABLE] },
    );
  });
}

test("an endless response is cut off", { skip }, async () => {
  let sent = 0;
  const chunk = Buffer.alloc(1 << 20, 0x20);
  const closed = new Promise((resolve) => {
    service.answers.set("777", (response) => {
      response.writeHead(200, { "access-control-allow-origin": "*", "content-type": "application/json" });
      const more = () => {
        sent += chunk.length;
        if (!response.destroyed) response.write(chunk, more);
      };
      response.on("close", resolve);
      more();
    });
  });
  await site.visit(badge(777), async (page) => {
    await reaches(page.locator("assay-badge"), "unreachable");
    await closed;
  });
  assert.ok(sent < 64 << 20, `${sent} bytes`);
});

test("markup in a report stays text", { skip }, () => {
  const asset = newAsset();
  service.answers.set(asset, answerWith(reportOf("withdrawn", asset, { status: { kind: "withdrawn", since: null, reason: "<img src=x onerror=alert(1)> \u202egnp" } })));
  return site.visit(badge(asset), async (page) => {
    await reaches(page.locator("assay-badge"), "withdrawn");
    assert.equal(await page.locator("assay-badge [part=reason]").textContent(), "<img src=x onerror=alert(1)> \\u{202e}gnp");
    assert.equal((await shown(page.locator("assay-badge"))).headline, "Withdrawn on an unknown date");
  });
});

test("an unknown headline of a newer service is shown as the service's text", { skip }, () => {
  const asset = newAsset();
  service.answers.set(asset, answerWith(reportOf("valid", asset, { headline: { code: "suspended", look: "amber", text: "Suspended" } })));
  return site.visit(badge(asset), async (page) => {
    await reaches(page.locator("assay-badge"), "other");
    assert.deepEqual(await shown(page.locator("assay-badge")), { look: "amber", headline: "Suspended", isVisible: true });
  });
});

for (const [what, name, value] of [
  ["a service without TLS", "service", "http://assay.example"],
  ["a service with a script as its address", "service", "javascript:alert(1)"],
  ["a service with a password", "service", "https://a:b@assay.example"],
  ["no service", "service", ""],
  ["a ledger with a path to another address", "ledger", "../../evil"],
  ["an asset with a path to another address", "asset", "1?x=/.."],
]) {
  test(`${what} is refused before any request`, { skip }, () =>
    site.visit(badge(11), async (page) => {
      const one = page.locator("assay-badge");
      await reaches(one, "valid");
      const before = service.asked.length;
      await one.evaluate((element, [name, value]) => element.setAttribute(name, value), [name, value]);
      await reaches(one, "unreachable");
      assert.equal(service.asked.length, before);
      assert.equal(await one.evaluate((element) => element.shadowRoot.querySelector("a").hasAttribute("href")), false);
    }),
  );
}

test("badges of one asset share one request", { skip }, () => {
  const before = service.asked.length;
  return site.visit(badge(11).repeat(50), async (page) => {
    await reaches(page.locator("assay-badge").last(), "valid");
    assert.equal(service.asked.length - before, 1);
  });
});

test("after the asset changes, a late response about the old asset is dropped", { skip }, async () => {
  let answerLate;
  service.answers.set("888", (response) => {
    answerLate = () => response.writeHead(200, { "access-control-allow-origin": "*" }).end(answerWith(reportOf("valid", "888")).body);
  });
  await site.visit(badge(888) + badge(888), async (page) => {
    const [one, other] = [page.locator("assay-badge").nth(0), page.locator("assay-badge").nth(1)];
    await reaches(one, "loading");
    await one.evaluate((element) => element.setAttribute("asset", "1"));
    await reaches(one, "changed");
    answerLate();
    await reaches(other, "valid");
    assert.equal((await shown(one)).headline, "Changed");
  });
});

test("a removed badge aborts its request, and repeats it when added again", { skip }, async () => {
  let arrived;
  let closed;
  const arrival = new Promise((resolve) => (arrived = resolve));
  const closing = new Promise((resolve) => (closed = resolve));
  service.answers.set("999", (response) => arrived(response.on("close", closed)));
  await site.visit(badge(999), async (page) => {
    await arrival;
    await page.evaluate(() => (window.removed = document.querySelector("assay-badge")).remove());
    await closing;
    service.answers.set("999", answerWith(reportOf("valid", "999")));
    await page.evaluate(() => document.querySelector("main").append(window.removed));
    await reaches(page.locator("assay-badge"), "valid");
  });
});

test("where the policy blocks the service, the badge shows its own content", { skip }, () =>
  site.visit(
    badge(11, "<b>Our own words</b>"),
    async (page) => {
      await reaches(page.locator("assay-badge"), "unreachable");
      assert.ok(await page.getByText("Our own words").isVisible());
    },
    { policy: "default-src 'none'; script-src 'self'", expected: [UNREADABLE] },
  ),
);

test("a keyboard reaches the badge, and pages can style its theme and states", { skip }, () =>
  site.visit(
    badge(11),
    async (page) => {
      await reaches(page.locator("assay-badge"), "valid");
      await page.keyboard.press("Tab");
      const style = await page.evaluate(() => {
        const link = document.querySelector("assay-badge").shadowRoot.activeElement;
        const { color, backgroundColor, borderRadius, outlineStyle, letterSpacing } = getComputedStyle(link);
        return { color, backgroundColor, borderRadius, outlineStyle, letterSpacing };
      });
      assert.deepEqual(style, { color: "rgb(1, 2, 3)", backgroundColor: "rgb(4, 5, 6)", borderRadius: "0px", outlineStyle: "solid", letterSpacing: "3px" });
    },
    { head: "<style>assay-badge { --assay-green: rgb(1 2 3); --assay-green-sheet: rgb(4 5 6); --assay-radius: 0; } assay-badge:state(valid)::part(badge) { letter-spacing: 3px }</style>" },
  ),
);
