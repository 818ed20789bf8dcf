// Calls a route of a service as an administrator.
import { readFile } from "node:fs/promises";
import { Client, PrivateKeyProvider } from "@assay/client";
import { type Json, textAt } from "./json.ts";

/** Reads a private key from a file, and returns a provider that signs for the account of this key. */
export async function openKey(file: string): Promise<PrivateKeyProvider> {
  const digits = (await readFile(file, "utf8")).trim().replace(/^0x/, "");
  if (!/^[0-9a-f]{64}$/i.test(digits)) throw new Error(`${file} has no private key of 64 hexadecimal digits`);
  return PrivateKeyProvider.from(digits);
}

/** Returns the Authorization header for one call, and a function that ends the session of the header, if it has one. */
async function authorize(url: string, provider: PrivateKeyProvider): Promise<{ authorization: string; end: () => Promise<unknown> }> {
  const answer = await fetch(new URL("/health", url));
  const health: Json = JSON.parse(await answer.text());
  const text = textAt(health, "data", "authorizationText");
  if (text === "") throw new Error(`${url}/health answered ${answer.status} without \`authorizationText\``);
  if (textAt(health, "data", "legacyAuth") === "off") {
    const client = new Client({ provider, apiUrl: url });
    const { data } = await client.signIn();
    return { authorization: `Bearer ${data.token}`, end: () => client.signOut() };
  }
  // Each service has its own text to sign, so a signature for one service is useless at others. A malicious service could send the text of another
  // service, and use the signature at that service. The command therefore shows the text to the user.
  process.stderr.write(`${provider.accountId} signs \`${text}\` for ${url}\n`);
  return { authorization: `${provider.signMethod}:${await provider.sign(text)}`, end: async () => {} };
}

/** Parses `NAME=VALUE` as a field of the body. Only `factor` is a number. All other values, also amounts, are strings. */
function field(text: string): [string, string | number] {
  const end = text.indexOf("=");
  if (end < 1) throw new Error(`expected NAME=VALUE, not \`${text}\``);
  const [name, value] = [text.slice(0, end), text.slice(end + 1)];
  return [name, name === "factor" ? Number(value) : value];
}

export interface Call {
  url: string;
  method: string;
  path: string;
  /** Fields of the body, as `NAME=VALUE`. */
  fields: string[];
}

/** Sends a call and prints its answer. Returns true if the service accepted the call. */
export async function callAsAdmin(key: string, { url, method, path, fields }: Call): Promise<boolean> {
  const body = JSON.stringify(Object.fromEntries(fields.map(field)));
  const { authorization, end } = await authorize(url, await openKey(key));
  const isRead = method === "GET";
  const headers = isRead ? { authorization } : { authorization, "content-type": "application/json", "idempotency-key": crypto.randomUUID() };
  try {
    const answer = await fetch(new URL(path, url), { method, redirect: "error", headers, body: isRead ? null : body });
    const said = await answer.text();
    const isJson = answer.headers.get("content-type")?.startsWith("application/json");
    process.stdout.write(`${isJson ? JSON.stringify(JSON.parse(said), null, 2) : said}\n`);
    return answer.ok;
  } finally {
    await end();
  }
}
