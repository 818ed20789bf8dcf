// Creates clients of the service, and waits for the verdicts of badges.
import { randomBytes } from "node:crypto";
import { Client, PrivateKeyProvider } from "@assay/client";
import { until } from "./until.mjs";

export { until };

/** Returns the client of a new account. */
export async function newClient(apiUrl, more = {}) {
  const provider = await PrivateKeyProvider.from(randomBytes(32).toString("hex"));
  const client = new Client({ provider, apiUrl, ...more });
  await client.init();
  return client;
}

/** Returns the verdict of an asset's badge as soon as it is `wanted`, or the last verdict after a timeout. */
export function badge(client, ledgerId, assetId, wanted) {
  const look = async () => {
    const response = await fetch(client.badgeUrl(ledgerId, assetId), { headers: { accept: "image/*" } });
    await response.arrayBuffer();
    return response.headers.get("x-asset-validity");
  };
  return until(look, (verdict) => verdict === wanted);
}
