// Deploys a ledger and creates approvals as the OpenAPI document describes, with `fetch` and a signature library instead of this project's client.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { Wallet, getBytes } from "ethers";
import { startServer } from "../support/server.mjs";
import { until } from "../support/until.mjs";

/** The final statuses of a record: failed and done. */
const [FAILURE, FINALIZED] = [4, 7];
const MEDIUM = 2;

let server;
before(async () => {
  server = await startServer({ vars: { ENVIRONMENT: "development", DEPOSITS: "test" } });
});
after(() => server?.stop());

/** Returns a function that makes an account's calls as the document describes. */
async function accountOf(wallet) {
  const { data: health } = await (await fetch(`${server.url}/health`)).json();
  const authorization = `3:${await wallet.signMessage(health.authorizationText)}`;
  return async (method, path, body) => {
    const headers = { authorization, "content-type": "application/json" };
    const answer = await fetch(server.url + path, { method, headers, body: body && JSON.stringify(body) });
    return answer.json();
  };
}

/** Sends a request without its claim, signs the hash in the response, and sends the request again with its claim. Returns the final record. */
async function signed(call, wallet, path, body, missing) {
  const asked = await call("POST", path, body);
  assert.deepEqual([asked.status, asked.errors.map(({ code }) => code)], [422, [missing]]);
  const claim = `3:${await wallet.signMessage(getBytes(asked.hash))}`;
  const made = await call("POST", path, { ...body, claim });
  assert.equal(made.status, 201, JSON.stringify(made));
  assert.equal(made.data.hash, asked.hash);
  const record = await until(
    async () => (await call("GET", `${path}/${made.data.ref}`)).data,
    ({ status }) => [FAILURE, FINALIZED].includes(status),
  );
  assert.deepEqual([record.status, record.error], [FINALIZED, null]);
  return record;
}

test("a deployment and approvals need only fetch and a signature library", async () => {
  const wallet = Wallet.createRandom();
  const call = await accountOf(wallet);
  await call("POST", "/deposits", { amount: 2000 });
  const { payment } = (await call("GET", "/account")).data;
  const [ledgerId, receiverId] = [payment.tokenAddress, payment.receiverAddress];
  const time = () => ({ seed: Date.now(), expiration: Date.now() + 3_600_000 });
  const priority = MEDIUM;

  const assetLedgerData = {
    name: "Courses",
    symbol: "COURSE",
    uriPrefix: "https://example.com/assets/",
    uriPostfix: ".json",
    schemaId: "0x3f4a0870cd6039e6c987b067b0d28de54efea17449175d7a8cd6ec10ab23cc5d",
    capabilities: [2],
    ownerId: wallet.address,
  };
  const deploy = { makerId: wallet.address, assetLedgerData, tokenTransferData: { ledgerId, receiverId, value: payment.assetDeployCost }, ...time() };
  const deployment = await signed(call, wallet, "/deployments", { deploy, priority }, 422008);
  const { data: ledger } = await call("GET", `/ledgers/${deployment.ledgerRef}`);
  assert.equal(ledger.ownerId, wallet.address);

  const value = {
    kind: 8,
    ledgerId,
    approver: wallet.address,
    spender: deployment.ledgerId,
    value: payment.assetApproveCost,
    feeRecipient: receiverId,
    feeValue: payment.dappValueApproveCost,
    ...time(),
  };
  await signed(call, wallet, "/approvals", { approval: value, priority }, 422122);

  const operator = Wallet.createRandom().address;
  const asset = { kind: 7, ledgerId: deployment.ledgerId, owner: wallet.address, operator, isOperator: true, tokenTransferData: { ledgerId, receiverId, value: payment.assetApproveCost }, ...time() };
  await signed(call, wallet, "/approvals", { approval: asset, priority }, 422122);
});
