// The headlines of real certificates on a phone. Signed orders issue the certificates. Other servers have the documents and the issuer's domain.
// If the environment variable SCREENSHOTS is a folder, the test also saves each page there as a picture.
import assert from "node:assert/strict";
import { once } from "node:events";
import { createServer } from "node:http";
import path from "node:path";
import { after, before, test } from "node:test";
import { Cert, generateKey } from "@assay/cert/aih2";
import { Host } from "../demo/host.mjs";
import { newClient, until } from "../support/client.mjs";
import { skip, start } from "./browser.mjs";
import { data, schema } from "./shared.mjs";

const SETTINGS = { ENVIRONMENT: "development", DEPOSITS: "test", ALLOW_PRIVATE_FETCH: "true", BADGE_CACHE_SECONDS: "1" };
const PHONE = { viewport: { width: 390, height: 844 }, deviceScaleFactor: 2, isMobile: true, hasTouch: true };
const SHOWN = [["name"], ["description"], ["image"], ["issuedAt"], ["validUntil"], ["ledgerId"], ["assetId"]];
const DID_FILE = ".well-known/did.json";

const described = { ...schema, properties: { ...schema.properties, $schema: { type: "string" }, $evidence: { type: "string" } } };

/** An organisation with an account, a ledger, a server for its documents, and a server for its domain. */
class Issuer {
  static async start(service) {
    const issuer = new Issuer();
    [issuer.client, issuer.host, issuer.site] = await Promise.all([newClient(service), Host.start(), Host.start()]);
    issuer.me = issuer.client.provider.accountId;
    await issuer.client.createDeposit(2000);
    issuer.host.serve("schema.json", described);
    const ledger = {
      name: "Courses",
      symbol: "CRS",
      uriPrefix: issuer.host.url("metadata/"),
      uriPostfix: ".json",
      schemaId: new Cert({ schema: described }).identify(),
      capabilities: [1, 2],
      ownerId: issuer.me,
    };
    const { data: deployment } = await issuer.client.createDeployment(ledger, 2);
    issuer.ledgerId = (await issuer.client.waitForDeployment(deployment.ref)).data.ledgerId;
    return issuer;
  }

  async perform(...actions) {
    const described = actions.map((action) => ({ assetLedgerId: this.ledgerId, senderId: this.me, ...action }));
    const order = { actions: described, signersIds: [this.me], payerId: this.me, wildcardSigner: false, automatedPerform: true };
    const { data: created } = await this.client.createOrder(order, 2);
    await this.client.waitForOrder(created.ref);
  }

  /** Certifies the document with `changes` for an asset. Returns the imprint and the documents to publish. */
  async certify(id, changes = {}) {
    const pointers = { $schema: this.host.url("schema.json"), $evidence: this.host.url(`evidence/${id}.json`) };
    const document = { ...data, ...pointers, ledgerId: this.ledgerId, assetId: id, ...changes };
    const cert = new Cert({ schema: described, key: generateKey() });
    const paths = [...SHOWN, ["$schema"], ["$evidence"]];
    const [imprint, evidence] = await Promise.all([cert.imprint(document), cert.disclose(document, paths)]);
    return { id, imprint, evidence, metadata: cert.expose(document, paths) };
  }

  publish({ id, metadata, evidence }) {
    this.host.serve(`metadata/${id}.json`, metadata);
    this.host.serve(`evidence/${id}.json`, evidence);
  }

  create({ id, imprint }) {
    return this.perform({ kind: 1, id, imprint, receiverId: this.me });
  }

  /** Issues the document with `changes` as an asset. */
  async issue(id, changes) {
    const certified = await this.certify(id, changes);
    this.publish(certified);
    await this.create(certified);
    return certified;
  }

  get domain() {
    return new URL(this.site.url("")).host;
  }

  /** Publishes the domain's DID document, and waits until the result of the service's check is `state`. */
  async state(issuing, state) {
    const id = `did:web:${this.domain.replace(":", "%3A")}`;
    const accounts = issuing.revoked ? [] : [{ id: `${id}#assay`, type: "EcdsaSecp256k1RecoveryMethod2020", controller: id, blockchainAccountId: `eip155:1:${this.me}` }];
    const service = [{ id: `${id}#assay-issuer`, type: "AssayIssuer", serviceEndpoint: { name: "University of Example", ...issuing } }];
    this.site.serve(DID_FILE, { "@context": ["https://www.w3.org/ns/did/v1"], id, verificationMethod: accounts, assertionMethod: accounts.map(({ id }) => id), service });
    await this.checked(state);
  }

  /** Requests a check of the domain, and waits until its result is `state`. */
  async checked(state) {
    await this.client.setDomain(this.domain);
    const found = await until(
      async () => (await this.client.getDomain()).data,
      (found) => found.state === state && !found.isBeingChecked,
    );
    assert.equal(found.state, state, JSON.stringify(found));
  }

  stop() {
    return Promise.all([this.host.stop(), this.site.stop()]);
  }
}

let service, resolver;
const issuers = [];
before(async () => {
  if (skip) return;
  // A DNS resolver that has no records. If no resolver answered, a check that finds no confirmation would have no result.
  resolver = createServer((_, response) => response.end(JSON.stringify({ Status: 3 }))).listen(0, "127.0.0.1");
  await once(resolver, "listening");
  const vars = { ...SETTINGS, DOH_URL: `http://127.0.0.1:${resolver.address().port}/` };
  service = await start({ vars, sweepEvery: 1 });
});
after(async () => {
  resolver?.close();
  await Promise.all(issuers.map((issuer) => issuer.stop()));
  await service?.stop();
});

async function newIssuer() {
  const issuer = await Issuer.start(service.url);
  issuers.push(issuer);
  return issuer;
}

/** Opens a certificate's page on a phone, at most 20 times, until its verdict is `code`. Asserts that the headline then matches. */
async function look({ ledgerId }, id, code, headline) {
  let found;
  for (let visits = 0; visits < 20 && found?.code !== code; visits += 1) {
    await service.visit(
      `/c/${ledgerId}/${id}?lang=en`,
      async (page) => {
        await page.locator(".checked, .why").filter({ hasNotText: "…" }).first().waitFor();
        await page.waitForFunction(() => !/…$/.test(document.querySelector(".headline").textContent));
        const verdict = page.locator(".verdict");
        found = { code: await verdict.getAttribute("data-code"), text: await page.locator(".headline").innerText() };
        assert.equal(await page.evaluate(() => document.documentElement.scrollWidth <= window.innerWidth), true, "the page scrolls sideways");
        if (process.env.SCREENSHOTS) await page.screenshot({ path: path.join(process.env.SCREENSHOTS, `${code}.png`) });
      },
      { ...PHONE, expected: [/status of 404/] },
    );
  }
  assert.equal(found.code, code, found.text);
  assert.match(found.text.replace(/[\u2066-\u2069]/g, ""), headline);
}

test("certificates of a confirmed issuer have the headlines of their states", { skip }, async () => {
  const issuer = await newIssuer();
  await issuer.state({}, "confirmed");

  await issuer.issue("1");
  await look(issuer, "1", "valid", new RegExp(`^Valid\\. Issued by ${issuer.domain}$`));

  const { metadata } = await issuer.issue("2");
  issuer.host.serve("metadata/2.json", { ...metadata, name: "Applied Cryptography, master course" });
  await look(issuer, "2", "changed", /^Changed$/);

  await issuer.issue("3");
  await issuer.perform({ kind: 6, id: "3" });
  await issuer.client.updateAssetWithdrawal(issuer.ledgerId, "3", "Issued by mistake.");
  await look(issuer, "3", "withdrawn", /^Withdrawn on \d+ \w+ \d{4}$/);

  await issuer.issue("4", { validUntil: "2026-01-31" });
  await look(issuer, "4", "expired", /^Expired: it was valid until 31 January 2026$/);

  await issuer.issue("5");
  const successor = await issuer.certify("5", { hours: 100 });
  await issuer.perform({ kind: 4, id: "5", imprint: successor.imprint });
  await look(issuer, "5", "replaced", /^Replaced on \d+ \w+ \d{4}$/);

  await look(issuer, "6", "never-issued", /^No certificate at this address$/);

  await issuer.create(await issuer.certify("7"));
  await look(issuer, "7", "not-checked", /^Could not be checked$/);

  const genuine = await issuer.issue("8");
  issuer.publish({ ...genuine, id: "9" });
  await issuer.create({ ...genuine, id: "9" });
  await look(issuer, "9", "other-asset", /^Copied from another certificate$/);
});

test("an unconfirmed, a formerly confirmed and a disowned issuer have different headlines", { skip }, async () => {
  const issuer = await newIssuer();
  await issuer.issue("1");
  await look(issuer, "1", "issuer-not-confirmed", /^Unchanged\. Issuer not confirmed$/);

  await issuer.state({}, "confirmed");
  issuer.site.serve(DID_FILE, { id: `did:web:${issuer.domain.replace(":", "%3A")}` });
  await issuer.checked("notConfirmed");
  await look(issuer, "1", "issuer-no-longer-confirmed", new RegExp(`^Unchanged, but ${issuer.domain} no longer confirms the issuer$`));

  await issuer.state({ revoked: [issuer.me] }, "disowned");
  await look(issuer, "1", "issuer-disowned", new RegExp(`^${issuer.domain} says this account is not theirs$`));
});
