// Calls a route of a service as an administrator, for `cargo xtask admin`. The key file contains the account's private key: 64 hexadecimal digits.
// Prints the answer, and exits with status 1 if the service refuses the call.
//
//   node edge-api/host/admin.mjs --url URL --key FILE METHOD PATH [NAME=VALUE …]
//   node edge-api/host/admin.mjs --key FILE     prints the address of the account
import { readFile } from "node:fs/promises";
import { parseArgs } from "node:util";
import { Client, PrivateKeyProvider } from "@assay/client";

/** Reads a private key from a file, and returns a provider that signs for the account of this key. */
async function open(file) {
  const digits = (await readFile(file, "utf8")).trim().replace(/^0x/, "");
  if (!/^[0-9a-f]{64}$/i.test(digits)) throw new Error(`${file} has no private key of 64 hexadecimal digits`);
  return PrivateKeyProvider.from(digits);
}

/** Returns the data of the service's `GET /health`. */
async function healthOf(url) {
  const answer = await fetch(new URL("/health", url));
  const { data } = await answer.json();
  if (!data) throw new Error(`${url}/health answered ${answer.status}`);
  return data;
}

/** Returns the Authorization header for one call, and a function that ends the session of the header, if it has one. */
async function authorize(url, provider) {
  const { authorizationText, legacyAuth } = await healthOf(url);
  if (legacyAuth === "off") {
    const client = new Client({ provider, apiUrl: url });
    const { data } = await client.signIn();
    return { authorization: `Bearer ${data.token}`, end: () => client.signOut() };
  }
  // Each service has its own text to sign, so a signature for one service is useless at others. A malicious service could send the text of
  // another service, and use the signature at that service. The command therefore shows the text to the user.
  console.error(`${provider.accountId} signs \`${authorizationText}\` for ${url}`);
  return { authorization: `${provider.signMethod}:${await provider.sign(authorizationText)}`, end: () => {} };
}

/** Parses `NAME=VALUE` as a field of the body. Only `factor` is a number. All other values, also amounts, are strings. */
function field(text) {
  const end = text.indexOf("=");
  if (end < 1) throw new Error(`expected NAME=VALUE, not \`${text}\``);
  const [name, value] = [text.slice(0, end), text.slice(end + 1)];
  return [name, name === "factor" ? Number(value) : value];
}

async function main() {
  const { values, positionals } = parseArgs({ options: { url: { type: "string" }, key: { type: "string" } }, allowPositionals: true });
  const [method, path, ...fields] = positionals;
  const provider = await open(values.key);
  if (!method) {
    console.log(provider.accountId);
    return;
  }
  const { authorization, end } = await authorize(values.url, provider);
  const change = {
    headers: { "content-type": "application/json", "idempotency-key": crypto.randomUUID() },
    body: JSON.stringify(Object.fromEntries(fields.map(field))),
  };
  const { headers, body } = method === "GET" ? { headers: {} } : change;
  try {
    const answer = await fetch(new URL(path, values.url), { method, redirect: "error", headers: { ...headers, authorization }, body });
    const said = await answer.text();
    const isJson = answer.headers.get("content-type")?.startsWith("application/json");
    console.log(isJson ? JSON.stringify(JSON.parse(said), null, 2) : said);
    process.exitCode = answer.ok ? 0 : 1;
  } finally {
    await end();
  }
}

await main().catch((error) => {
  console.error(`error: ${error.cause?.message ?? error.message}`);
  process.exitCode = 1;
});
