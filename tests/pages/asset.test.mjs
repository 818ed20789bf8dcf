// A link to a real asset: on a ledger of this service, its documents on a server elsewhere, everything asked for by the page.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { Host } from "../demo/host.mjs";
import { badge, newClient } from "../support/client.mjs";
import { answerOf, skip, start } from "./browser.mjs";
import { publish } from "./certificate.mjs";

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

/** Publishes the certificate and issues it as asset 1 of a new ledger. */
async function issue() {
  const { open, ledger, imprint } = await publish(host);
  const client = await newClient(site.url);
  const { accountId: me } = client.provider;
  await client.createDeposit(2000);
  const deployment = await client.createDeployment({ ...ledger, ownerId: me }, 2);
  const { ledgerId } = (await client.waitForDeployment(deployment.data.ref)).data;
  const actions = [{ kind: 1, assetLedgerId: ledgerId, id: "1", imprint, senderId: me, receiverId: me }];
  const order = await client.createOrder({ actions, signersIds: [me], payerId: me, wildcardSigner: false, automatedPerform: true }, 2);
  await client.waitForOrder(order.data.ref);
  return { client, open, ledgerId };
}

test("a link to an asset loads and verifies it, and finds its forgery out", { skip }, async () => {
  const { client, open, ledgerId } = await issue();
  const link = `/verify/?${new URLSearchParams({ ledgerId, assetId: "1" })}`;
  await site.visit(link, async (page) => {
    const { kind, text } = await answerOf(page);
    assert.equal(kind, "valid", text);
    assert.match(text, /proven under the imprint that the ledger has/);
    assert.match(await page.locator("#imprint-source").innerText(), /, asset 1\.$/);
  });

  host.serve("metadata/1.json", { ...open, name: "Forged" });
  assert.equal(await badge(client, ledgerId, "1", "invalid"), "invalid");
  // What is kept for the page may be a moment older than what is kept for the badge.
  let found;
  for (let visits = 0; visits < 20 && found?.kind !== "invalid"; visits += 1) {
    await site.visit(link, async (page) => (found = await answerOf(page)));
  }
  assert.deepEqual([found.kind, /not what was certified: name\./.test(found.text)], ["invalid", true], found.text);
});
