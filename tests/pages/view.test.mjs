// The page of a certificate, `/c/<ledger>/<asset>`: what an employer sees, on a phone, on paper and from a holder's link.
import assert from "node:assert/strict";
import { createServer } from "node:http";
import { after, before, test } from "node:test";
import { gzipSync } from "node:zlib";
import { Cert, generateKey } from "@assay/cert/aih2";
import { toCompact } from "../../www/lib/compact.ts";
import { readFile as readCertificateFile, toFragment } from "../../www/lib/file.ts";
import { emptyPaths } from "../../pkg/view/src/issue.ts";
import { verdictOf } from "../../pkg/view/src/verdict.ts";
import { readFile } from "node:fs/promises";
import { shoot, skip, start } from "./browser.mjs";
import { readCode } from "./qr.mjs";
import { STATES, answer, cert, certificateFile, data, didFile, evidence, ledgerId, metadata, record, report, schema } from "./shared.mjs";

const options = { skip };
let host;
before(async () => {
  if (!skip) host = await start();
});
after(() => host?.stop());

const PAGE = `/c/${ledgerId}/1?lang=en`;

/** Opens the certificate's page with this answer of the service. Waits until the browser has checked the certificate. */
const visit = (changes, act, { address = PAGE, ...more } = {}) =>
  host.visit(
    address,
    async (page) => {
      await settled(page);
      await act(page);
    },
    { routes: { "**/badge.json?*": answer(changes) }, ...more },
  );

const settled = (page) =>
  page.waitForFunction(
    () =>
      document.querySelector(".headline") &&
      ![...document.querySelectorAll(".headline, .why, .checked")].some(({ textContent }) => textContent.endsWith("…")) &&
      !/…/.test(document.querySelector(".checked")?.textContent ?? ""),
  );
/** The headline after the check. Tests of unreadable links open the page without `visit`. */
const headline = async (page) => {
  await settled(page);
  return page.locator(".headline").innerText();
};
const parts = async (page) => (await page.locator(".parts li").allInnerTexts()).map((text) => text.replace(/\s+/g, " "));
const paper = async (page) => (await page.locator(".paper").innerText()).replace(/[\u2068\u2069]/g, "");
const marks = (page) => page.locator(".mark").allInnerTexts();

const HEADLINES = {
  valid: ["Valid. Issued by uni.example", "green", 0],
  "valid-by-operator": ["Valid. Issued by University of Example, confirmed by assay.example", "green", 0],
  changed: ["Changed", "red", 1],
  "other-asset": ["Copied from another certificate", "red", 0],
  withdrawn: ["Withdrawn on 21 September 2026", "grey-red", 0],
  "never-issued": ["No certificate at this address", "grey", 0],
  "unknown-ledger": ["Never issued: no such ledger", "red", 0],
  "issuer-disowned": ["uni.example says this account is not theirs", "red", 0],
  "not-proven": ["Shows more than was proven", "red", 2],
  expired: ["Expired: it was valid until 31 October 2026", "amber", 0],
  replaced: ["Replaced on 1 November 2026", "amber", 0],
  "not-checked": ["Could not be checked", "grey", 0],
  "issuer-no-longer-confirmed": ["Unchanged, but uni.example no longer confirms the issuer", "amber", 0],
  "issuer-not-confirmed": ["Unchanged. Issuer not confirmed", "amber", 0],
};
for (const [code, [text, look, marked]] of Object.entries(HEADLINES)) {
  test(`the headline ${code} has its text and look, and only faults are marked`, options, () =>
    visit(STATES[code], async (page) => {
      assert.equal(await headline(page), text);
      assert.equal(await page.locator(".verdict").getAttribute("data-look"), look);
      assert.equal((await parts(page)).length, 3);
      // The asset id of a copied certificate is wrong, and is marked among its fields.
      assert.equal((await marks(page)).length, code === "other-asset" ? 1 : marked);
      // The page itself writes only the registrable part of its own host in bold.
      assert.equal(await page.locator(".ruling b, .parts b, .verdict img").count(), 0);
      // Only a certificate that counts confirms values of a paper.
      const isConfirmed = ["green", "amber"].includes(look) && code !== "replaced";
      assert.equal(await page.locator(".compare, .unconfirmed").count(), isConfirmed ? 2 : 0);
      assert.equal(await page.locator("h1").count(), 1);
    }),
  );
}

/** For each headline, what its next step says, and where its links lead. */
const STEPS = {
  valid: [/compare the name with an identity card/, ["https://uni.example/"]],
  "valid-by-operator": [/compare the name with an identity card/, []],
  changed: [/Ask the person for the original link or file/, ["https://uni.example/"]],
  "other-asset": [/Ask the person for the certificate to which these details belong/, ["https://uni.example/"]],
  withdrawn: [/Ask the issuer if you need to know more/, ["https://uni.example/"]],
  "never-issued": [/Compare this number with the one that you were given: 1\./, []],
  "unknown-ledger": [/It may belong to another service than 127\.0\.0\.1/, []],
  "issuer-disowned": [/Tell uni\.example that somebody uses their name/, ["https://uni.example/"]],
  "not-proven": [/a link or a file that shows only certified details/, []],
  expired: [/Ask the person for a newer certificate/, ["https://uni.example/"]],
  replaced: [/Ask the holder for the link of the current certificate/, ["https://uni.example/"]],
  "not-checked": [/Try it again in a few minutes/, []],
  "issuer-no-longer-confirmed": [/Ask the organisation whether it still stands by this certificate/, ["https://uni.example/"]],
  "issuer-not-confirmed": [/^Confirmed means: .* Take its address from elsewhere, not from the certificate\./, []],
};
test("each headline has a next step, and the page names its own host", options, async () => {
  assert.deepEqual(Object.keys(STEPS).sort(), Object.keys(HEADLINES).sort());
  for (const [code, [text, links]] of Object.entries(STEPS)) {
    await visit(STATES[code], async (page) => {
      assert.match(await page.locator(".next p").first().innerText(), text, code);
      assert.deepEqual(await page.locator(".next a").evaluateAll((all) => all.map(({ href }) => href)), links, code);
      assert.equal(await page.locator(".next .host").innerText(), `You are on ${new URL(host.url).host}. Compare this with your browser’s address bar.`);
      await shoot(page, `next-${code}`);
    });
  }
});

test("the next step of a certificate that could not be checked is to try again", options, () =>
  visit(STATES["not-checked"], async (page) => {
    await page.route("**/badge.json?*", (route) => route.fulfill(answer()));
    await page.locator(".next").getByRole("button", { name: "Try again" }).click();
    await page.locator("[data-code=valid]").waitFor();
  }),
);

test("an embedded certificate has a next step, but does not name its host", options, () =>
  visit(
    STATES.withdrawn,
    async (page) => {
      await page.locator(".next", { hasText: "Ask the issuer" }).waitFor();
      assert.equal(await page.locator(".next .host").count(), 0);
    },
    { address: `${PAGE}&embed` },
  ),
);

/** The vectors that the library's own tests use too. */
const vectors = JSON.parse(await readFile(new URL("../vectors/verdict/headlines.json", import.meta.url), "utf8"));

test("the page finds the headlines of the vectors in the library's table", () => {
  const codes = vectors.headlines.map(({ code }) => code).sort();
  assert.deepEqual([Object.keys(HEADLINES).sort(), Object.keys(STATES).sort()], [codes, codes]);
  for (const {
    code,
    look,
    when: { integrity = "unchanged", status = "inForce", issuer = "notConfirmed" },
  } of vectors.headlines) {
    // The service's answer has another headline, so the page chooses one itself.
    const verdict = verdictOf({ headline: { code: "something-new" } }, { integrity, status: { kind: status }, issuer: { kind: issuer } });
    assert.deepEqual([verdict.code, verdict.look], [code, look]);
  }
});

test("the page shows the text of a headline that it does not know", () => {
  const unknown = verdictOf({ ...report, headline: { code: "something-new", look: "amber", text: "Something new" } });
  assert.deepEqual([unknown.text, unknown.look], ["Something new", "amber"]);
});

test("an address without a certificate says that the link may be incomplete", options, () =>
  visit(STATES["never-issued"], async (page) => {
    assert.deepEqual(await parts(page), ["Content: Content not checked", "Status: Status not known", "Issuer: Issuer not known"]);
    assert.match(await page.locator(".why").innerText(), /^The link may be incomplete\./);
    assert.match(await page.title(), /^No certificate at this address/);
    assert.doesNotMatch(await page.locator("#view").innerText(), /could not check it again/);
  }),
);

test("the issuer's line of changed or copied content names the owner of the number in grey", options, async () => {
  for (const code of ["changed", "other-asset"]) {
    await visit(STATES[code], async (page) => {
      assert.equal((await parts(page))[2], "Issuer: The number belongs to a certificate of uni.example");
      assert.equal(await page.locator('[data-part="issuer"]').getAttribute("data-state"), "unsure");
    });
  }
});

test("a disowned account shows both domains if another domain claims it", options, () =>
  visit({ ...STATES["issuer-disowned"], issuer: { ...STATES["issuer-disowned"].issuer, otherDomain: "thief.example" } }, async (page) => {
    assert.equal(await headline(page), "uni.example says this account is not theirs");
    assert.equal((await parts(page))[2], "Issuer: Not issued by uni.example, although thief.example claims the account");
  }),
);

test("the sheet shows titles, dates, a table, and one line for hidden fields", options, () =>
  visit({}, async (page) => {
    assert.deepEqual(await parts(page), ["Content: Unchanged", "Status: In force", "Issuer: Issued by uni.example"]);
    const text = await paper(page);
    assert.match(text, /^University of Example\s+uni\.example\s+COURSE CERTIFICATE\s+Applied Cryptography, advanced course\s+Issued to those who/);
    assert.match(text, /Holder\s+Ada Example[\s\S]*Issued on\s+30 June 2026[\s\S]*Hours of teaching\s+96[\s\S]*Grade\s+Subject\s+Points\s+Hash functions\s+97\.5[\s\S]*Valid until\s+30 June 2099/);
    assert.match(text, /Not shown: Holder · Email and Holder · Born on\./);
    const ruling = (await page.locator(".ruling").innerText()).replace(/[\u2068\u2069]/g, "");
    assert.match(ruling, /Compare with the paper:\s+Applied Cryptography, advanced course\s+Holder Ada Example\s+Issued on 30 June 2026/);
    assert.match(ruling, /Not shown here: Holder · Email and Holder · Born on\. If they stand on a paper, this page does not confirm them\./);
    assert.match(text, /Checked by your browser on /);
    // The document already contains the day of issue, so the sheet shows it only once. It shows no technical ids.
    assert.equal(text.match(/30 June 2026/g).length, 1);
    assert.doesNotMatch(text.replace(/Check this certificate at\s+\S+/, ""), /0x[0-9a-f]{40}/i);
    assert.equal(await page.locator(".paper .picture").count(), 1);
    assert.match(await page.title(), /^Valid\. Issued by uni\.example/);
    for (const word of ["imprint", "evidence", "proof"]) assert.doesNotMatch(await page.locator("main").innerText(), new RegExp(word, "i"));
  }),
);

test("the service's verdict is shown before the browser has checked the certificate", options, () =>
  host.visit(
    PAGE,
    async (page) => {
      await page.locator("[data-code=valid]").waitFor();
      assert.match(await paper(page), /Ada Example[\s\S]*Your browser is checking it again…/);
      assert.equal(await page.locator(".paper a:not(.address a), .paper .picture").count(), 0);
    },
    { routes: { "**/badge.json?*": answer(), "**/workers/documents/*.js": { contentType: "text/javascript", body: "" } } },
  ),
);

test("the browser detects a changed document although the service calls it valid", options, () =>
  visit({ metadata: { ...report.metadata, hours: 960 } }, async (page) => {
    assert.equal(await headline(page), "Changed");
    assert.deepEqual(await marks(page), ["Changed. Certified was: 96"]);
    assert.match(await page.locator("[data-mark=changed]").first().innerText(), /Hours of teaching\s+960/);
  }),
);

test("each added value is marked", options, () =>
  visit(STATES["not-proven"], async (page) => {
    assert.deepEqual(new Set(await marks(page)), new Set(["Not certified: anybody may have added this."]));
    assert.equal(await page.locator(".fields [data-mark=added] dt").count(), 2);
  }),
);

test("if the browser cannot check, the service's verdict stays and the page says so", options, () =>
  visit(
    {},
    async (page) => {
      assert.equal(await headline(page), "Valid. Issued by uni.example");
      assert.match(await paper(page), /Checked by 127\.0\.0\.1:\d+ on .* Your browser could not check it again\./);
    },
    { routes: { "**/badge.json?*": answer(), "**/*.wasm": { status: 404, body: "" } }, expected: [/404/] },
  ),
);

test("without an answer of the service, there is no verdict, but the visitor can try again", options, () =>
  host.visit(
    PAGE,
    async (page) => {
      assert.equal(await headline(page), "Could not be checked");
      assert.match(await page.locator(".why").innerText(), /The service did not answer/);
      await page.route("**/badge.json?*", (route) => route.fulfill(answer()));
      await page.getByRole("button", { name: "Try again" }).click();
      await page.locator("[data-code=valid]").waitFor();
    },
    { routes: { "**/badge.json?*": { status: 503, body: "" } }, expected: [/503/] },
  ),
);

const link = async (paths, changes) => `${PAGE}#${await toFragment({ ...(await certificateFile(paths, changes)), document: null })}`;

test("a holder's link shows its own fields, without the public document and without sending them", options, async () => {
  const asked = [];
  const address = await link([["name"], ["holder", "email"]]);
  await visit(
    { metadata: null, evidence: null, schema: null, integrity: "notChecked", valid: null, headline: STATES["not-checked"].headline },
    async (page) => {
      assert.equal(await headline(page), "Valid. Issued by uni.example");
      const text = await paper(page);
      assert.match(text, /Applied Cryptography, advanced course[\s\S]*Holder · Email\s+ada@example\.com/);
      assert.match(text, /Not shown: Achievement, Picture, .*Holder · Name/);
      assert.deepEqual(await page.locator(".compare .value").allInnerTexts(), ["Applied Cryptography, advanced course", "ada@example.com"]);
      assert.match(await page.locator(".unconfirmed").innerText(), /Holder/);
      assert.match(await page.locator(".below").innerText(), /The holder shows you this part of the certificate\./);
      page.on("request", (request) => asked.push(request));
      await page.reload();
      await settled(page);
      const sent = asked.map((request) => `${request.url().split("#")[0]} ${JSON.stringify(request.headers())} ${request.postData()}`).join("\n");
      assert.ok(asked.length > 5 && !sent.includes("ada@example.com") && !sent.includes(address.split("#")[1].slice(0, 60)));
    },
    { address },
  );
});

test("a copy whose check has not ended is called neither valid nor unchecked", options, () =>
  host.visit("/health", async (page) => {
    const checked = Promise.withResolvers();
    await page.route("**/badge.json?*", (route) => route.fulfill(answer()));
    await page.route("**/*.wasm", async (route) => {
      await checked.promise;
      await route.continue();
    });
    const address = await link([["name"], ["holder", "email"]]);
    await page.goto(new URL(address, host.url).href);
    await page.locator(".verdict .parts").waitFor();
    assert.equal(await page.locator(".headline").innerText(), "Checking the certificate…");
    assert.equal(await page.locator(".verdict").getAttribute("data-look"), "grey");
    assert.equal(await page.locator(".compare").count(), 0);
    checked.resolve();
    await settled(page);
    assert.equal(await headline(page), "Valid. Issued by uni.example");
  }),
);

test("a link of another certificate and a changed link are not valid", options, async () => {
  const other = new Cert({ schema, key: generateKey() });
  const evidence = await other.disclose({ ...data, hours: 960 }, [["hours"], ["ledgerId"], ["assetId"]]);
  await visit(
    {},
    async (page) => {
      assert.equal(await headline(page), "Changed");
      assert.match(await page.locator(".why").innerText(), /This copy does not match the record\./);
      assert.doesNotMatch(await paper(page), /Hours/);
    },
    { address: await link([], { evidence }) },
  );

  const mine = await cert.disclose(data, [["hours"], ["ledgerId"], ["assetId"]]);
  const forged = { ...mine, values: mine.values.map(([path, value]) => (path[0] === "hours" ? [path, 960] : [path, value])) };
  await visit({}, async (page) => assert.equal(await headline(page), "Changed"), { address: await link([], { evidence: forged }) });
});

test("a holder's copy shows the date of its replacement or withdrawal", options, async () => {
  const address = await link([["hours"]]);
  const past = { imprint: report.asset.imprint, endedAt: "2026-10-02T00:00:00.000Z", withdrawn: false };
  await visit(
    { asset: { ...record, imprint: "0".repeat(64), pastImprints: [past] } },
    async (page) => {
      assert.equal(await headline(page), "Replaced on 2 October 2026");
      assert.match(await paper(page), /Hours of teaching\s+96/);
    },
    { address },
  );
  await visit(
    { ...STATES.withdrawn, asset: { ...STATES.withdrawn.asset, pastImprints: [{ ...past, withdrawn: true }] } },
    async (page) => {
      assert.equal(await headline(page), "Withdrawn on 21 September 2026");
      assert.match(await page.locator(".reason").innerText(), /Issued by <b>mistake<\/b>\.\s+The issuer’s words/);
      assert.match(await paper(page), /Hours of teaching\s+96/);
      assert.equal((await parts(page))[0], "Content: Unchanged");
    },
    { address },
  );
});

test("a holder's copy without its expiry date is expired if the public documents are", options, async () => {
  const expiresAt = "2026-11-01T00:00:00.000Z";
  const expired = { ...STATES.expired, status: { ...STATES.expired.status, expiresAt } };
  await visit(expired, async (page) => assert.equal(await headline(page), "Expired: it was valid until 31 October 2026"), { address: await link([["hours"]]) });
});

test("a holder's copy of a certificate whose id was used again has its own status", options, async () => {
  const past = { imprint: "0".repeat(64), endedAt: "2026-09-21T14:13:20.000Z", withdrawn: true };
  const reused = { ...STATES.withdrawn, asset: { ...record, withdrawnBefore: past.endedAt, pastImprints: [past] } };
  await visit(
    reused,
    async (page) => {
      assert.equal(await headline(page), "Valid. Issued by uni.example");
      assert.equal(await page.locator(".reason").count(), 0);
    },
    { address: await link([["hours"]]) },
  );
});

test("a withdrawn certificate shows what it was, with a stamp, while its public documents are there", options, async () => {
  const past = { imprint: report.asset.imprint, endedAt: "2026-09-21T14:13:20.000Z", withdrawn: true };
  const documents = { metadata: report.metadata, evidence: report.evidence, schema };
  const withdrawn = { ...STATES.withdrawn, ...documents, asset: { ...STATES.withdrawn.asset, pastImprints: [past] } };
  await visit(withdrawn, async (page) => {
    await page.locator(".checked", { hasText: "Checked by your browser" }).waitFor();
    assert.equal(await headline(page), "Withdrawn on 21 September 2026");
    assert.match(await paper(page), /Applied Cryptography, advanced course[\s\S]*Hours of teaching\s+96/);
    assert.equal(await page.locator(".paper").getAttribute("data-stamp"), "Withdrawn");
    assert.match(await page.locator(".paper").evaluate((sheet) => getComputedStyle(sheet, "::after").content), /Withdrawn/);
    await page.emulateMedia({ media: "print" });
    assert.match(await page.locator(".paper").evaluate((sheet) => getComputedStyle(sheet, "::after").content), /Withdrawn/);
    await page.emulateMedia({ media: "screen" });
    await shoot(page, "withdrawn");
  });
  // Documents that do not match the withdrawn certificate are not shown, and do not change the verdict.
  await visit({ ...withdrawn, metadata: { ...report.metadata, hours: 960 } }, async (page) => {
    assert.equal(await headline(page), "Withdrawn on 21 September 2026");
    assert.doesNotMatch(await page.locator("#view").innerText(), /\b960\b|Applied Cryptography/);
  });
});

test("a replaced copy links to the current certificate", options, async () => {
  const past = { imprint: report.asset.imprint, endedAt: "2026-10-02T00:00:00.000Z", withdrawn: false };
  await visit(
    { asset: { ...record, imprint: "0".repeat(64), pastImprints: [past] } },
    async (page) => {
      await shoot(page, "replaced");
      const link = page.getByRole("link", { name: "Open the current certificate" });
      assert.equal(await link.getAttribute("href"), `/c/${ledgerId}/1`);
    },
    { address: await link([["hours"]]) },
  );
});

test("empty fields with a proof are not mentioned, and fields without a proof are not shown", options, async () => {
  const { hours, grades, validUntil, ...rest } = data;
  const imprint = (await cert.imprint(rest)).replace("aih2:", "");
  const shown = [["name"], ["ledgerId"], ["assetId"]];
  const metadata = cert.expose(rest, shown);
  const empty = emptyPaths(schema, rest, shown);
  await visit({ asset: { ...record, imprint }, metadata, evidence: await cert.disclose(rest, [...shown, ...empty]) }, async (page) => {
    await shoot(page, "empty");
    assert.match(await paper(page), /Not shown: Achievement, Picture, Holder and Issued on\./);
  });
  await visit({ asset: { ...record, imprint }, metadata, evidence: await cert.disclose(rest, shown) }, async (page) => {
    assert.match(await paper(page), /Not shown: Achievement, Picture, Holder, Issued on, Hours of teaching, Grade and Valid until\./);
  });
});

test("an expiry date counts even if only the holder shows it", options, async () => {
  const old = { ...data, validUntil: "2026-01-31" };
  const imprint = (await cert.imprint(old)).replace("aih2:", "");
  const evidence = await cert.disclose(old, [["validUntil"], ["ledgerId"], ["assetId"]]);
  await visit({ asset: { ...record, imprint } }, async (page) => assert.equal(await headline(page), "Expired: it was valid until 31 January 2026"), { address: await link([], { evidence }) });
});

test("a link that lacks a part gets a grey page in the visitor's language", options, async () => {
  const whole = await link([["name"]]);
  for (const [address, lang, title] of [
    [whole.slice(0, -30), "en", "This link is incomplete"],
    [whole.replace(/#1.{20}/, "#"), "de", "Dieser Link ist unvollständig"],
    [whole.replace(/#.*$/, "#1"), "fr", "Ce lien est incomplet"],
    [`${whole.slice(0, -40)}.`, "es", "Este enlace está incompleto"],
  ]) {
    await visit(
      {},
      async (page) => {
        assert.equal(await headline(page), title);
        assert.equal(await page.locator(".verdict").getAttribute("data-look"), "grey");
      },
      { address: address.replace("lang=en", `lang=${lang}`) },
    );
  }
});

test("a link that other programs changed shows the certificate, and the address is repaired", options, async () => {
  const whole = await link([["name"]]);
  for (const change of [(text) => `${text}).`, (text) => `${text}&utm_source=mail`, (text) => `${text.slice(0, -50)}%0A${text.slice(-50)}`, (text) => text.replace("#", "?utm_source=mail%23")]) {
    await visit(
      {},
      async (page) => {
        assert.match(await paper(page), /Applied Cryptography/);
        assert.equal(await page.locator(".verdict").getAttribute("data-look"), "green");
        assert.match(new URL(page.url()).hash, /^#1[\w-]+$/);
      },
      { address: change(whole) },
    );
  }
});

test("the page's file has the public part of the certificate and a copy of the domain's confirmation", options, () =>
  visit({}, async (page) => {
    const [download] = await Promise.all([page.waitForEvent("download"), page.getByRole("button", { name: "Download as a file" }).click()]);
    assert.equal(download.suggestedFilename(), "applied-cryptography-advanced-course-1.assay.json");
    const file = readCertificateFile(await readFile(await download.path(), "utf8"));
    assert.deepEqual([file.imprint, file.document, file.confirmation.domain], [report.asset.imprint, report.metadata, "uni.example"]);
  }),
);

test("a file can be made for a domain with a port, and a failure is a sentence", options, async () => {
  const save = (page) => page.getByRole("button", { name: "Download as a file" });
  await visit({ issuer: { ...report.issuer, domain: "127.0.0.1:8090" } }, async (page) => {
    const [download] = await Promise.all([page.waitForEvent("download"), save(page).click()]);
    assert.equal(readCertificateFile(await readFile(await download.path(), "utf8")).confirmation.domain, "127.0.0.1:8090");
  });
  await visit({ issuer: { ...report.issuer, domain: "a domain" } }, async (page) => {
    await save(page).click();
    await page.locator(".save-note", { hasText: /^The file could not be made/ }).waitFor();
  });
});

test("the sheet prints on one page, with its address and a QR code", options, () =>
  visit(
    {},
    async (page) => {
      await page.locator(".qr svg").waitFor({ state: "attached" });
      assert.equal(await readCode(page.locator(".qr svg")), `${new URL(host.url).origin}/c/${ledgerId}/1`);
      for (const format of ["A4", "Letter"]) {
        const pdf = await page.pdf({ format });
        assert.equal(pdf.toString("latin1").match(/\/Type\s*\/Page[^s]/g).length, 1, format);
      }
      await page.emulateMedia({ media: "print" });
      for (const part of [".paper h1", ".qr", ".address", ".check-paper"]) assert.ok(await page.locator(part).isVisible(), part);
      for (const part of ["nav", ".actions", ".languages", ".technical", ".checked"]) assert.ok(!(await page.locator(part).first().isVisible()), part);
    },
    { viewport: { width: 390, height: 844 } },
  ),
);

test("a printed page says to check it instead of a favourable verdict, and keeps a warning", options, async () => {
  for (const [code, isPrinted] of [
    ["valid", false],
    ["issuer-not-confirmed", false],
    ["expired", false],
    ["changed", true],
    ["withdrawn", true],
  ]) {
    await visit(STATES[code], async (page) => {
      await page.emulateMedia({ media: "print" });
      assert.equal(await page.locator(".verdict").isVisible(), isPrinted, code);
      assert.match(await page.locator(".check-paper").innerText(), /^Check before you rely on it:/);
      await shoot(page, `page-${code}`);
      await page.emulateMedia({ media: "screen" });
      assert.ok(await page.locator(".verdict").isVisible());
      assert.ok(!(await page.locator(".check-paper").isVisible()));
    });
  }
});

test("the page takes at most 7 requests and 30 KB before its verdict", options, () =>
  host.visit("/health", async (page) => {
    const loads = [];
    page.on("request", (request) => loads.push(request.url()));
    await page.route("**/badge.json?*", (route) => route.fulfill(answer()));
    // The verdict does not wait for the check in the browser, the QR code, the next step or the titles in other languages.
    const isLater = (url) => /^\/(workers|chunks\/(qr|later|en\.holder)-)/.test(new URL(url).pathname);
    await page.route(isLater, () => {});
    await page.goto(new URL(PAGE, host.url).href);
    await page.locator("[data-code=valid]").waitFor();
    const bodyOf = async (url) => (url.includes("/badge.json") ? Buffer.from(answer().body) : (await page.request.get(url, { headers: { accept: "text/html" } })).body());
    const before = loads.filter((url) => !isLater(url));
    const sizes = await Promise.all(before.map(async (url) => [new URL(url).pathname, gzipSync(await bodyOf(url)).length]));
    const total = sizes.reduce((sum, [, size]) => sum + size, 0);
    console.log(`${before.length} requests, ${total} bytes gzipped before the verdict`);
    assert.ok(total <= 30 * 1024 && before.length <= 7, JSON.stringify(sizes));
  }),
);

test("other sites can frame only the embedded certificate", options, async () => {
  // The framing page is on this machine, because browsers do not let public pages frame a page of this machine.
  const frame = (query) => `<!doctype html><title>Shop</title><iframe src="${new URL(`/c/${ledgerId}/1?lang=en${query}`, host.url)}" width="600" height="800"></iframe>`;
  const shop = createServer((request, response) => response.writeHead(200, { "content-type": "text/html" }).end(frame(request.url === "/embed" ? "&embed" : "")));
  await new Promise((resolve) => shop.listen(0, "127.0.0.1", resolve));
  const address = `http://127.0.0.1:${shop.address().port}`;
  try {
    await host.visit(
      `${address}/embed`,
      async (page) => {
        const inside = page.frameLocator("iframe");
        await inside.locator("[data-code=valid]").waitFor();
        assert.ok(!(await inside.locator("nav").isVisible()));
        assert.equal(await inside.locator(".address a").getAttribute("target"), "_blank");
        const refused = page.waitForEvent("console", (message) => /frame-ancestors/.test(message.text()));
        await page.goto(`${address}/page`);
        await refused;
        assert.equal(await page.frameLocator("iframe").locator(".verdict").count(), 0);
      },
      { routes: { "**/badge.json?*": answer() }, expected: [/frame-ancestors/, /404/] },
    );
  } finally {
    shop.close();
  }
});

test("a picture of another host is loaded only on request", options, async () => {
  const document = { ...data, image: "https://pictures.example/ada.png" };
  const paths = [["name"], ["image"], ["ledgerId"], ["assetId"]];
  const changes = { asset: { ...record, imprint: (await cert.imprint(document)).replace("aih2:", "") }, metadata: cert.expose(document, paths), evidence: await cert.disclose(document, paths) };
  await visit(changes, async (page) => {
    const asked = [];
    page.on("request", (request) => asked.push(request.url()));
    assert.equal(await page.locator(".paper img").count(), 0);
    await page.route("https://pictures.example/*", (route) => route.fulfill({ contentType: "image/svg+xml", body: '<svg xmlns="http://www.w3.org/2000/svg" width="2" height="2"/>' }));
    await page.getByRole("button", { name: "Show the picture from pictures.example" }).click();
    await page.locator(".paper img").waitFor();
    assert.deepEqual(
      asked.filter((url) => !url.startsWith(host.url)),
      ["https://pictures.example/ada.png"],
    );
  });
});

test("a logo that does not load is left out", options, () =>
  visit(
    { issuer: { ...report.issuer, logo: "https://uni.example/logo.svg" } },
    async (page) => {
      await page.locator(".logo").waitFor({ state: "detached" });
      assert.match(await paper(page), /University of Example/);
    },
    { routes: { "**/badge.json?*": answer({ issuer: { ...report.issuer, logo: "https://uni.example/logo.svg" } }), "https://uni.example/logo.svg": { status: 404, body: "" } }, expected: [/404/] },
  ),
);

test("only a logo of the confirming domain is shown", options, async () => {
  for (const [logo, count] of [
    ["https://uni.example/logo.svg", 1],
    ["https://uni.example.evil.example/logo.svg", 0],
    ["http://uni.example/logo.svg", 0],
    ["javascript:alert(1)", 0],
  ]) {
    await visit({ issuer: { ...report.issuer, logo } }, async (page) => assert.equal(await page.locator(".logo").count(), count, logo), {
      routes: {
        "**/badge.json?*": answer({ issuer: { ...report.issuer, logo } }),
        "https://uni.example/logo.svg": { contentType: "image/svg+xml", body: '<svg xmlns="http://www.w3.org/2000/svg" width="2" height="2"/>' },
      },
    });
  }
  await visit({}, async (page) => assert.equal(await page.locator(".logo, .issuer-name").count(), 1), {
    routes: { "**/badge.json?*": answer({ ...STATES["issuer-not-confirmed"], issuer: { ...STATES["issuer-not-confirmed"].issuer, name: "University", logo: "https://uni.example/logo.svg" } }) },
  });
});

test("the browser asks the domain itself, and a disowned account turns the verdict red", options, async () => {
  const byFile = { issuer: { ...report.issuer, checkedBy: "didJson" } };
  for (const [service, code, line] of [
    [{ name: "University" }, "valid", /Your browser read the confirmation of uni\.example itself\./],
    [{ revoked: [report.issuer.account] }, "issuer-disowned", /^$/],
    [null, "valid", /could not read the confirmation of uni\.example itself: the service read it on 23 November 2026/],
  ]) {
    const routes = { "**/badge.json?*": answer(byFile), ...(service === null ? {} : { "https://uni.example/.well-known/did.json": didFile(service) }) };
    await visit(
      byFile,
      async (page) => {
        await page.locator(`[data-code=${code}]`).waitFor();
        if (code === "valid") await page.waitForFunction(() => document.querySelector(".issuer-check")?.textContent !== "");
        assert.match(await page.locator(".issuer-check").textContent(), line);
      },
      { routes, expected: [/uni\.example|ERR_/] },
    );
  }
});

test("texts of a document are shown as text and cannot change the page", options, async () => {
  const document = { ...data, name: "<img src=x onerror=alert(1)>\u202eevil", holder: { ...data.holder, name: "</p><script>alert(1)</script>" } };
  const paths = [["name"], ["holder", "name"], ["ledgerId"], ["assetId"]];
  const changes = {
    asset: { ...record, imprint: (await cert.imprint(document)).replace("aih2:", "") },
    metadata: cert.expose(document, paths),
    evidence: await cert.disclose(document, paths),
    ledger: { ...report.ledger, name: "<b>University</b>" },
  };
  await visit(changes, async (page) => {
    assert.equal(await headline(page), "Valid. Issued by uni.example");
    // The page itself writes only the issuer's domain in bold.
    assert.deepEqual(await page.locator("main script, main img[src=x], .technical b").evaluateAll((all) => all.map(({ outerHTML }) => outerHTML)), ["<b>uni.example</b>"]);
    assert.match(await paper(page), /<img src=x onerror=alert\(1\)>\\u\{202e\}evil[\s\S]*<\/p><script>/);
  });
});

for (const [language, text] of [
  ["de", "Gültig. Ausgestellt von uni.example"],
  ["fr", "Valable. Délivré par uni.example"],
  ["es", "Válido. Emitido por uni.example"],
]) {
  test(`the page has its texts in ${language}`, options, () =>
    visit(
      {},
      async (page) => {
        assert.equal(await headline(page), text);
        assert.equal(await page.evaluate(() => document.documentElement.lang), language);
      },
      { address: `/c/${ledgerId}/1?lang=${language}` },
    ),
  );
}

test("the sheet fits a phone", options, () =>
  visit({}, async (page) => assert.ok((await page.evaluate(() => document.documentElement.scrollWidth)) <= 320), { viewport: { width: 320, height: 640 } }),
);

/** The address of a printed code. */
const PRINTED = `/C/${ledgerId.toUpperCase()}/1?lang=en`;
const IDS = { ledger: ledgerId, asset: "1" };
const compared = (page) => page.locator(".compare .value").allInnerTexts();

test("a compact link opens its values with the service's schema", options, async () => {
  const paths = [["name"], ["holder", "name"], ["ledgerId"], ["assetId"]];
  const form = await toCompact({ schema, document: cert.expose(data, paths), evidence: await cert.disclose(data, paths) }, IDS);
  await visit(
    { metadata, evidence },
    async (page) => {
      assert.equal(await headline(page), "Valid. Issued by uni.example");
      assert.ok((await compared(page)).includes(data.holder.name));
      assert.equal(new URL(page.url()).pathname, `/c/${ledgerId}/1`);
      assert.equal(new URL(page.url()).hash, `#${form}`);
    },
    { address: `${PRINTED}#${form}` },
  );
});

test("a supplement is merged with the public evidence, and a forged value in it is detected", options, async () => {
  const holders = await cert.notarize(data);
  for (const [document, code] of [
    [data, "valid"],
    [{ ...data, holder: { ...data.holder, name: "Eve Example" } }, "changed"],
  ]) {
    const form = await toCompact({ schema, document, evidence: holders }, IDS, evidence);
    await visit(
      { metadata, evidence },
      async (page) => {
        assert.equal(await page.locator(".verdict").getAttribute("data-code"), code);
        assert.equal((await compared(page)).includes(data.holder.name), code === "valid");
        assert.equal(await page.locator(".unconfirmed").count(), 0);
      },
      { address: `${PRINTED}#${form}` },
    );
  }
});

test("a compact link is not checked, and never changed, without its public files", options, async () => {
  const holders = await cert.notarize(data);
  const past = [{ imprint: "1".repeat(64), endedAt: "2026-10-02T00:00:00.000Z", withdrawn: false }];
  const other = new Cert({ schema, key: generateKey() });
  const otherEvidence = await other.disclose(data, [["name"], ["ledgerId"], ["assetId"]]);
  const whole = await toCompact({ schema, document: data, evidence: holders }, IDS);
  const supplement = await toCompact({ schema, document: data, evidence: holders }, IDS, evidence);
  for (const [form, changes] of [
    [whole, STATES["not-checked"]],
    [supplement, STATES["not-checked"]],
    [supplement, { metadata: null, evidence: null }],
    // The certificate was replaced after the code was printed.
    [supplement, { metadata, evidence, asset: { ...record, imprint: "2".repeat(64), pastImprints: past } }],
    // The public files are of another certificate.
    [supplement, { ...STATES.changed, metadata, evidence: otherEvidence }],
  ]) {
    await visit(
      changes,
      async (page) => {
        const seen = await headline(page);
        assert.equal(seen, "Could not be checked", JSON.stringify(changes).slice(0, 100) + (await page.locator(".verdict").innerText()) + page.url());
        assert.match(await page.locator(".why").innerText(), /^The public part of this certificate cannot be read now, or it has changed/);
        assert.equal(await page.locator(".compare").count(), 0);
      },
      { address: `${PRINTED}#${form}` },
    );
  }
});

test("a link of a newer version is named, without a verdict", options, () =>
  host.visit(`${PAGE}#3123456`, async (page) => {
    assert.equal(await headline(page), "This link is newer than this page");
    assert.match(await page.locator(".why").innerText(), /^A newer version made this link\./);
  }),
);
