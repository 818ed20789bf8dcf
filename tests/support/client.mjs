// Clients of the service, and patience.
import { randomBytes } from "node:crypto";
import { Client, PrivateKeyProvider } from "@assay/client";
import { until } from "./until.mjs";

export { until };

/** The client of an account that nobody has had before. */
export async function newClient(apiUrl, more = {}) {
  const provider = await PrivateKeyProvider.from(randomBytes(32).toString("hex"));
  const client = new Client({ provider, apiUrl, ...more });
  await client.init();
  return client;
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
