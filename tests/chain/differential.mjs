// Performs random requests on the rules of order-core and on the original contracts, and compares verdicts, reasons and states.
import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { createInterface } from "node:readline";
import { Wallet, getBytes } from "ethers";
import { program } from "../support/cargo.mjs";
import { ABI, ACCOUNTS, Node, deploy } from "./contracts.mjs";

const RULES = program("debug/examples/ledger");

/** The end of 2099 as a UNIX time in seconds. */
const LATER = 4_102_444_800;
const TOKEN = 10n ** 18n;

/** The rules, run by `order-core/examples/ledger.rs`. */
class Rules {
  #child = spawn(RULES, { stdio: ["pipe", "pipe", "inherit"] });
  #lines = createInterface({ input: this.#child.stdout })[Symbol.asyncIterator]();

  async ask(question, parameters = {}) {
    this.#child.stdin.write(`${JSON.stringify({ do: question, ...parameters })}\n`);
    const { value, done } = await this.#lines.next();
    if (done) throw new Error("the rules stopped");
    return JSON.parse(value);
  }

  async stop() {
    const ended = once(this.#child, "exit");
    this.#child.stdin.end();
    await ended;
  }
}

/** Mulberry32, a small random generator. A run with the same seed makes the same requests. */
function generator(seed) {
  let state = seed >>> 0;
  const next = () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
  return {
    below: (count) => Math.floor(next() * count),
    chance: (share) => next() < share,
    pick: (items) => items[Math.floor(next() * items.length)],
  };
}

/** The accounts: one deploys the contracts, four sign, one sends the transactions that perform requests, and one may not receive tokens. */
const [OWNER, ...REST] = ACCOUNTS.map(({ privateKey }) => new Wallet(privateKey));
const PEOPLE = REST.slice(0, 4);
const [RELAYER, SHUT] = REST.slice(4);

class Differential {
  seed = 1;
  nonce = 0;
  ledgers = [];
  counts = { accepted: 0, refused: 0, canceled: 0, reasons: {} };

  constructor(node, rules, at, random) {
    Object.assign(this, { node, rules, at, random });
  }

  /** Returns a ledger that exists, or sometimes a contract that is no ledger. */
  ledger = () => (this.random.chance(0.02) ? this.at.bartered : this.random.pick(this.ledgers));
  person = () => this.random.pick(PEOPLE).address;
  receiver = () => (this.random.chance(0.1) ? SHUT.address : this.person());
  id = () => `${this.random.below(12)}`;
  imprint = () => Array.from({ length: 64 }, () => this.random.below(16).toString(16)).join("");
  fee = () => `${BigInt(this.random.below(this.random.chance(0.1) ? 10_000 : 3)) * TOKEN}`;

  /** Returns an action of one of the parties. In most actions, the party uses an asset or a ledger that it may use. */
  action(parties, { assets, able }) {
    const kind = this.random.pick([1, 1, 1, 2, 2, 2, 3, 4, 4, 5, 5, 6]);
    const { account, senderId } = this.random.pick(parties);
    const owned = assets.filter(([, , [owner]]) => owner === account);
    const ability = { 1: 512, 4: 1024, 5: 2 }[kind];
    const ledgers = able.filter(([, holder, bits]) => holder === account && bits & ability).map(([ledger]) => ledger);
    const usual = this.random.chance(0.8);
    let [ledgerId, assetId] = [kind === 3 ? this.at.token : this.ledger(), this.id()];
    if (usual && [2, 6].includes(kind) && owned.length > 0) [ledgerId, assetId] = this.random.pick(owned);
    if (usual && ledgers.length > 0) ledgerId = this.random.pick(ledgers);
    const common = { kind, ledgerId, senderId };
    const receiverId = senderId && parties.length > 1 && parties.at(-1).senderId === null && this.random.chance(0.2) ? null : this.receiver();
    if (kind === 1) return { ...common, receiverId, assetId, assetImprint: this.imprint() };
    if (kind === 2) return { ...common, receiverId, assetId };
    if (kind === 3) return { ...common, receiverId, value: this.fee() };
    if (kind === 4) return { ...common, assetId, assetImprint: this.imprint() };
    if (kind === 6) return { ...common, assetId };
    const proxies = [this.at.createAsset, this.at.updateAsset, this.at.manageAbilities];
    const abilities = [1, 2, 16, 32, 64, 128, 256, 512, 1024].filter(() => this.random.chance(0.9));
    return { ...common, receiverId: this.random.chance(0.03) ? this.random.pick(proxies) : this.person(), abilities };
  }

  order(state) {
    const signers = PEOPLE.filter(() => this.random.chance(0.4)).map(({ address }) => address);
    const others = PEOPLE.map(({ address }) => address).filter((address) => !signers.includes(address));
    const wildcardSigner = signers.length === 0 || (others.length > 0 && this.random.chance(0.3));
    const wildcard = wildcardSigner ? this.random.pick(others) : undefined;
    const parties = signers.map((account) => ({ account, senderId: account }));
    if (wildcard) parties.push({ account: wildcard, senderId: null });
    const actions = Array.from({ length: 1 + this.random.below(3) }, () => this.action(parties, state));
    const order = { signers: signers.map((accountId) => ({ accountId })), actions, seed: this.seed++, expiration: LATER };
    return { kind: "order", body: { priority: 1, wildcardSigner, order }, signers, wildcard };
  }

  deployment() {
    const maker = this.person();
    const text = () => Array.from({ length: 1 + this.random.below(70) }, () => this.random.pick(["a", "Z", "é", "界", "😀", " "])).join("");
    const assetLedgerData = {
      name: text(),
      symbol: text(),
      uriPrefix: text(),
      uriPostfix: this.random.chance(0.5) ? text() : "",
      schemaId: this.imprint(),
      capabilities: [4, 2, 1, 3].filter(() => this.random.chance(0.8)),
      ownerId: this.person(),
    };
    const deploy = { makerId: maker, assetLedgerData, tokenTransferData: this.transfer(), seed: this.seed++, expiration: LATER };
    return { kind: "deployment", body: { priority: 1, deploy }, signers: [maker] };
  }

  transfer = () => ({ ledgerId: this.at.token, receiverId: this.receiver(), value: this.fee() });

  approval() {
    const owner = this.person();
    const common = { seed: this.seed++, expiration: LATER };
    const spender = this.random.pick([this.at.transferValue, this.at.transferValue, this.random.pick(this.ledgers)]);
    const value = { kind: 8, ledgerId: this.at.token, approver: owner, spender, value: `${BigInt(this.random.below(400)) * TOKEN}`, feeRecipient: this.receiver(), feeValue: this.fee() };
    const operator = this.random.pick([this.at.safeTransferAsset, this.at.destroyAsset, this.person()]);
    const assets = { kind: 7, ledgerId: this.random.pick(this.ledgers), owner, operator, isOperator: this.random.chance(0.7), tokenTransferData: this.transfer() };
    return { kind: "approval", body: { priority: 1, approval: { ...(this.random.chance(0.5) ? value : assets), ...common } }, signers: [owner] };
  }

  /** Adds the claims of the signers, which ethers signs. */
  async signed({ kind, body, signers, wildcard }) {
    const { hash } = await this.rules.ask("hash", { kind, body });
    const claim = async (account) => {
      const wallet = PEOPLE.find(({ address }) => address === account);
      return `${this.random.pick([0, 3])}:${await wallet.signMessage(getBytes(hash))}`;
    };
    if (kind !== "order") return { hash, body: { ...body, claim: await claim(signers[0]) } };
    const order = { ...body.order, signers: await Promise.all(signers.map(async (accountId) => ({ accountId, claim: await claim(accountId) }))) };
    if (wildcard) order.wildcardClaim = { accountId: wildcard, claim: await claim(wildcard) };
    return { hash, body: { ...body, order } };
  }

  /** Returns the rules' state: all of its values as changes, and the assets and abilities among them. */
  async state() {
    const { changes } = await this.rules.ask("state");
    const of = (wanted) => changes.filter(([kind]) => kind === wanted).map(([, ...change]) => change);
    return { changes, assets: of("asset"), able: of("abilities") };
  }

  async round() {
    const state = await this.state();
    if (this.random.chance(0.05)) return this.approveAsset(state.assets);
    const chance = this.random.below(100);
    const request = chance < 3 ? this.deployment() : chance < 25 ? this.approval() : this.order(state);
    await this.perform(request);
  }

  /** Calls a contract at `time` in seconds. The default is the time of the latest block. Returns the error, if any. */
  async refusal(call, from, time) {
    const overrides = time === undefined ? [] : [{}, { time: `0x${time.toString(16)}` }];
    const [{ error }] = await this.node.batch([["eth_call", { ...call, from, gas: "0xf00000" }, "latest", ...overrides]]);
    return error;
  }

  /** Returns the meaning of an error for the request that was checked last. */
  meaning = (error) => this.rules.ask("refusal", { data: error?.data ?? "0x" });

  /** Performs a request with the rules and on the contracts. If both refuse the request, compares their reasons. */
  async perform(request) {
    const { hash, body } = await this.signed(request);
    const { errors, call, cancel, expiresAt } = await this.rules.ask("check", { kind: request.kind, body });
    const error = await this.refusal(call, RELAYER.address);
    const context = () => JSON.stringify({ body, errors, error });
    assert.equal(Boolean(error), Boolean(errors), context());
    if (errors) {
      // Contracts stop at the first error and do not name the action.
      const { errors: possible, other } = await this.meaning(error);
      assert.equal(other, undefined, context());
      const same = possible.find((one) => errors.some((two) => `${one}` === `${two}`));
      // A contract that is no ledger gives no reason.
      const unknown = errors.every(([code]) => [400004, 422127].includes(code));
      assert.ok(same || unknown, `${context()} ${JSON.stringify(possible)}`);
      const [code] = same ?? errors[0];
      this.counts.refused += 1;
      this.counts.reasons[code] = (this.counts.reasons[code] ?? 0) + 1;
      return;
    }
    const end = expiresAt / 1000;
    assert.equal(await this.refusal(call, RELAYER.address, end - 1), undefined, context());
    assert.match((await this.meaning(await this.refusal(call, RELAYER.address, end))).other, /^Expired/, context());
    if (request.signers.length > 0 && this.random.chance(0.1)) return this.cancel(request, { hash, call, cancel, context });
    this.counts.accepted += 1;
    const receipt = await this.send(call);
    assert.equal(receipt.status, "0x1", context());
    assert.match((await this.meaning(await this.refusal(call, RELAYER.address))).other, /^Performed/, context());
    const { performed, created } = await this.rules.ask("logs", { logs: receipt.logs });
    assert.deepEqual(performed, request.kind === "approval" ? [] : [hash]);
    if (created) this.ledgers.push(created);
    const { changes } = await this.rules.ask("commit", { ledger: created });
    await this.compare(changes, context());
  }

  /** Cancels a request by a transaction of a signer. */
  async cancel(request, { hash, call, cancel, context }) {
    const receipt = await this.node.send({ ...cancel, from: request.signers[0] });
    const { canceled } = await this.rules.ask("logs", { logs: receipt.logs });
    assert.deepEqual(canceled, request.kind === "approval" ? [] : [hash]);
    assert.match((await this.meaning(await this.refusal(call, RELAYER.address))).other, /^Canceled/, context());
    this.counts.canceled += 1;
  }

  /** Signs a call with order-core and sends it. */
  async send(call) {
    const parameters = { ...call, key: RELAYER.privateKey, chainId: 31337, nonce: this.nonce++, gas: 15_000_000, legacy: this.random.chance(0.1) };
    const { raw, hash } = await this.rules.ask("sign", parameters);
    assert.equal(await this.node.call("eth_sendRawTransaction", raw), hash);
    return this.node.receipt(hash);
  }

  /** Lets a proxy use one asset, by a transaction of the asset's owner. */
  async approveAsset(all) {
    const assets = all.filter(([, , [owner]]) => PEOPLE.some(({ address }) => address === owner));
    if (assets.length === 0) return;
    const [ledger, id, [owner]] = this.random.pick(assets);
    const approved = this.random.pick([this.at.safeTransferAsset, this.at.destroyAsset]);
    await this.node.send({ from: owner, to: ledger, data: ABI.ledger.encodeFunctionData("approve", [approved, id]) });
    await this.rules.ask("approveAsset", { ledger, id, approved });
  }

  /** Compares values of the rules' state with the values in the contracts. */
  async compare(changes, context) {
    const read = (to, abi, method, ...values) => ({ to, abi, method, data: abi.encodeFunctionData(method, values) });
    const reads = changes.flatMap(([kind, ...key]) => {
      const [first, second, third] = key;
      if (kind === "balance") return [read(this.at.token, ABI.token, "balanceOf", first)];
      if (kind === "allowance") return [read(this.at.token, ABI.token, "allowance", first, second)];
      if (kind === "abilities") return [read(first, ABI.ledger, "addressToAbility", second)];
      if (kind === "operator") return [read(first, ABI.ledger, "isApprovedForAll", second, third)];
      return ["ownerOf", "tokenURIIntegrity", "getApproved"].map((method) => read(first, ABI.ledger, method, second));
    });
    const answers = await this.node.batch(reads.map(({ to, data }) => ["eth_call", { to, data }, "latest"]));
    const values = answers.map(({ result, error }, index) => (error ? null : reads[index].abi.decodeFunctionResult(reads[index].method, result)[0]));
    for (const change of changes) {
      const expected = change.at(-1);
      let actual;
      if (change[0] === "asset") {
        const [owner, imprint, approved] = values.splice(0, 3);
        actual = owner && [owner, imprint.slice(2), BigInt(approved) === 0n ? null : approved];
      } else {
        const [value] = values.splice(0, 1);
        actual = change[0] === "abilities" ? Number(value) : typeof value === "bigint" ? `${value}` : value;
      }
      assert.deepEqual(actual, expected, `${JSON.stringify(change)} ${context}`);
    }
  }
}

/** Compares rules and contracts in `rounds` rounds. Returns the numbers of accepted, canceled and refused requests, of refusals by code, and of final values. */
export async function compare(program, rounds, seed) {
  const node = await Node.start(program);
  const rules = new Rules();
  try {
    const recipients = [OWNER, ...PEOPLE].map(({ address }) => address);
    const at = await deploy(node, OWNER.address, recipients);
    await rules.ask("start", { ...at, paymentReceiver: OWNER.address, recipients });
    const run = new Differential(node, rules, at, generator(seed));
    for (const { address } of PEOPLE) {
      const amount = 5_000n * TOKEN;
      const receipt = await node.send({ from: OWNER.address, to: at.token, data: ABI.token.encodeFunctionData("deposit", [amount, address]) });
      await rules.ask("credit", { account: address, amount: `${amount}` });
      await rules.ask("logs", { logs: receipt.logs.filter((log) => log.address === at.token.toLowerCase()) });
    }
    // Each person starts with a ledger.
    while (run.ledgers.length < PEOPLE.length) await run.perform(run.deployment());
    for (let round = 0; round < rounds; round++) await run.round();
    const { changes } = await run.state();
    await run.compare(changes, "at the end");
    return { ...run.counts, values: changes.length };
  } finally {
    await Promise.all([node.stop(), rules.stop()]);
  }
}
