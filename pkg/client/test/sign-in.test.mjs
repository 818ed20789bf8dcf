// Signing in at services that request wrong signatures.
import assert from "node:assert/strict";
import { test } from "node:test";
import { Client, ClientError } from "@assay/client";
import { ACCOUNT, ME, OK, provider, recordingServer } from "./support.mjs";

/** Returns a client, the texts that its provider signed, and its server, whose challenge has these fields. */
async function scene({ challenge = {}, session = {}, signs = provider.sign.bind(provider) }) {
  const signed = [];
  const server = await recordingServer(({ path, headers }) => {
    const own = {
      domain: headers.host,
      uri: `http://${headers.host}`,
      version: "1",
      chainId: 1,
      nonce: "0".repeat(80),
      issuedAt: "2026-01-01T00:00:00.000Z",
      expirationTime: "2026-01-01T00:10:00.000Z",
    };
    const data = { "/sessions/challenge": { ...own, ...challenge }, "/sessions": { ref: "r", accountId: ME, token: "assay_session_x", ...session } }[path];
    return data ? { status: 200, body: { ...OK.body, data } } : { status: 200, body: ACCOUNT };
  });
  const watched = { accountId: ME, signMethod: 3, sign: (text) => (signed.push(text), signs(text)) };
  return { client: new Client({ provider: watched, apiUrl: server.url, retries: 0 }), signed, server };
}

const failed = (pattern) => (error) => error instanceof ClientError && error.code === 7000001 && pattern.test(error.original.message);

test("the client signs a message that it writes itself, and then sends the token", async () => {
  const { client, signed, server } = await scene({});
  await client.signIn();
  const host = new URL(server.url).host;
  assert.equal(signed.length, 1);
  assert.match(
    signed[0],
    new RegExp(
      `^${host} wants you to sign in with your Ethereum account:\n${ME}\n\nSign in\\. This costs nothing and sends no transaction\\.\n\nURI: http://${host}\nVersion: 1\nChain ID: 1\nNonce: 0{80}\nIssued At: `,
    ),
  );
  await client.getAccount();
  assert.equal(server.requests.at(-1).headers.authorization, "Bearer assay_session_x");
  assert.deepEqual(
    server.requests.filter(({ path }) => path.startsWith("/sessions")).map(({ headers }) => headers.authorization),
    [undefined, undefined],
  );
  await client.signOut();
  await assert.rejects(client.getAccount(), { code: 7000002 });
});

test("the client signs no message for another host and no other text", async () => {
  for (const challenge of [
    { domain: "bank.example" },
    { uri: "https://bank.example" },
    { version: "2" },
    { chainId: "1\nNonce: 1" },
    { nonce: "short" },
    { nonce: `${"0".repeat(20)}\nResources:` },
    { issuedAt: "now" },
    { expirationTime: "2026-01-01T00:10:00Z\nResources:" },
  ]) {
    const { client, signed } = await scene({ challenge });
    await assert.rejects(client.signIn(), failed(/apiUrl|unknown form/), JSON.stringify(challenge));
    assert.deepEqual(signed, []);
  }
});

test("a lost token, a smart account and a session of another account are errors", async () => {
  const { client } = await scene({ session: { token: null } });
  await assert.rejects(client.signIn(), failed(/no token/));
  const smart = await scene({ signs: () => Promise.resolve(`0x${"00".repeat(97)}`) });
  await assert.rejects(smart.client.signIn(), { code: 7000013 });
  assert.ok(!smart.server.requests.some(({ method }) => method === "POST"));
  const other = new Client({ token: "t", provider: { ...provider, accountId: `0x${"1".repeat(40)}`, signMethod: 3 }, apiUrl: smart.server.url });
  await assert.rejects(other.init(), failed(/belongs to the account/));
});

test("a client with a cookie signs nothing and sends no header", async () => {
  const { signed, server } = await scene({});
  const watched = { accountId: ME, signMethod: 3, sign: (text) => (signed.push(text), provider.sign(text)) };
  for (const options of [{}, { provider: watched }]) {
    const client = new Client({ cookie: true, apiUrl: server.url, retries: 0, ...options });
    await assert.rejects(client.getAccount(), { code: 7000002 });
    await client.init();
    assert.equal((await client.getAccount()).data.id, ME);
  }
  assert.deepEqual(signed, []);
  assert.ok(server.requests.every(({ headers }) => headers.authorization === undefined));
  const other = new Client({ cookie: true, provider: { ...watched, accountId: `0x${"1".repeat(40)}` }, apiUrl: server.url });
  await assert.rejects(other.init(), failed(/belongs to the account/));
});

test("the option `cookie` is a boolean, and excludes a token", () => {
  for (const options of [{ cookie: "yes" }, { cookie: null }, { cookie: true, token: "t" }]) assert.throws(() => new Client(options), { code: 7000008 });
});

test("a token must be visible ASCII, and `cookie` a boolean", async () => {
  for (const token of ["", "a b", "a\nb", "ä", 1, null]) assert.throws(() => new Client({ token }), { code: 7000008 });
  const { client } = await scene({});
  await assert.rejects(client.signIn({ cookie: "yes" }), { code: 7000008 });
});
