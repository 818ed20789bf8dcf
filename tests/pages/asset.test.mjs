// A link to a real asset: on a ledger of this service, its documents on a server elsewhere, everything asked for by the page.
import assert from "node:assert/strict";
import { randomBytes } from "node:crypto";
import { after, before, test } from "node:test";
import { Cert } from "@assay/cert";
import { Host } from "../demo/host.mjs";
import { Service } from "../support/service.mjs";
import { answerOf, skip, start } from "./browser.mjs";
import { data, disclosed, schema } from "./certificate.mjs";

const SETTINGS = { ENVIRONMENT: "development", DEPOSITS: "test", ALLOW_PRIVATE_FETCH: "true", BADGE_CACHE_SECONDS: "1" };

let site;
let host;
before(async () => {
  if (skip) return;
  site = await start({ vars: SETTINGS, sweepEvery: 1 });
  host = await Host.start();
});
after(async () => {
  await host?.stop();
  await site?.stop();
});

/** Certifies the data with the addresses of its documents in it, and issues it as asset 1 of a new ledger. */
async function issue() {
  const described = { ...schema, properties: { ...schema.properties, $evidence: { type: "string" } } };
  const document = { ...data, $schema: host.url("schema.json"), $evidence: host.url("evidence/1.json") };
  const cert = new Cert({ schema: described });
  const paths = [...disclosed, ["$evidence"]];
  const open = cert.expose(document, paths);
  host.serve("schema.json", described);
  host.serve("metadata/1.json", open);
  host.serve("evidence/1.json", { data: await cert.disclose(document, paths) });

  const service = await Service.connect(site.url);
  const [issuer, holder] = [service.account(randomBytes(32)), service.account(randomBytes(32))];
  await issuer.post("/deposits", { amount: 2000 });
  const ledger = { name: "Courses", symbol: "CRS", uriPrefix: host.url("metadata/"), uriPostfix: ".json", schemaId: cert.identify(), capabilities: [2] };
  const { ledgerId } = await issuer.deploy(ledger);
  await issuer.issue({ ledgerId, assetId: "1", imprint: await cert.imprint(document), receiverId: holder.id });
  return { service, open, query: new URLSearchParams({ ledgerId, assetId: "1" }) };
}

test("a link to an asset loads and verifies it, and finds its forgery out", { skip }, async () => {
  const { service, open, query } = await issue();
  const link = `/verify/?${query}`;
  await site.visit(link, async (page) => {
    const { kind, text } = await answerOf(page);
    assert.equal(kind, "valid", text);
    assert.match(text, /proven under the imprint that the ledger has/);
    assert.match(await page.locator("#imprint-source").innerText(), /, asset 1\.$/);
  });

  host.serve("metadata/1.json", { ...open, name: "Forged" });
  assert.equal(await service.badge(query, (verdict) => verdict === "invalid"), "invalid");
  // What is kept for the page may be a moment older than what is kept for the badge.
  let found;
  for (let visits = 0; visits < 20 && found?.kind !== "invalid"; visits += 1) {
    await site.visit(link, async (page) => (found = await answerOf(page)));
  }
  assert.deepEqual([found.kind, /not what was certified: name\./.test(found.text)], ["invalid", true], found.text);
});
