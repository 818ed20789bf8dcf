// Signers: wallets and keys, with their possible faults.
import assert from "node:assert/strict";
import { test } from "node:test";
import { inspect } from "node:util";
import { Client, Eip1193Provider, PrivateKeyProvider } from "@assay/client";
import { DEPLOYMENT, KEY, ME, OK, ORDER, accounts, connected, provider } from "./support.mjs";

test("a wallet is asked for its accounts, and signs texts and hashes as bytes", async () => {
  const wallet = (accounts, signature) => ({
    asked: [],
    request(call) {
      this.asked.push(call);
      return Promise.resolve(call.method === "eth_requestAccounts" ? accounts : signature);
    },
  });
  const given = wallet([ME, accounts[2].address], "0x12");
  const second = await Eip1193Provider.connect(given, accounts[2].address.toLowerCase());
  assert.equal(second.accountId, accounts[2].address);
  assert.equal(await second.sign("assay api"), "0x12");
  assert.deepEqual(given.asked[1], { method: "personal_sign", params: [`0x${Buffer.from("assay api").toString("hex")}`, accounts[2].address] });
  for (const [list, wanted] of [[[]], [undefined], [[1]], [[ME], accounts[2].address]]) await assert.rejects(Eip1193Provider.connect(wallet(list), wanted), Error);
  await assert.rejects((await Eip1193Provider.connect(wallet([ME], null))).sign("x"), Error);
});

test("a private key signs texts as a wallet does, and malformed keys are refused", async () => {
  assert.equal(await provider.sign("assay api"), await provider.sign(`0x${Buffer.from("assay api").toString("hex")}`));
  for (const key of ["", "0x", KEY.slice(0, -1), `${KEY}0`, "0".repeat(64), "f".repeat(64), `${KEY.slice(0, -1)}g`, ` ${KEY}`, undefined, null, 7, [KEY]]) {
    await assert.rejects(PrivateKeyProvider.from(key), ({ message, stack }) => /must be a private key/.test(message) && !stack.includes(KEY.slice(2, 20)), String(key));
  }
  await assert.rejects(provider.sign("0xff"), TypeError);
});

test("printing a provider shows neither its key nor its Authorization header", async () => {
  const { client, server } = await connected([{ status: 500, body: "oops" }, null], { retries: 0 });
  await client.getOrders().catch(() => {});
  const secrets = [KEY.slice(2), server.requests[0].headers.authorization.slice(4)];
  const errors = await Promise.all(
    [client.getOrders(), client.createOrder({ ...ORDER, signersIds: [ME, "x"] }, 1), provider.sign("0xff"), new Client({ provider, apiUrl: "http://127.0.0.1:1", retries: 0 }).init()].map((call) =>
      call.then(
        () => assert.fail(),
        (error) => error,
      ),
    ),
  );
  for (const thing of [provider, client, ...errors]) {
    const shown = [
      inspect(thing, { depth: 9, showHidden: true }),
      JSON.stringify(thing),
      String(thing),
      String(thing.stack),
      JSON.stringify({ ...thing }),
      JSON.stringify(Object.getOwnPropertyDescriptors(thing)),
    ];
    for (const text of shown) for (const secret of secrets) assert.ok(!text.includes(secret), text);
  }
});

test("a wallet's refusal reaches the caller unchanged", async () => {
  const refusal = Object.assign(new Error("User rejected the request."), { code: 4001 });
  await assert.rejects(Eip1193Provider.connect({ request: () => Promise.reject(refusal) }), refusal);
  for (const refuse of [
    () => Promise.reject(refusal),
    () => {
      throw refusal;
    },
  ]) {
    const wallet = { accountId: ME, signMethod: 3, sign: (text) => (text === "assay api" ? provider.sign(text) : refuse()) };
    const { client, server } = await connected([OK], { provider: wallet });
    await assert.rejects(client.createOrder(ORDER, 1), refusal);
    await assert.rejects(client.createDeployment(DEPLOYMENT, 1), refusal);
    assert.equal(server.requests.length, 0);
    await assert.rejects(new Client({ provider: { ...wallet, sign: refuse } }).init(), (error) => error.code === 7000001 && error.original === refusal && error.cause === refusal);
  }
});

test("a signal ends waiting for a wallet's owner", async () => {
  const reason = new Error("enough");
  let asked = 0;
  const silent = { request: () => ((asked += 1), new Promise(() => {})) };
  await assert.rejects(Eip1193Provider.connect(silent, undefined, { signal: AbortSignal.abort(reason) }), reason);
  assert.equal(asked, 0);
  const abort = new AbortController();
  setTimeout(() => abort.abort(reason), 20);
  await assert.rejects(Eip1193Provider.connect(silent, ME, { signal: abort.signal }), reason);
});

test("a missing wallet is reported", async () => {
  for (const nothing of [undefined, null, {}, "metamask"]) await assert.rejects(Eip1193Provider.connect(nothing), /there is no wallet/);
});

test("a signature that is not 65 bytes is not sent", async () => {
  const good = await provider.sign(`0x${"ab".repeat(32)}`);
  const wrong = [good.slice(0, -2), `${good}00`, good.slice(2), good.replace("0x", "0X"), ` ${good}`, `${good}\n`, `0:${good}`, "0x", "", null, 7, { toString: () => good }, [good]];
  for (const signature of wrong) {
    const wallet = { accountId: ME, signMethod: 3, sign: (text) => (text === "assay api" ? provider.sign(text) : signature) };
    const { client, server } = await connected([OK], { provider: wallet });
    await assert.rejects(client.createOrder(ORDER, 1), /no 65-byte signature/, String(signature));
    assert.equal(server.requests.length, 0);
  }
});
