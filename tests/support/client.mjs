// Clients of the service, and patience.
import { randomBytes } from "node:crypto";
import { setTimeout as sleep } from "node:timers/promises";
import { Client, PrivateKeyProvider } from "@assay/client";

/** How long something may take that happens after an answer, in milliseconds. */
const PATIENCE = 60_000;

/** The client of an account that nobody has had before. */
export async function newClient(apiUrl, more = {}) {
  const provider = await PrivateKeyProvider.from(randomBytes(32).toString("hex"));
  const client = new Client({ provider, apiUrl, ...more });
  await client.init();
  return client;
}

/** The first value with which `enough` agrees, or the last one when patience ends. */
export async function until(look, enough) {
  for (const end = Date.now() + PATIENCE; ; await sleep(200)) {
    const seen = await look();
    if (enough(seen) || Date.now() > end) return seen;
  }
}

/** The verdict of an asset's badge, as soon as it is this or when patience ends. */
export function badge(client, ledgerId, assetId, wanted) {
  const look = async () => {
    const response = await fetch(client.badgeUrl(ledgerId, assetId), { headers: { accept: "image/*" } });
    await response.arrayBuffer();
    return response.headers.get("x-asset-validity");
  };
  return until(look, (verdict) => verdict === wanted);
}
