// The additional parts of the demonstration for a ledger on a chain.
import { readFile } from "node:fs/promises";
import { fromUnits, toUnits } from "@assay/client";
import { Contract, JsonRpcProvider } from "ethers";
import { newClient, until } from "../support/client.mjs";
import { startServer } from "../support/server.mjs";
import { say, step, fail } from "./say.mjs";

/** Methods of the original contracts, in ethers' notation. */
const TOKEN = ["function deposit(uint256 value, address receiver)"];
const LEDGER = [
  "function name() view returns (string)",
  "function ownerOf(uint256 id) view returns (address)",
  "function tokenURIIntegrity(uint256 id) view returns (bytes digest, string hashAlgorithm)",
];

/** The additional settings of the second service. Its badges read documents from this machine. */
const SETTINGS = { ENVIRONMENT: "development", ALLOW_PRIVATE_FETCH: "true", BADGE_CACHE_SECONDS: "1" };

export class Chain {
  #about;
  #provider;

  /** Reads the description of a chain that tests/chain/host.mjs has written. Fails unless the service uses this chain. */
  static async open(file, issuer) {
    const chain = new Chain();
    chain.#about = JSON.parse(await readFile(file, "utf8").catch(() => fail(`there is no chain at ${file}; start one with \`cargo xtask dev --ledger anvil\``)));
    const { url, chainId, addresses } = chain.#about;
    const { data } = await issuer.getAccount();
    if (data.gateway.actionsOrderId.toLowerCase() !== addresses.actions.toLowerCase()) {
      fail(`the service does not use the chain of ${file}: its gateway is ${data.gateway.actionsOrderId}, not ${addresses.actions}`);
    }
    // By default, ethers caches an answer for 250 ms. A cached answer would hide a new block.
    chain.#provider = new JsonRpcProvider(url, chainId, { staticNetwork: true, cacheTimeout: -1 });
    await chain.head().catch(({ message }) => fail(`the chain at ${url} does not answer (${message})`));
    return chain;
  }

  close() {
    this.#provider.destroy();
  }

  head() {
    return this.#provider.getBlockNumber();
  }

  /** Gives an account tokens, as the owner of the token. */
  async deposit(account, tokens) {
    const { owner, addresses } = this.#about;
    const token = new Contract(addresses.token, TOKEN, await this.#provider.getSigner(owner));
    const receipt = await (await token.deposit(toUnits(tokens), account)).wait();
    say("deposit", `${fromUnits(toUnits(tokens))} tokens, by the token's owner in block ${receipt.blockNumber}`);
  }

  /** Returns the end of a sentence about a record that is on the chain, but not final yet. */
  async pending({ txHash }) {
    const { blockNumber } = await this.#provider.waitForTransaction(txHash);
    return `is in block ${blockNumber}, and final ${this.#about.vars.CONFIRMATIONS} blocks later`;
  }

  /** Asks the contract for an asset's owner and imprint, without the service. */
  async show(ledgerId, { id, ownerId, imprint }) {
    step("Ask the chain, without the service");
    const contract = new Contract(ledgerId, LEDGER, this.#provider);
    const asked = Promise.all([contract.name(), contract.ownerOf(id), contract.tokenURIIntegrity(id)]);
    const [name, owner, { digest }] = await asked.catch(({ message }) => fail(`the chain has no asset ${id} of ${ledgerId}: ${message}`));
    say("asked", `the contract ${ledgerId} by ethers, at ${this.#about.url}`);
    say("name", name);
    say("ownerOf", owner);
    say("imprint", digest.slice(2));
    if (owner.toLowerCase() !== ownerId.toLowerCase() || digest.slice(-64) !== imprint.slice(-64)) fail("the chain has another owner or imprint than the service answers");
  }

  /** Starts a second service with an empty database and the same chain. Compares its answers with those of the first service. */
  async rebuild(first, dist, ledgerId, assets) {
    step("Rebuild the service's database from the chain");
    const server = await startServer({ vars: { ...this.#about.vars, ...SETTINGS }, dist, sweepEvery: 1, quiet: true });
    try {
      say("new service", `${server.url}, with an empty database`);
      const second = await newClient(server.url);
      const head = await this.head();
      const last = assets.at(-1);
      const found = await until(
        () => second.getLedgerAsset(ledgerId, last.id).catch(() => undefined),
        (asset) => asset?.data.imprint === last.imprint,
      );
      if (!found) fail(`the new service does not have asset ${last.id}: ${server.log()}`);
      say("indexed", `blocks ${this.#about.startBlock} to ${head}`);
      for (const { id } of assets) {
        const [before, after] = await Promise.all([first, second].map((client) => answers(client, ledgerId, id)));
        say(
          `asset ${id}`,
          Object.entries(after)
            .map(([name, value]) => `${name} ${value}`)
            .join(", "),
        );
        const differs = Object.keys(before).filter((name) => before[name] !== after[name]);
        if (differs.length > 0) fail(`the new service answers another ${differs.join(", ")}: ${JSON.stringify([before, after])}`);
      }
    } finally {
      await server.stop();
    }
  }
}

/** Returns the service's answers about an asset that must be the same for each database. */
async function answers(client, ledgerId, assetId) {
  const [ledger, asset, validity] = await Promise.all([
    client.getLedger(ledgerId),
    client.getLedgerAsset(ledgerId, assetId),
    until(
      () => client.getValidity(ledgerId, assetId),
      ({ data }) => data.valid !== null,
    ),
  ]);
  const { name, schemaId } = ledger.data;
  const { ownerId, imprint } = asset.data;
  return { ledger: name, schema: schemaId, owner: ownerId, imprint, valid: validity.data.valid };
}
