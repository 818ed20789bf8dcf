// Tests that the chain has everything that the service shows about assets. A standard ERC-721 reader sees the service's assets. The service sees
// transactions of others. A new service with an empty database gives the same answers.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { Contract, JsonRpcProvider, Wallet, ZeroAddress, getBytes } from "ethers";
import { ABI, anvil } from "./contracts.mjs";
import { CONFIRMATIONS, World } from "./world.mjs";
import { Host } from "../demo/host.mjs";
import { certified } from "../load/certified.mjs";
import { until } from "../support/client.mjs";
import { Sender } from "../support/sender.mjs";

const skip = !anvil() && "npm has no anvil for this machine";

/** The standard's interface: EIP-721 with its metadata extension. */
const ERC721 = [
  "event Transfer(address indexed from, address indexed to, uint256 indexed tokenId)",
  "function name() view returns (string)",
  "function symbol() view returns (string)",
  "function balanceOf(address owner) view returns (uint256)",
  "function ownerOf(uint256 tokenId) view returns (address)",
  "function tokenURI(uint256 tokenId) view returns (string)",
  "function supportsInterface(bytes4 interfaceId) view returns (bool)",
];
/** The identifier of a capability's interface: an asset can be destroyed. */
const DESTROY = "0x9d118770";
/** The numbers of the abilities to create assets and to change imprints. */
const [CREATE, UPDATE] = [16, 128];
const GWEI = 10n ** 9n;

let world, host, chain, issuer, holder, ledger, imprint;

/** Returns an account from the chain's description. The account has tokens and ether. */
async function account(index) {
  const { privateKey } = world.ready.accounts[index];
  const sender = await (await Sender.of(Buffer.from(privateKey.slice(2), "hex"))).connect(world.server.url);
  return Object.assign(sender, { wallet: new Wallet(privateKey, chain) });
}

/** Sends a transaction of an account to a ledger, without the service. */
async function direct(sender, ledgerId, method, ...values) {
  const sent = await new Contract(ledgerId, ABI.ledger, sender.wallet)[method](...values, { maxFeePerGas: 10n * GWEI, maxPriorityFeePerGas: GWEI, gasLimit: 1_000_000 });
  await world.mine();
  const receipt = await chain.getTransactionReceipt(sent.hash);
  assert.equal(receipt.status, 1, method);
  return receipt;
}

/** Creates an asset by an order, and waits until the order is final. */
async function create(id, receiverId, digest = imprint) {
  const action = { kind: 1, assetLedgerId: ledger.ledgerId, id, imprint: digest, senderId: issuer.id, receiverId };
  const { data } = await issuer.client.createOrder({ actions: [action], signersIds: [issuer.id], payerId: issuer.id, wildcardSigner: false, automatedPerform: true }, 2);
  let order;
  assert.ok(await world.until(async () => (order = await issuer.get(`/orders/${data.ref}`)).status === 7), JSON.stringify(order));
  return order;
}

/** Makes all blocks so far final, and lets the service index them. */
async function settle() {
  await world.mine(CONFIRMATIONS + 1);
  await world.indexed();
}

/** Returns the first verdict of an asset's badge that `enough` accepts, or the last verdict after a timeout. */
async function verdict(url, ledgerId, assetId, enough = () => true) {
  const look = async () => {
    const response = await fetch(new URL(`/badge.json?ledgerId=${ledgerId}&assetId=${assetId}`, url));
    assert.equal(response.status, 200);
    return (await response.json()).data;
  };
  return until(look, enough);
}

/** A verdict about an asset whose documents were read and are proven. */
const isValid = ({ valid }) => valid === true;

/** Returns all items of a list, without the references, which differ between services. Fails if the list has more than one page. */
async function list(url, headers, path) {
  const response = await fetch(new URL(`${path}${path.includes("?") ? "&" : "?"}limit=100`, url), { headers });
  const body = await response.json();
  assert.equal(response.status, 200, `${path}: ${JSON.stringify(body)}`);
  const { data, meta } = body;
  assert.equal(meta.total, data.length, "all items are on one page");
  return JSON.parse(JSON.stringify(data, (name, value) => (/ref$/i.test(name) ? undefined : value)));
}

before(async () => {
  if (skip) return;
  world = await World.start({ vars: { BADGE_CACHE_SECONDS: "1" } });
  host = await Host.start();
  chain = new JsonRpcProvider(world.ready.url, world.ready.chainId, { staticNetwork: true, cacheTimeout: -1 });
  [issuer, holder] = [await account(0), await account(1)];
  const document = await certified(host);
  imprint = document.imprint;
  ledger = await world.deploy(issuer, { ...document.deployment, name: "Courses", symbol: "C", capabilities: [1, 2] });
});
after(async () => {
  chain?.destroy();
  await host?.stop();
  await world?.stop();
});

test("a standard ERC-721 reader sees the service's assets", { skip }, async () => {
  await create("1", holder.id);
  const order = await create("2", issuer.id);
  const reader = new Contract(ledger.ledgerId, ERC721, chain);
  assert.deepEqual([await reader.name(), await reader.symbol(), await reader.supportsInterface("0x80ac58cd"), await reader.supportsInterface("0x5b5e139f")], ["Courses", "C", true, true]);
  assert.deepEqual([await reader.ownerOf(1), await reader.ownerOf(2)], [holder.id, issuer.id]);
  assert.deepEqual([await reader.balanceOf(holder.id), await reader.balanceOf(issuer.id)], [1n, 1n]);
  assert.equal(await reader.tokenURI(1), host.url("metadata/1.json"));
  const logs = await reader.queryFilter("Transfer");
  assert.deepEqual(
    logs.map(({ args }) => [args.from, args.to, args.tokenId]),
    [
      [ZeroAddress, holder.id, 1n],
      [ZeroAddress, issuer.id, 2n],
    ],
  );
  assert.equal(logs[1].transactionHash, order.txHash);
});

test("the service shows assets and abilities that direct transactions changed", { skip }, async () => {
  await direct(issuer, ledger.ledgerId, "create", holder.id, 3, `0x${"33".repeat(32)}`);
  await direct(issuer, ledger.ledgerId, "create", issuer.id, 4, `0x${"44".repeat(32)}`);
  await direct(issuer, ledger.ledgerId, "create", holder.id, 5, `0x${"55".repeat(32)}`);
  await direct(holder, ledger.ledgerId, "transferFrom", holder.id, issuer.id, 3);
  await direct(issuer, ledger.ledgerId, "updateTokenURIIntegrityDigest", 4, `0x${"ab".repeat(32)}`);
  await direct(holder, ledger.ledgerId, "destroy", 5);
  await direct(issuer, ledger.ledgerId, "grantAbilities", holder.id, CREATE + UPDATE);
  await settle();
  const assets = await list(world.server.url, issuer.headers, `/ledgers/${ledger.ledgerId}/assets?sort=1`);
  const digits = (text) => text.replace(/^.*?([0-9a-f]{64})$/, "$1");
  assert.deepEqual(
    assets.map(({ id, ownerId, imprint }) => [id, ownerId, digits(imprint)]),
    [
      ["1", holder.id, digits(imprint)],
      ["2", issuer.id, digits(imprint)],
      ["3", issuer.id, "33".repeat(32)],
      ["4", issuer.id, "ab".repeat(32)],
    ],
  );
  const able = await list(world.server.url, issuer.headers, `/ledgers/${ledger.ledgerId}/abilities?filterAccountIds=${holder.id}`);
  assert.equal(able.length, 1);
  assert.deepEqual(
    able[0].abilities.toSorted((a, b) => a - b),
    [CREATE, UPDATE],
  );
  assert.equal((await verdict(world.server.url, ledger.ledgerId, "5")).status.kind, "withdrawn");
});

test("an asset created without the service has a valid badge", { skip }, async () => {
  const { addresses, paymentReceiver } = world.ready;
  const { deployment } = await certified(host);
  const data = {
    maker: holder.id,
    taker: ZeroAddress,
    xcertData: {
      name: "Direct",
      symbol: "D",
      uriPrefix: deployment.uriPrefix,
      uriPostfix: deployment.uriPostfix,
      schemaId: `0x${deployment.schemaId.slice(-64)}`,
      capabilities: [DESTROY],
      owner: holder.id,
    },
    transferData: { token: addresses.token, to: paymentReceiver, value: 0n },
    seed: 1n,
    expiration: BigInt(Math.ceil(world.now() / 1000) + 86_400),
  };
  const gateway = new Contract(addresses.deploy, ABI.deploy, issuer.wallet);
  const claim = await gateway.getDeployDataClaim(data);
  // A wallet's signature of the claim's hash. It is of kind 3 for the service, and of kind 0 for the contract.
  const { r, s, v } = (await holder.wallet.signMessage(getBytes(claim))).match(/^0x(?<r>.{64})(?<s>.{64})(?<v>..)$/).groups;
  const signature = { r: `0x${r}`, s: `0x${s}`, v: Number.parseInt(v, 16), kind: 0 };
  const sent = await gateway.performAnyTaker(data, signature, { maxFeePerGas: 10n * GWEI, maxPriorityFeePerGas: GWEI, gasLimit: 10_000_000 });
  await world.mine();
  const { logs, status } = await chain.getTransactionReceipt(sent.hash);
  assert.equal(status, 1);
  const ledgerId = logs.map((log) => ABI.deploy.parseLog(log)).find((log) => log?.name === "Perform").args._createdContract;
  await direct(holder, ledgerId, "create", issuer.id, 1, `0x${imprint.slice(-64)}`);
  await settle();
  const found = await list(world.server.url, issuer.headers, `/ledgers/${ledgerId}/assets`);
  assert.deepEqual(
    found.map(({ id, ownerId }) => [id, ownerId]),
    [["1", issuer.id]],
  );
  assert.equal((await verdict(world.server.url, ledgerId, "1", isValid)).valid, true);
  const owners = await list(world.server.url, holder.headers, "/account/abilities");
  assert.ok(
    owners.some((item) => JSON.stringify(item).includes(ledgerId)),
    JSON.stringify(owners),
  );
});

test("a new service with an empty database has the same answers", { skip }, async () => {
  await settle();
  const second = await world.second();
  try {
    const paths = ["/ledgers", "/account/abilities", ...["assets?sort=1", "abilities", "accounts"].map((name) => `/ledgers/${ledger.ledgerId}/${name}`)];
    const last = `/ledgers/${ledger.ledgerId}/assets?sort=1`;
    const expected = await list(world.server.url, issuer.headers, last);
    await until(
      () => list(second.url, issuer.headers, last).catch(() => []),
      (assets) => JSON.stringify(assets) === JSON.stringify(expected),
    );
    for (const sender of [issuer, holder]) {
      for (const path of paths) assert.deepEqual(await list(second.url, sender.headers, path), await list(world.server.url, sender.headers, path), path);
    }
    for (const id of ["1", "2", "3", "4", "5", "6"]) {
      const old = timeless(await verdict(world.server.url, ledger.ledgerId, id));
      const recent = await verdict(second.url, ledger.ledgerId, id, (found) => JSON.stringify(timeless(found)) === JSON.stringify(old));
      assert.deepEqual(timeless(recent), old, `the verdict of asset ${id}`);
    }
  } finally {
    await second.stop();
  }
});

/** Returns a verdict without the fields that name the moment of its computation. */
function timeless(verdict) {
  return JSON.parse(JSON.stringify(verdict, (name, value) => (/^(checkedAt|ledgerRef|ref)$/.test(name) ? undefined : value)));
}

test("the badge of an asset that a reorganisation removed is not valid", { skip }, async () => {
  await settle();
  // Every asset has the same document, so only the ledger decides about the verdict.
  const document = await (await fetch(host.url("metadata/1.json"))).json();
  for (const id of [7, 8]) host.serve(`metadata/${id}.json`, document);
  await direct(issuer, ledger.ledgerId, "create", holder.id, 8, `0x${imprint.slice(-64)}`);
  await settle();
  assert.equal((await verdict(world.server.url, ledger.ledgerId, "8", isValid)).valid, true);
  await direct(issuer, ledger.ledgerId, "create", holder.id, 7, `0x${imprint.slice(-64)}`);
  await world.indexed();
  const get = () => fetch(new URL(`/ledgers/${ledger.ledgerId}/assets/7`, world.server.url), { headers: issuer.headers });
  assert.equal((await get()).status, 200);
  await world.node.call("anvil_reorg", 1, []);
  await world.mine();
  await world.indexed();
  assert.equal((await get()).status, 400);
  const { valid, status } = await verdict(world.server.url, ledger.ledgerId, "7");
  assert.deepEqual([valid, status.kind], [null, "neverIssued"]);
  const ids = (await list(world.server.url, issuer.headers, `/ledgers/${ledger.ledgerId}/assets?sort=1`)).map(({ id }) => id);
  assert.ok(!ids.includes("7"), ids.join());
});
