// Runs an EVM chain with the original 0xcert contracts on this machine: `cargo xtask dev --ledger anvil` and the tests start it.
//
//   node tests/chain/host.mjs [options]
//
//   --port N              port on 127.0.0.1; 0, the default, picks a free one
//   --state DIR           keeps the chain in this folder; by default the chain is deleted at the end
//   --automine            makes a block for each transaction immediately; the default
//   --block-time SECONDS  makes a block at this interval
//   --no-mining           makes blocks only on request (`evm_mine`, `anvil_mine`)
//
// As soon as the contracts can be called, prints one line of JSON:
//
//   ready            true
//   url, chainId     the address of the node's JSON-RPC, and the chain's id. The node signs transactions of all accounts below (`eth_sendTransaction`)
//   created          true if the contracts are new, false if they are from an earlier run
//   since            the time of the first block, in seconds; only with --state
//   chainHash        the hash of the first block
//   startBlock       the block of the first contract
//   addresses        the addresses of the contracts, by their names in contracts.mjs
//   owner            the account that configures the contracts. It has the bartered token, which the token's method `deposit` takes
//   paymentReceiver  an account that may receive tokens
//   relayer          an account without any ability
//   accounts         the addresses and private keys of users, who have tokens
//   vars             the Worker's settings for this chain
//
// With --state, the same JSON is also in DIR/chain.json. If npm has no node for this machine, the line is {"ready":false,"why":"…"}. Messages go
// to standard error. The node ends on SIGTERM, on SIGINT, on SIGHUP and when standard input ends.
import { mkdir, readFile, rm, writeFile } from "node:fs/promises";
import net from "node:net";
import path from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { parseArgs } from "node:util";
import { HDNodeWallet } from "ethers";
import { ABI, ACCOUNTS, Node, anvil, deploy, seconds } from "./contracts.mjs";

/** The seed phrase of the node's accounts, which is public. */
const PHRASE = "test test test test test test test test test test test junk";
const [OWNER, ...USERS] = ACCOUNTS.map(({ address, privateKey }) => ({ address, privateKey }));
const [PAYMENT_RECEIVER, RELAYER] = [8, 9].map((index) => HDNodeWallet.fromPhrase(PHRASE, "", `m/44'/60'/0'/0/${index}`));

/** The tokens of each user at the start: 10,000, with 18 decimals. */
const CREDIT = 10_000n * 10n ** 18n;

function options() {
  const { values } = parseArgs({
    options: {
      port: { type: "string", default: "0" },
      state: { type: "string" },
      automine: { type: "boolean", default: false },
      "block-time": { type: "string" },
      "no-mining": { type: "boolean", default: false },
    },
  });
  if (Number(values.automine) + Number(values["no-mining"]) + Number(values["block-time"] !== undefined) > 1) {
    throw new Error("--automine, --block-time and --no-mining exclude each other");
  }
  return {
    port: number("port", values.port, 0, 65_535),
    state: values.state && path.resolve(values.state),
    blockTime: values["block-time"] && number("block-time", values["block-time"], 1, 86_400),
    mining: !values["no-mining"],
  };
}

function number(name, text, least, most) {
  const value = Number(text);
  if (!(/^\d+$/.test(text) && value >= least && value <= most)) throw new Error(`--${name} takes a number from ${least} to ${most}, not \`${text}\``);
  return value;
}

/** Fails with an explanation if the port is in use. */
async function ensureFree(port) {
  if (port === 0) return;
  const probe = net.createServer();
  await new Promise((resolve, reject) => {
    probe.once("error", (error) => {
      const taken = error.code === "EADDRINUSE";
      reject(taken ? new Error(`port ${port} is in use by another program: choose one for the chain, or 0 for a free one`) : error);
    });
    probe.listen(port, "127.0.0.1", () => probe.close(resolve));
  });
}

/** Returns the description of the chain in a state folder, or undefined if there is none. */
async function kept(state) {
  try {
    return JSON.parse(await readFile(path.join(state, "chain.json"), "utf8"));
  } catch {
    return undefined;
  }
}

/** Waits until the node that used a state folder has ended, because a node writes its state at its end. Fails after ten seconds. */
async function ensureUnused(state, { url, chainHash }) {
  const node = Node.at(url);
  for (let attempt = 0; ; attempt++) {
    const hash = await genesis(node).catch(() => undefined);
    if (hash !== chainHash) return;
    if (attempt === 100) throw new Error(`the node at ${url} uses ${state}: end it, or choose another folder`);
    await sleep(100);
  }
}

/** Returns the hash of the first block, which identifies the chain. */
async function genesis(node) {
  const { hash } = await node.call("eth_getBlockByNumber", "0x0", false);
  return hash;
}

/** Returns true if the node has the described chain, and if each of its contracts has code. */
async function has(node, { chainHash, addresses }) {
  if ((await genesis(node)) !== chainHash) return false;
  const codes = await node.batch(Object.values(addresses).map((address) => ["eth_getCode", address, "latest"]));
  return codes.every(({ result }) => result?.length > 2);
}

/** Deploys the contracts, and gives tokens to the users. Returns the chain's hash, the block of the first contract, and the addresses. */
async function create(node) {
  const [chainHash, head] = await Promise.all([genesis(node), node.call("eth_blockNumber")]);
  const addresses = await deploy(node, OWNER.address, [PAYMENT_RECEIVER.address]);
  for (const { address } of USERS) {
    await node.send({ from: OWNER.address, to: addresses.token, data: ABI.token.encodeFunctionData("deposit", [CREDIT, address]) });
  }
  return { chainHash, startBlock: Number(head) + 1, addresses };
}

/** Starts the node with the chain of a state folder, or with a new chain. */
async function start(program, { port, state }) {
  if (!state) {
    const node = await Node.start(program, { port });
    return { node, created: true, ...(await create(node)) };
  }
  await mkdir(state, { recursive: true });
  const file = path.join(state, "state.json");
  const before = await kept(state);
  if (before) {
    await ensureUnused(state, before);
    const { since, chainHash, startBlock, addresses } = before;
    const node = await Node.start(program, { port, state: file, since });
    if (await has(node, before)) return { node, created: false, since, chainHash, startBlock, addresses };
    await node.stop();
  }
  await rm(path.join(state, "chain.json"), { force: true });
  await rm(file, { force: true });
  const since = seconds();
  const node = await Node.start(program, { port, state: file, since });
  return { node, created: true, since, ...(await create(node)) };
}

/** Returns the Worker's settings for a chain. Blocks are final after three confirmations, so a test can reorganise up to three blocks. */
function settings(url, chainId, startBlock, { actions, deploy, token }) {
  return {
    LEDGER: "evm",
    RPC_URLS: url,
    CHAIN_ID: `${chainId}`,
    GATEWAY_ACTIONS: actions,
    GATEWAY_DEPLOY: deploy,
    TOKEN_ADDRESS: token,
    PAYMENT_RECEIVER: PAYMENT_RECEIVER.address,
    CHAIN_START_BLOCK: `${startBlock}`,
    CONFIRMATIONS: "3",
    QUORUM: "1",
    ALLOW_ONE_PROVIDER: "true",
    RELAYER_KEY: RELAYER.privateKey,
    DEPOSITS: "off",
  };
}

/** Prints a line for the program that started this one. */
function say(message) {
  process.stdout.write(`${JSON.stringify(message)}\n`);
}

async function main() {
  const chosen = options();
  const program = anvil();
  if (!program) {
    say({ ready: false, why: `npm's package @foundry-rs/anvil is not installed for ${process.platform} on ${process.arch}, so no chain can run on this machine` });
    return;
  }
  // Makes the chain's files unreadable for other users. The service's database may be in the same folder, and is private too.
  process.umask(0o077);
  await ensureFree(chosen.port);
  const { node, ...chain } = await start(program, chosen);

  let ending = false;
  const end = async (code) => {
    if (ending) return;
    ending = true;
    await node.stop();
    process.exit(code);
  };
  for (const signal of ["SIGTERM", "SIGINT", "SIGHUP"]) process.on(signal, () => end(0));
  process.stdin
    .on("end", () => end(0))
    .on("error", () => end(0))
    .resume();
  node.exited.then(([code]) => {
    if (ending) return;
    process.stderr.write(`the node ended with code ${code}\n`);
    process.exit(1);
  });

  if (chosen.blockTime) await node.call("evm_setIntervalMining", chosen.blockTime);
  if (!chosen.mining) await node.call("evm_setAutomine", false);
  const chainId = Number(await node.call("eth_chainId"));
  const ready = {
    ready: true,
    url: node.url,
    chainId,
    ...chain,
    owner: OWNER.address,
    paymentReceiver: PAYMENT_RECEIVER.address,
    relayer: RELAYER.address,
    accounts: USERS,
    vars: settings(node.url, chainId, chain.startBlock, chain.addresses),
  };
  if (chosen.state) await writeFile(path.join(chosen.state, "chain.json"), `${JSON.stringify(ready, null, 2)}\n`);
  say(ready);
}

main().catch((error) => {
  process.stderr.write(`${error.message}\n`);
  process.exit(1);
});
