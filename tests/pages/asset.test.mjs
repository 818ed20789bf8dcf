// Links to a real asset on a ledger of this service. Another server has the asset's documents.
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

/** Publishes the certificate's documents and issues it as asset 1 of a new ledger. */
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
  return { client, open, ledgerId, me };
}

test("the pages of an asset detect a forgery and show the date of a withdrawal", { skip }, async () => {
  const { client, open, ledgerId, me } = await issue();
  const link = `/verify/?${new URLSearchParams({ ledgerId, assetId: "1" })}`;
  await site.visit(link, async (page) => {
    const { kind, text } = await answerOf(page);
    assert.equal(kind, "unchanged", text);
    assert.match(text, new RegExp(`^Unchanged since it was issued by ${client.provider.accountId}\\. This check does not show whose account that is\\. .* match what was recorded on the ledger`));
    assert.match(await page.locator("#facts").innerText(), /calls itself “Courses” \(CRS\)/);
    assert.match(await page.locator("#imprint-source").innerText(), /, asset 1\.$/);
  });

  host.serve("metadata/1.json", { ...open, name: "Forged" });
  assert.equal(await badge(client, ledgerId, "1", "invalid"), "invalid");
  // The page's cached copy may be slightly older than the badge's.
  let found;
  for (let visits = 0; visits < 20 && found?.kind !== "changed"; visits += 1) {
    await site.visit(link, async (page) => (found = await answerOf(page)));
  }
  assert.deepEqual([found.kind, /not what was certified: name\./.test(found.text)], ["changed", true], found.text);

  const destroying = [{ kind: 6, assetLedgerId: ledgerId, id: "1", senderId: me }];
  const destroyed = await client.createOrder({ actions: destroying, signersIds: [me], payerId: me, wildcardSigner: false, automatedPerform: true }, 2);
  await client.waitForOrder(destroyed.data.ref);
  assert.equal(await badge(client, ledgerId, "1", "withdrawn"), "withdrawn");
  // A badge that is opened as a page redirects to the certificate's page.
  await site.visit(client.badgeUrl(ledgerId, "1"), async (page) => {
    assert.equal(new URL(page.url()).pathname, `/c/${ledgerId}/1`);
    await page.locator("[data-code=withdrawn]").waitFor();
    assert.match(await page.locator(".headline").innerText(), /^Withdrawn on \d+ \w+ \d{4}$/);
  });
  await site.visit(`/verify/?${new URLSearchParams({ ledgerId, assetId: "2" })}`, async (page) => {
    const { kind, text } = await answerOf(page);
    assert.deepEqual([kind, /^No such certificate was ever issued on this ledger\./.test(text)], ["never-issued", true], text);
  });
});
