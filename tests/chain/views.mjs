// Records the original contracts' answers to every call whose answer order-core can read. Also records deployments, and the hashes of
// deployments with unusual encodings.
import { Interface, Signature, Wallet, concat, dataSlice, getBytes, solidityPacked, toBeHex, toQuantity, toUtf8Bytes } from "ethers";
import { ABI, ACCOUNTS, Node, deploy } from "./contracts.mjs";

/** The end of 2099 as a UNIX time in seconds. */
const LATER = 4_102_444_800;
const TOKEN = 10n ** 18n;
const MAX = 2n ** 256n - 1n;
/** A hash that no request has. */
const UNKNOWN = `0x${"77".repeat(32)}`;
const ZERO = `0x${"0".repeat(40)}`;
const [OWNER, MAKER, HOLDER, SPENDER, STRANGER] = ACCOUNTS.map(({ privateKey }) => new Wallet(privateKey));

/** The interface of the deployments' gateway with strings as bytes, because a contract also stores strings that are not UTF-8. */
const RAW = new Interface(ABI.deploy.format().map((text) => text.replaceAll(/string (name|symbol|uriPrefix|uriPostfix)/g, "bytes $1")));
/** Encodes a call of the deployments' gateway. Takes the selector from the original interface, because the types are part of it. */
const encoded = (method, values) => concat([ABI.deploy.getFunction(method).selector, dataSlice(RAW.encodeFunctionData(method, values), 4)]);
/** A signature that recovers to the zero address. */
const WRONG = { r: toBeHex(MAX, 32), s: toBeHex(MAX, 32), v: 99, kind: 0 };

async function signed(wallet, claim) {
  const { r, s, v } = Signature.from(await wallet.signMessage(getBytes(claim)));
  return { r, s, v, kind: 0 };
}

class Recorder {
  views = [];

  constructor(node, at) {
    Object.assign(this, { node, at });
  }

  send = (from, to, data) => this.node.send({ from: from.address, to, data });
  call = (to, data) => this.node.call("eth_call", { to, data }, "latest");

  /** Returns the hash that a contract computes. */
  claim = (to, abi, method, ...values) => this.call(to, abi.encodeFunctionData(method, values));
  deployClaim = (data) => this.call(this.at.deploy, encoded("getDeployDataClaim", [data]));

  /** Records a call with its answer, or with the data of its revert. `value` is the answer as ethers reads it. */
  async view(contract, to, method, ...values) {
    const abi = ABI[contract];
    const call = { contract, method, arguments: values.map(String), to, data: abi.encodeFunctionData(method, values) };
    try {
      const answer = await this.call(to, call.data);
      this.views.push({ ...call, answer, value: plain(() => abi.decodeFunctionResult(method, answer)) });
    } catch (error) {
      this.views.push({ ...call, revert: error.data ?? null });
    }
  }

  async performOrder(seed) {
    const params = solidityPacked(["uint256", "address", "uint8"], [TOKEN, OWNER.address, 0]);
    const data = { signers: [MAKER.address], actions: [{ proxyId: 1, contractAddress: this.at.token, params }], seed, expiration: LATER };
    const claim = await this.claim(this.at.actions, ABI.actions, "getOrderDataClaim", data);
    return { data, claim, signature: await signed(MAKER, claim) };
  }

  /** Performs a deployment. Returns the input of the transaction and the gateway's log. */
  async performDeployment(data, wallet, method = "performAnyTaker", sender = STRANGER) {
    const claim = await this.deployClaim(data);
    const input = encoded(method, [data, wallet ? await signed(wallet, claim) : WRONG]);
    const { logs } = await this.send(sender, this.at.deploy, input);
    const { topics, data: words } = logs.find(({ address }) => address === this.at.deploy.toLowerCase());
    return { input, claim, ledger: dataSlice(words, 12, 32), log: { topics, data: words } };
  }

  async record() {
    const { at } = this;
    const text = (value) => toUtf8Bytes(value);
    const ledgerData = {
      name: text("Näme 界😀"),
      symbol: text("S"),
      uriPrefix: text("https://example.com/asset/"),
      uriPostfix: text(".json"),
      schemaId: `0x${"12".repeat(32)}`,
      capabilities: ["0x0d04c3b8", "0xbedb86fb", "0x01020304", "0x0d04c3b8"],
      owner: OWNER.address,
    };
    const transferData = { token: at.token, to: OWNER.address, value: TOKEN };
    const deployment = { maker: MAKER.address, taker: ZERO, xcertData: ledgerData, transferData, seed: 1, expiration: LATER };
    const unusual = { ...ledgerData, name: Uint8Array.of(0x4e, 0xff), symbol: text("é".repeat(256)), uriPrefix: text(""), uriPostfix: text("界".repeat(2049)) };

    await this.send(OWNER, at.token, ABI.token.encodeFunctionData("deposit", [5_000n * TOKEN, MAKER.address]));
    await this.send(MAKER, at.token, ABI.token.encodeFunctionData("approve", [at.transferValue, MAX]));
    await this.send(MAKER, at.token, ABI.token.encodeFunctionData("approve", [SPENDER.address, 7]));
    const first = await this.performDeployment(deployment, MAKER);
    const performed = [
      first,
      await this.performDeployment({ ...deployment, xcertData: unusual, seed: MAX, expiration: MAX }, MAKER),
      await this.performDeployment({ ...deployment, taker: HOLDER.address, seed: 2 }, MAKER, "perform", HOLDER),
      // Without a receiver, the sender gets the payment.
      await this.performDeployment({ ...deployment, seed: 4, transferData: { ...transferData, to: ZERO } }, MAKER, "performAnyTaker", HOLDER),
      await this.performDeployment({ ...deployment, taker: HOLDER.address, seed: 3 }, MAKER),
      await this.performDeployment({ ...deployment, maker: ZERO, xcertData: { ...ledgerData, owner: ZERO }, transferData: { ...transferData, value: 0 } }),
    ];
    const { ledger } = first;
    const other = performed[1].ledger;
    const onLedger = (from, method, ...values) => this.send(from, ledger, ABI.ledger.encodeFunctionData(method, values));
    await onLedger(OWNER, "create", HOLDER.address, 7, `0x${"ab".repeat(32)}`);
    await onLedger(OWNER, "create", OWNER.address, MAX, `0x${"00".repeat(32)}`);
    await this.send(OWNER, other, ABI.ledger.encodeFunctionData("create", [OWNER.address, 7, `0x${"cd".repeat(32)}`]));
    await onLedger(HOLDER, "approve", SPENDER.address, 7);
    await onLedger(HOLDER, "setApprovalForAll", SPENDER.address, true);
    await onLedger(OWNER, "grantAbilities", SPENDER.address, 2n ** 255n + 2n ** 11n + 17n);
    await onLedger(OWNER, "setPause", true);
    await this.send(OWNER, at.actions, ABI.actions.encodeFunctionData("removeProxy", [6]));

    const orders = [await this.performOrder(1), await this.performOrder(2)];
    await this.send(STRANGER, at.actions, ABI.actions.encodeFunctionData("perform", [orders[0].data, [orders[0].signature]]));
    await this.send(MAKER, at.actions, ABI.actions.encodeFunctionData("cancel", [orders[1].data]));
    const [performedOrder, canceledOrder] = orders.map(({ claim }) => claim);
    const given = { ...deployment, seed: 9 };
    await this.send(MAKER, at.deploy, encoded("cancel", [given]));
    const canceledDeployment = await this.deployClaim(given);

    const operator = (seed) => [MAKER.address, SPENDER.address, true, at.token, 0, OWNER.address, seed, LATER];
    const value = (seed) => [MAKER.address, SPENDER.address, 9, OWNER.address, 0, seed, LATER];
    const approvals = {};
    for (const [contract, to, approve, args, cancel, cancelArgs] of [
      ["ledger", ledger, "setApprovalForAllWithSignature", operator, "cancelSetApprovalForAllWithSignature", operator],
      ["token", at.token, "approveWithSignature", value, "cancelApproveWithSignature", (seed) => value(seed).slice(1)],
    ]) {
      const abi = ABI[contract];
      const [done, undone] = [await this.claim(to, abi, "generateClaim", ...args(1)), await this.claim(to, abi, "generateClaim", ...args(2))];
      await this.send(STRANGER, to, abi.encodeFunctionData(approve, [...args(1), await signed(MAKER, done)]));
      await this.send(MAKER, to, abi.encodeFunctionData(cancel, cancelArgs(2)));
      approvals[contract] = [to, done, undone];
    }

    const token = (method, ...values) => this.view("token", at.token, method, ...values);
    for (const account of [MAKER, HOLDER]) await token("balanceOf", account.address);
    for (const spender of [at.transferValue, SPENDER.address, STRANGER.address]) await token("allowance", MAKER.address, spender);
    for (const account of [OWNER, STRANGER]) await token("whitelistedRecipients", account.address);
    await token("tokenTransferProxy");
    const assets = ["ownerOf", "getApproved", "tokenURI", "tokenURIIntegrity"];
    for (const method of assets) {
      for (const id of [7n, MAX, 8n]) await this.view("ledger", ledger, method, id);
      await this.view("ledger", other, method, 7n);
    }
    for (const operator of [SPENDER, STRANGER]) await this.view("ledger", ledger, "isApprovedForAll", HOLDER.address, operator.address);
    for (const account of [OWNER, SPENDER, STRANGER]) await this.view("ledger", ledger, "addressToAbility", account.address);
    for (const to of [ledger, other]) {
      for (const method of ["name", "symbol", "uriPrefix", "uriPostfix", "totalSupply"]) await this.view("ledger", to, method);
    }
    for (const id of ["0x0d04c3b8", "0x9d118770", "0xffffffff", "0x01020304"]) await this.view("ledger", ledger, "supportsInterface", id);
    const flags = async (contract, to, methods, hashes) => {
      for (const method of methods) for (const hash of [...hashes, UNKNOWN]) await this.view(contract, to, method, hash);
    };
    await flags("actions", at.actions, ["orderPerformed", "orderCancelled"], [performedOrder, canceledOrder]);
    await flags("deploy", at.deploy, ["deployPerformed", "deployCancelled"], [first.claim, canceledDeployment]);
    for (const [contract, [to, ...hashes]] of Object.entries(approvals)) await flags(contract, to, ["claimPerformed", "claimCancelled"], hashes);
    for (let index = 0; index < 8; index++) await this.view("actions", at.actions, "proxies", index);
    const proxies = ["xcertDeployProxy", "tokenTransferProxy", "xcertCreateProxy", "xcertUpdateProxy", "abilitableManageProxy", "nftSafeTransferProxy", "xcertBurnProxy"];
    for (const method of proxies) await this.view("deploy", at.deploy, method);

    const deployments = performed.map(({ input, log }) => ({ input, log }));
    return { gateway: at.deploy, views: this.views, deployments, layouts: await this.layouts(first.input) };
  }

  /**
   * Asks the gateway for the hashes of a deployment whose encoding was changed. Each case replaces words of the deployment by their index,
   * and then sets its length. Bytes behind the end are 0x77.
   */
  async layouts(input) {
    // The deployment comes after its offset and the four words of the signature.
    const whole = `0x${input.slice(2 + 8 + 5 * 64)}`;
    const length = (whole.length - 2) / 2;
    const cases = [...designed(length), ...random(length, 120)];
    const { selector } = ABI.deploy.getFunction("getDeployDataClaim");
    const calls = cases.map(({ words, bytes }) => {
      const changed = getBytes(whole);
      for (const [index, number] of Object.entries(words)) changed.set(getBytes(toBeHex(number, 32)), index * 32);
      const all = new Uint8Array(bytes).fill(0x77);
      all.set(changed.subarray(0, bytes));
      const data = concat([selector, toBeHex(32, 32), all]);
      return ["eth_call", { to: this.at.deploy, data }, "latest"];
    });
    const answers = await this.node.batch(calls);
    return cases.map((one, index) => ({ ...one, claim: answers[index].result ?? null }));
  }

  /** Deploys Multicall3 from its creation code, and records calls of it. */
  async multicall(code) {
    const { contractAddress: to } = await this.node.send({ from: STRANGER.address, data: code });
    const abi = new Interface(["function aggregate3((address target, bool allowFailure, bytes callData)[] calls) payable returns ((bool success, bytes returnData)[])"]);
    const chosen = (method, asset) => this.views.find((view) => view.method === method && view.arguments.at(-1) === asset);
    const views = [chosen("tokenURI", "7"), chosen("ownerOf", "8"), chosen("totalSupply"), chosen("tokenURIIntegrity", "7")];
    const calls = [...views.map(({ to: target, data: callData }) => ({ target, callData })), { target: STRANGER.address, callData: "0x" }];
    const answer = async (some) => {
      const data = abi.encodeFunctionData("aggregate3", [some.map((call) => ({ ...call, allowFailure: true }))]);
      const answer = await this.call(to, data);
      const value = plain(() => abi.decodeFunctionResult("aggregate3", answer))[0];
      return { calls: some.map(({ target, callData }) => [target, callData]), to, data, answer, value };
    };
    return [await answer(calls), await answer([])];
  }
}

/** Converts values of ethers to JSON. Returns null if they contain a string that is not UTF-8. */
function plain(decode) {
  const convert = (value) => (typeof value === "bigint" ? `${value}` : typeof value === "object" ? Array.from(value, convert) : value);
  try {
    return convert(decode());
  } catch {
    return null;
  }
}

/** Returns chosen cases. A deployment has eight words of its own, seven words of the ledger, and then the ledger's strings and capabilities. */
function designed(length) {
  const cut = (bytes) => ({ words: {}, bytes });
  const set = (words) => ({ words: Object.fromEntries(Object.entries(words).map(([index, number]) => [index, toQuantity(number)])), bytes: length });
  const ledger = 8;
  return [
    cut(length),
    cut(length + 40),
    ...[0, 31, 32, 255, 256, 256 + 223, length - 32, length - 1].map(cut),
    // All strings share one tail. Then, the ledger's own words are read as a string, and as the capabilities.
    set({ 8: 224, 9: 224, 10: 224, 11: 224 }),
    set({ [ledger]: 0 }),
    set({ [ledger + 5]: 0 }),
    // The ledger's data starts at the deployment itself, and behind the end.
    set({ 2: 0 }),
    set({ 2: length }),
    set({ 2: length - 223 }),
    ...[2, ledger, ledger + 3, ledger + 5].flatMap((index) => [2n ** 64n - 1n, 2n ** 64n, 2n ** 32n, 2n ** 255n, MAX].map((offset) => set({ [index]: offset }))),
    // The lengths of the name, the postfix and the capabilities.
    ...[15, 21, 23].flatMap((index) => [0n, 1n, 31n, 32n, 33n, 64n, 2n ** 32n, 2n ** 59n, 2n ** 64n - 32n, 2n ** 64n, MAX].map((size) => set({ [index]: size }))),
    // Addresses and interface ids with additional bytes, and padding that is not zero.
    ...[0, 1, 3, 4, ledger + 6].flatMap((index) => [set({ [index]: 2n ** 160n }), set({ [index]: 0 }), set({ [index]: MAX })]),
    ...[24, 25].flatMap((index) => [set({ [index]: MAX }), set({ [index]: 2n ** 223n }), set({ [index]: 1 })]),
    ...[16, 18, 20, 22].map((index) => set({ [index]: MAX })),
    set({ 5: MAX, 6: MAX, 7: MAX, [ledger + 4]: MAX }),
  ];
}

/** Returns random cases, by a small generator with a fixed seed: Mulberry32. */
function random(length, count) {
  let state = 1;
  const below = (end) => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) % end;
  };
  const one = () => {
    // Most words of this list are offsets or lengths.
    const index = below(3) === 0 ? below(length / 32) : [2, 8, 9, 10, 11, 13, 15, 17, 19, 21, 23][below(11)];
    return [index, toQuantity([below(length / 32) * 32, below(100), below(length + 64), below(8)][below(4)])];
  };
  return Array.from({ length: count }, () => ({
    words: Object.fromEntries(Array.from({ length: 1 + below(3) }, one)),
    bytes: below(4) === 0 ? below(length + 64) : length,
  }));
}

/** Records everything on a new chain. Multicall3 is not among the original contracts, so its code is optional. */
export async function record(program, multicall) {
  const node = await Node.start(program);
  try {
    const at = await deploy(node, OWNER.address, [OWNER.address, HOLDER.address]);
    const recorder = new Recorder(node, at);
    const recorded = await recorder.record();
    return multicall ? { ...recorded, multicall: await recorder.multicall(multicall) } : recorded;
  } finally {
    await node.stop();
  }
}
