// Open Badges on the pages: an office makes one with a key of its browser, and the verify page compares badges with their certificates.
import assert from "node:assert/strict";
import { generateKeyPairSync, randomBytes } from "node:crypto";
import { readFile } from "node:fs/promises";
import { after, before, test } from "node:test";
import { unzipSync } from "fflate";
import { Host } from "../demo/host.mjs";
import { disclosed, signed } from "../interop/sd-jwts.mjs";
import { assertAccessible } from "./axe.mjs";
import { file, shoot, skip, start } from "./browser.mjs";

const options = { skip };

let site;
let host;
before(async () => {
  if (skip) return;
  const vars = { ENVIRONMENT: "development", PAYMENTS: "off", FILES: "on", ALLOW_PRIVATE_FETCH: "true", BADGE_CACHE_SECONDS: "1", STATUS_KEY: randomBytes(32).toString("hex") };
  [site, host] = await Promise.all([start({ vars }), Host.start()]);
});
after(async () => {
  await host?.stop();
  await site?.stop();
});

async function saved(page, name) {
  const [download] = await Promise.all([page.waitForEvent("download"), page.getByRole("button", { name }).click()]);
  return { name: download.suggestedFilename(), mimeType: "", buffer: await readFile(await download.path()) };
}

/** Returns the text of a file with a new key of an account. */
const newKey = () => `${randomBytes(32).toString("hex")}\n`;

/** Signs in with a key, and has the domain confirm its account. Returns the published file, which the page has written. */
async function confirm(page, { withBadgeKey, key = newKey() }) {
  await page.locator("#sign-in input[type=file]").setInputFiles(file("uni.key.txt", key));
  await page.locator("#ledger").waitFor();
  await page.locator("#domain summary").click();
  const { port } = new URL(host.url(""));
  const check = async (domain, answer) => {
    await page.fill("#domain-name", domain);
    await page.getByRole("button", { name: "Check", exact: true }).click();
    await page.locator("#domain-answer", { hasText: answer }).waitFor();
  };
  host.serve(".well-known/did.json", undefined);
  await check(`localhost:${port}`, "does not confirm you yet");
  await page.getByLabel("Name of your organisation").fill("University of Example");
  if (withBadgeKey) {
    await page.getByLabel("List the badge key of this browser as well").click();
    await page.locator("#domain-file pre", { hasText: "Multikey" }).waitFor();
  }
  const { buffer } = await saved(page, "Download did.json");
  // The service caches its answer about a domain for ten seconds, so the test publishes the file for another name of this machine.
  const published = JSON.parse(String(buffer).replaceAll("localhost", "127.0.0.1"));
  host.serve(".well-known/did.json", published);
  await check(`127.0.0.1:${port}`, "confirms you");
  return published;
}

/** Issues a course certificate with the grade A, which is not public. The domain confirms the account. */
async function issue(page, options) {
  await page.getByRole("radio", { name: "Course certificate" }).press("Space");
  const field = (name) => page.locator("#form").getByLabel(name, { exact: true });
  await field("Course required").fill("Applied Cryptography");
  await field("Holder required").fill("Ada Example");
  await field("Grade").fill("A");
  const did = await confirm(page, options);
  await page.getByRole("button", { name: "Issue the certificate" }).press("Enter");
  await page.locator("#done:not([hidden])").waitFor();
  await page.locator("#view .verdict[data-code=valid]").waitFor();
  return { file: await saved(page, "Save the holder’s file"), link: await page.locator("#link").innerText(), did };
}

/** Opens files on the verify page, and returns the sentence about the badge. */
async function verified(page, chosen, code = "valid") {
  await page.goto(new URL("/verify/?lang=en", site.url).href);
  await page.locator("#given-files").setInputFiles(chosen);
  await page.locator(`#view .verdict[data-code=${code}]`).waitFor();
  // Scrolling to the certificate must leave the sentence in the window.
  const [top, height] = await page.locator("#whose").evaluate((sentence) => [sentence.getBoundingClientRect().top, innerHeight]);
  assert.ok(top >= 0 && top < height, `the sentence is at ${top}`);
  return { text: await page.locator("#whose").innerText(), isWarning: (await page.locator("#whose").getAttribute("data-kind")) === "changed" };
}

/** Picks up the credential of an offer, as a wallet does (OpenID4VCI 1.0). */
async function pickUp(link) {
  const {
    credential_issuer: issuer,
    credential_configuration_ids: [id],
    grants,
  } = JSON.parse(new URL(link).searchParams.get("credential_offer"));
  const [[grant, { "pre-authorized_code": code }]] = Object.entries(grants);
  const ask = async (path, options) => {
    const answer = await (await fetch(`${issuer}/wallet/${path}`, { method: "POST", ...options })).json();
    if (answer.error !== undefined) throw new Error(answer.error);
    return answer;
  };
  const { access_token: token } = await ask("token", { body: new URLSearchParams({ grant_type: grant, "pre-authorized_code": code }) });
  const headers = { authorization: `Bearer ${token}`, "content-type": "application/json" };
  return (await ask("credential", { headers, body: JSON.stringify({ credential_configuration_id: id }) })).credentials[0].credential;
}

/** Checks on the verify page the badge as JWT, and an SD-JWT of its certificate. `holders` is the holder's file, and `same` the sentence about a genuine badge. */
async function checkJwts(page, { did, badge, holders, same }) {
  // The badge as JWT, and an SD-JWT with the grade, which is not public. Their key is listed behind the badge key.
  const { privateKey } = generateKeyPairSync("ec", { namedCurve: "P-256" });
  const { d: _, ...publicKeyJwk } = privateKey.export({ format: "jwk" });
  const jwtKey = { id: `${did.id}#jwt-1`, type: "JsonWebKey2020", controller: did.id, publicKeyJwk };
  const sign = (typ, payload) => signed({ alg: "ES256", typ, kid: jwtKey.id }, payload, privateKey.export({ format: "jwk" }));
  host.serve(".well-known/did.json", { ...did, verificationMethod: did.verificationMethod.toSpliced(1, 0, jwtKey), assertionMethod: [...did.assertionMethod, jwtKey.id] });
  const { proof: __, ...members } = badge;
  const seconds = (time) => Date.parse(time) / 1000;
  const claims = { iss: did.id, jti: badge.id, sub: badge.credentialSubject.id, nbf: seconds(badge.validFrom) };
  const given = (name, text) => ({ name, mimeType: "", buffer: Buffer.from(text) });
  assert.match((await verified(page, given("ada.jwt", sign("JWT", { ...claims, ...members })))).text, same);
  const changed = structuredClone(members);
  changed.credentialSubject.result[0].value = "A+";
  assert.match((await verified(page, given("ada.jwt", sign("JWT", { ...claims, ...changed })))).text, /it says something else than this certificate/);

  const { ledger, asset, imprint, document } = JSON.parse(holders.buffer);
  const { digests, disclosures } = disclosed({ name: document.name, grade: document.grade }, randomBytes(32));
  const visible = {
    iss: `https://${decodeURIComponent(did.id.slice("did:web:".length))}`,
    vct: `${new URL(site.url).origin}/vct/0x00`,
    nbf: claims.nbf,
    ledgerId: ledger.toLowerCase(),
    assetId: asset,
    imprint: `aih2:${imprint}`,
    _sd: digests,
    _sd_alg: "sha-256",
  };
  const sdJwt = (claims) => given("ada.sdjwt", [sign("dc+sd-jwt", claims), ...disclosures, ""].join("~"));
  const shown = await verified(page, sdJwt(visible));
  assert.match(shown.text, /^This SD-JWT belongs to this certificate, and 127\.0\.0\.1:\d+ has signed it\. It also shows what is not public: grade: A\.$/);
  assert.equal(shown.isWarning, false);
  await shoot(page, "sd-jwt-verified");
  const forged = sdJwt(visible);
  const other = { ...forged, buffer: Buffer.from(String(forged.buffer).replace(/[^.]{3}~/, "AAA~")) };
  for (const [chosen, sentence] of [
    [other, /its signature is not from 127/],
    [sdJwt({ ...visible, imprint: `aih2:${"0".repeat(64)}` }), /it says something else than this certificate/],
    [sdJwt({ ...visible, exp: 1 }), /has expired/],
    [sdJwt({ ...visible, iss: "https://other.example" }), /names other\.example as its issuer/],
  ]) {
    const { text, isWarning } = await verified(page, chosen);
    assert.match(text, sentence);
    assert.ok(isWarning);
  }
  host.serve(".well-known/did.json", did);
  assert.match((await verified(page, sdJwt(visible))).text, /does not list the key that signed it/);
}

test("an office makes a badge with one edit of its did.json, and the verify page compares it", options, () =>
  site.visit(
    "/issue/?lang=en",
    async (page) => {
      const key = newKey();
      const { did, link, file: holders } = await issue(page, { withBadgeKey: true, key });
      assert.deepEqual(
        did.verificationMethod.map(({ type }) => type),
        ["Multikey", "EcdsaSecp256k1RecoveryMethod2020"],
      );
      await page.locator("#badge-part summary").click();
      await page.locator("#badge-choices").getByLabel("Grade").check();
      await page.getByRole("button", { name: "Make the badge" }).click();
      await page.locator("#badge-made img").waitFor();
      await shoot(page, "badge-made");
      // A badge that shows hidden values must not be uploaded.
      assert.equal(await page.locator("#publish-badge").count(), 0);
      const json = await saved(page, "Save the badge as a file");
      const picture = await saved(page, "Save the picture with the badge inside");
      assert.match(picture.name, /^applied-cryptography-\d+\.badge\.png$/);
      const badge = JSON.parse(json.buffer);
      assert.equal(badge.name, "Applied Cryptography");
      assert.equal(badge.credentialSubject.result[0].value, "A");
      assert.ok(badge.evidence[0].id.startsWith(`${link.toLowerCase()}#1`), badge.evidence[0].id);
      assert.doesNotMatch(String(json.buffer), /Ada/);
      assert.match(badge.credentialStatus.statusListCredential, new RegExp(`^${new URL(site.url).origin}/status/0x[0-9a-f]{40}/0$`));
      await page.getByRole("button", { name: "Offer it to a wallet" }).click();
      await page.locator("#wallet-offer svg").waitFor();
      await shoot(page, "badge-offered");
      await assertAccessible(page);
      const offered = await page.getByRole("link", { name: "Open a wallet on this device" }).getAttribute("href");
      assert.deepEqual(await pickUp(offered), badge);
      await assert.rejects(pickUp(offered), /invalid_grant/);
      await page.getByRole("button", { name: "End this offer" }).click();
      await page.locator("#wallet-offer .note", { hasText: "has used it" }).waitFor();
      // Another offer can be ended before a wallet uses it.
      await page.getByRole("button", { name: "Offer it to a wallet" }).click();
      const ended = await page.getByRole("link", { name: "Open a wallet on this device" }).getAttribute("href");
      await page.getByRole("button", { name: "End this offer" }).click();
      await page.locator("#wallet-offer .note", { hasText: "The offer has ended" }).waitFor();
      await assert.rejects(pickUp(ended), /invalid_grant/);
      // The key stays in the browser, and signs again after a reload.
      await page.goto(new URL("/issue/?lang=en", site.url).href);
      const keys = await page.evaluate(
        () =>
          new Promise(
            (resolve) =>
              (indexedDB.open("assay.badges", 1).onsuccess = ({ target }) =>
                (target.result.transaction("keys").objectStore("keys").get("own").onsuccess = (event) => resolve(event.target.result.privateKey.extractable))),
          ),
      );
      assert.equal(keys, false);

      const same = /^The badge “Applied Cryptography” says the same as this certificate, and 127\.0\.0\.1:\d+ has signed it\.$/;
      for (const chosen of [json, { ...picture, mimeType: "image/png" }]) {
        const { text, isWarning } = await verified(page, chosen);
        assert.match(text, same);
        assert.equal(isWarning, false);
      }
      await shoot(page, "badge-verified");
      for (const [change, sentence] of [
        [(text) => text.replace('"value":"A"', '"value":"A+"'), /its signature is not from 127/],
        [(text) => text.replaceAll("127.0.0.1%3A", "127.0.0.2%3A"), /names 127\.0\.0\.2:\d+ as its issuer/],
      ]) {
        const { text, isWarning } = await verified(page, { ...json, buffer: Buffer.from(change(String(json.buffer))) });
        assert.match(text, sentence);
        assert.ok(isWarning);
      }
      await checkJwts(page, { did, badge, holders, same });
      // Without the key in the file, and with a file that cannot be read.
      const { port } = new URL(host.url(""));
      const [badgeKey, ...others] = did.verificationMethod;
      host.serve(".well-known/did.json", { ...did, verificationMethod: others, assertionMethod: did.assertionMethod.filter((id) => id !== badgeKey.id) });
      assert.match((await verified(page, json)).text, new RegExp(`127\\.0\\.0\\.1:${port} does not list the key that signed it`));
      host.serve(".well-known/did.json", did);
      await page.goto(new URL("/verify/?lang=en", site.url).href);
      const foreign = JSON.stringify({ ...badge, issuer: { id: "did:web:other.example" }, more: 1 });
      await page.locator("#given-files").setInputFiles({ ...json, buffer: Buffer.from(foreign) });
      await page.getByText("This badge is not made from an Assay certificate, so this page cannot check it. Ask other.example which program checks it.").waitFor();
      assert.match(holders.name, /private/);

      // A badge of public values gets the certificate's link as address.
      await page.goto(new URL("/console/?lang=en#issued", site.url).href);
      await page.getByLabel("Open a key file").setInputFiles(file("uni.key.txt", key));
      await page.locator("#badge-part summary").click();
      await page.locator("#badge-source").setInputFiles({ ...holders, mimeType: "application/json" });
      await page.getByRole("button", { name: "Make the badge" }).click();
      await page.getByRole("button", { name: "Put the badge at the certificate’s link" }).click();
      await page.locator("#badge-refusal", { hasText: "Done." }).waitFor();
      const published = await fetch(link, { headers: { accept: "application/vc" } });
      assert.equal(published.headers.get("content-type"), "application/vc+ld+json");
      assert.equal((await published.json()).evidence[0].id, link.toLowerCase());
    },
    { expected: [/404/] },
  ),
);

test("a badge key that the domain does not list is told before signing, with the file to publish", options, () =>
  site.visit(
    "/issue/?lang=en",
    async (page) => {
      const { did, file: holders } = await issue(page, { withBadgeKey: false });
      assert.equal(did.verificationMethod.length, 1);
      await page.goto(new URL("/console/?lang=en#issued", site.url).href);
      await page.getByLabel("Open a key file").setInputFiles(file("other.key.txt", `${randomBytes(32).toString("hex")}\n`));
      await page.getByText("nothing issued yet").or(page.locator("#badge-part")).first().waitFor();
      await page.locator("#badge-part summary").click();
      await page.locator("#badge-source").setInputFiles({ ...holders, mimeType: "application/json" });
      await page.getByRole("button", { name: "Make the badge" }).click();
      const published = await saved(page, "Save did.json");
      await shoot(page, "badge-unlisted");
      await assertAccessible(page);
      const added = JSON.parse(published.buffer);
      assert.deepEqual(added.service, did.service);
      assert.equal(added.verificationMethod[0].type, "Multikey");
      host.serve(".well-known/did.json", added);
      await page.getByRole("button", { name: "I have published it: try again" }).click();
      // The account may not issue on this ledger, so it gets no place in its status lists.
      await page.locator("#badge-refusal", { hasText: "may neither create nor update assets" }).waitFor();
    },
    { bypassCSP: true, expected: [/status of 403/] },
  ),
);

test("each row of a list gets a badge with a place of its own", options, () =>
  site.visit(
    "/issue/many/?lang=en",
    async (page) => {
      const rows = ["Holder;Grade", "Ada Example;A", "Bob Example;B", "Eve Example;C"];
      await page.locator("#file").setInputFiles({ name: "people.csv", mimeType: "text/csv", buffer: Buffer.from(rows.join("\r\n")) });
      await page.locator("#columns").waitFor();
      await page.getByLabel("Course", { exact: false }).first().fill("Applied Cryptography");
      await page.getByRole("button", { name: "Check all rows" }).click();
      await page.locator("#preview").waitFor();
      await confirm(page, { withBadgeKey: true });
      await page.getByRole("button", { name: "Issue 3 certificates" }).click();
      await page.locator("#finished").waitFor();
      await page.locator("#badge-part summary").click();
      await page.locator("#badge-choices").getByLabel("Grade").check();
      await page.getByRole("button", { name: "Make 3 badges" }).click();
      const archive = await saved(page, "Save all 3 badges");
      await shoot(page, "badges-of-a-list");
      await assertAccessible(page);
      assert.equal(archive.name, "people.badges.zip");
      const files = unzipSync(archive.buffer);
      const names = Object.keys(files).sort();
      assert.deepEqual(
        names.map((name) => name.replace(/\d+/, "N")),
        [
          "private/ada-example-N.badge.json",
          "private/ada-example-N.badge.png",
          "private/bob-example-N.badge.json",
          "private/bob-example-N.badge.png",
          "private/eve-example-N.badge.json",
          "private/eve-example-N.badge.png",
        ],
      );
      const badges = names.filter((name) => name.endsWith(".json")).map((name) => JSON.parse(Buffer.from(files[name])));
      assert.deepEqual(
        badges.map(({ credentialSubject }) => credentialSubject.result[0].value),
        ["A", "B", "C"],
      );
      assert.equal(new Set(badges.map(({ credentialStatus }) => credentialStatus.statusListIndex)).size, 3);
      const picture = { name: "eve.png", mimeType: "image/png", buffer: Buffer.from(files[names[5]]) };
      assert.match((await verified(page, picture)).text, /says the same as this certificate/);
    },
    { bypassCSP: true },
  ),
);
