// Accounts that use the client with a real server. This module runs in Node and unchanged in browsers: it takes the package as an argument
// and returns its observations.

const HIGH = 3;
/** The imprint of the example in AIH-2's specification, in the form of `@assay/cert/aih2`. Below is the id of the example's schema. */
const IMPRINT = "aih2:ae977043577f340cc37c61a36abf150d2e512b71042db9474c13df3f21d48440";
const SCHEMA_ID = "0x96e3d74eaa4c60dd2350d5c84a3d4798f0386ab5eca7223134334bfe1d306735";
const CHANGED = `aih2:${"ab".repeat(32)}`;
const QUICKLY = { interval: 100 };

/** Returns a browser wallet for a key. Like some hardware wallets, it writes signatures in upper case and ends them with 00 or 01. */
export async function walletOf({ PrivateKeyProvider }, key) {
  const signer = await PrivateKeyProvider.from(key);
  return {
    asked: [],
    async request({ method, params }) {
      this.asked.push(method);
      if (method === "eth_requestAccounts") return [signer.accountId.toLowerCase()];
      if (method !== "personal_sign" || params[1].toLowerCase() !== signer.accountId.toLowerCase()) throw new Error(`${method} is not known`);
      const signature = await signer.sign(params[0]);
      const parity = Number.parseInt(signature.slice(-2), 16) - 27;
      return `0x${signature.slice(2, -2).toUpperCase()}0${parity}`;
    },
  };
}

/** Gives an account tokens on the embedded ledger. */
const deposit = (client) => client.createDeposit(5_000);

/** Returns the clients of three accounts with tokens: one with a wallet, two with private keys. `credit` gives a client's account its tokens. */
export async function accounts(assay, apiUrl, credit = deposit) {
  const keys = [1, 2, 3].map(() => Array.from(crypto.getRandomValues(new Uint8Array(32)), (byte) => byte.toString(16).padStart(2, "0")).join(""));
  const wallet = await walletOf(assay, keys[0]);
  const providers = [await assay.Eip1193Provider.connect(wallet), ...(await Promise.all(keys.slice(1).map((key) => assay.PrivateKeyProvider.from(key))))];
  return Promise.all(
    providers.map(async (provider) => {
      const client = new assay.Client({ provider, apiUrl });
      await client.init();
      await credit(client);
      return client;
    }),
  );
}

const codesOf = async (promise) => {
  try {
    return (await promise, "it succeeded");
  } catch (error) {
    return error.errors?.length ? error.errors.map(({ code }) => code) : (error.code ?? error.reason ?? String(error));
  }
};

/** Returns all items of a list. */
const collect = async (items) => {
  const all = [];
  for await (const item of items) all.push(item);
  return all;
};

/**
 * Runs the story and returns its observations. If `credit` is given, it gives accounts their tokens, and the service needs no deposits. The
 * observations of deposits are then left out: see `withoutDeposits`.
 */
export async function runStory(assay, apiUrl, { credit } = {}) {
  const seen = {};
  const [alice, bob, carol] = await accounts(assay, apiUrl, credit);
  const [a, b, c] = [alice, bob, carol].map(({ provider }) => provider.accountId);
  const { payment, gateway } = (await alice.getAccount()).data;
  const order = (more) => ({ wildcardSigner: false, automatedPerform: true, payerId: a, signersIds: [a], ...more });
  const ownerOf = async (ledgerId, id) => (await alice.getLedgerAsset(ledgerId, id)).data.ownerId.toLowerCase();
  const is = async (ledgerId, id, account) => (await ownerOf(ledgerId, id)) === account.toLowerCase();

  const { data: deployment } = await alice.createDeployment(
    { name: "Příběh 📜", symbol: "STORY", uriPrefix: "https://assets.example/", uriPostfix: ".json", schemaId: SCHEMA_ID, capabilities: [1, 2], ownerId: a },
    HIGH,
  );
  const { ledgerId } = (await alice.waitForDeployment(deployment.ref, QUICKLY)).data;
  seen.deployed = (await bob.getLedger(ledgerId)).data.name;

  const creation = (id, receiverId) => ({ kind: 1, assetLedgerId: ledgerId, id, imprint: IMPRINT, senderId: a, receiverId });
  const many = await alice.createOrder(order({ actions: ["1", "2", "3", "4", "5"].map((id) => creation(id, a)) }), HIGH);
  seen.created = (await alice.waitForOrder(many.data.ref, QUICKLY)).data.status;

  // A ledger stores only the digits of an imprint, without the profile.
  const imprintOf = async (id) => (await alice.getLedgerAsset(ledgerId, id)).data.imprint;
  const update = await alice.createOrder(order({ actions: [{ kind: 4, assetLedgerId: ledgerId, id: "5", imprint: CHANGED, senderId: a }] }), HIGH);
  await alice.waitForOrder(update.data.ref, QUICKLY);
  seen.imprints = [await imprintOf("4"), await imprintOf("5")];

  // Exchanges an asset for value, in one order that both accounts sign.
  const before = BigInt((await alice.getAccount()).data.balance);
  const exchange = await alice.createOrder(
    order({
      signersIds: [a, b],
      payerId: b,
      actions: [
        { kind: 2, assetLedgerId: ledgerId, id: "1", senderId: a, receiverId: b },
        { kind: 3, valueLedgerId: payment.tokenAddress, value: "10.5", senderId: b, receiverId: a },
      ],
    }),
    HIGH,
  );
  seen.exchangeWaits = exchange.data.status;
  await bob.signOrder(exchange.data.ref, { reviewed: (await bob.getOrder(exchange.data.ref)).data });
  await alice.waitForOrder(exchange.data.ref, QUICKLY);
  seen.exchanged = [await is(ledgerId, "1", b), assay.fromUnits(BigInt((await alice.getAccount()).data.balance) - before)];

  // The account that signs first gets asset 2.
  const open = await alice.createOrder(order({ wildcardSigner: true, actions: [{ kind: 2, assetLedgerId: ledgerId, id: "2", senderId: a }] }), HIGH);
  seen.wildcardWaits = open.data.status;
  await carol.signOrder(open.data.ref);
  await carol.waitForOrder(open.data.ref, QUICKLY);
  seen.wildcard = await is(ledgerId, "2", c);

  // Three accounts sign an order that is performed only by a separate call.
  const three = await alice.createOrder(
    order({
      signersIds: [a, b, c],
      automatedPerform: false,
      actions: [
        creation("6", b),
        { kind: 3, valueLedgerId: payment.tokenAddress, value: 1, senderId: b, receiverId: c },
        { kind: 3, valueLedgerId: payment.tokenAddress, value: 2n, senderId: c, receiverId: a },
      ],
    }),
    HIGH,
  );
  await bob.signOrder(three.data.ref);
  seen.notReady = await codesOf(alice.performOrder(three.data.ref));
  await carol.signOrder(three.data.ref);
  seen.signedTwice = await codesOf(carol.signOrder(three.data.ref));
  seen.afterThree = (await alice.getOrder(three.data.ref)).data.status;
  await carol.performOrder(three.data.ref);
  seen.three = (await alice.waitForOrder(three.data.ref, QUICKLY)).data.status;

  // A canceled order can no longer be signed.
  const given = order({ signersIds: [a, b], actions: [{ kind: 2, assetLedgerId: ledgerId, id: "3", senderId: a, receiverId: b }] });
  const canceled = await alice.createOrder(given, HIGH);
  seen.outsiderCancels = await codesOf(carol.cancelOrder(canceled.data.ref));
  seen.canceled = (await bob.cancelOrder(canceled.data.ref)).data.status;
  seen.canceledSigned = await codesOf(bob.signOrder(canceled.data.ref));
  seen.canceledAwaited = await codesOf(alice.waitForOrder(canceled.data.ref, QUICKLY));

  // Bob can transfer asset 1 only after he has approved the proxy. Before that, he allows the ledger to take the fee.
  const gift = { wildcardSigner: false, automatedPerform: true, payerId: b, signersIds: [b], actions: [{ kind: 2, assetLedgerId: ledgerId, id: "1", senderId: b, receiverId: c }] };
  seen.unapproved = await codesOf(bob.createOrder(gift, HIGH));
  const allowance = await bob.createApproval({ spender: ledgerId, value: 2 }, HIGH);
  seen.valueApproved = (await bob.waitForApproval(allowance.data.ref, QUICKLY)).data.approval.kind;
  const approval = await bob.createApproval({ ledgerId, receiverId: gateway.proxies.safeTransferAsset, approve: true }, HIGH);
  seen.approved = (await bob.waitForApproval(approval.data.ref, QUICKLY)).data.approval.kind;
  const used = await bob.createOrder(gift, HIGH);
  await bob.waitForOrder(used.data.ref, QUICKLY);
  seen.used = await is(ledgerId, "1", c);

  // Reads whole lists, page by page.
  seen.assets = (await collect(alice.ledgerAssets(ledgerId, { limit: 2, sort: 1 }))).map(({ id }) => id);
  seen.assetsFrom3 = (await collect(alice.ledgerAssets(ledgerId, { limit: 2, sort: 1, skip: 3 }))).map(({ id }) => id);
  seen.page = await alice.getLedgerAssets(ledgerId, { limit: 2, sort: 1, filterIds: ["5", "6", "7"] }).then(({ data, meta }) => [data.map(({ id }) => id), meta.total]);
  seen.orders = [(await collect(bob.orders({ limit: 2 }))).length, (await collect(bob.orders({ statuses: [6] }))).map(({ ref }) => ref === canceled.data.ref)];
  seen.deployments = (await collect(alice.deployments())).map(({ ref }) => ref === deployment.ref);
  seen.approvals = (await collect(bob.approvals({ limit: 1 }))).length;
  if (!credit) seen.deposits = (await collect(carol.deposits())).map(({ amount }) => amount);
  seen.ledgers = (await collect(alice.ledgers())).map((ledger) => ledger.id === ledgerId);
  seen.holders = (await alice.getLedgerAccounts(ledgerId, { filterAccountIds: [a, b] })).data.map((account) => account.toLowerCase() === a.toLowerCase());
  seen.abilities = (await alice.getLedgerAbilities(ledgerId, { filterAccountIds: [a] })).data[0].abilities.length;
  seen.ownAbilities = (await alice.getAccountAbilities()).data.length;
  seen.costs = (await alice.getCostsStats({ fromDate: new Date(Date.now() - 86_400_000) })).data.length;
  seen.later = (await alice.getCostsStats({ fromDate: new Date(Date.now() + 172_800_000) })).data.length;
  seen.tickers = Array.isArray((await alice.getTickerStats({ sort: 1 })).data);

  // Requests that the service or the client refuses.
  seen.unknownOrder = await codesOf(alice.getOrder("x"));
  seen.unknownSigned = await codesOf(alice.signOrder("x"));
  seen.poor = await codesOf(bob.createOrder(order({ payerId: b, signersIds: [b], actions: [{ kind: 3, valueLedgerId: payment.tokenAddress, value: "1000000", senderId: b, receiverId: a }] }), HIGH));
  seen.priority = await codesOf(alice.createOrder(order({ actions: [creation("9", a)] }), 5));
  if (!credit) seen.depositTooLow = await codesOf(alice.createDeposit(999));
  const now = { at: new Date() };
  const given4 = order({ actions: [{ kind: 2, assetLedgerId: ledgerId, id: "4", senderId: a, receiverId: c }] });
  const sent = [await alice.createOrder(given4, HIGH, now), await alice.createOrder(given4, HIGH, now)];
  seen.sameTime = [...sent.map(({ status }) => status), sent[0].data.ref === sent[1].data.ref];
  // The clock is three days slow.
  seen.late = await codesOf(alice.createOrder(given4, HIGH, { at: new Date(Date.now() - 259_200_000) }));

  return credit ? seen : { ...seen, ...(await depositsOf(assay, apiUrl, bob, carol)) };
}

/** Returns the observations of deposits whose responses are lost, or whose requests are sent twice. */
async function depositsOf(assay, apiUrl, bob, carol) {
  const seen = {};
  // The first response is lost, and the retry receives it.
  let posts = 0;
  const lossy = async (url, request) => {
    const answer = await fetch(url, request);
    if (request.method === "POST" && (posts += 1) === 1) throw new TypeError("lost");
    return answer;
  };
  const unlucky = new assay.Client({ provider: bob.provider, apiUrl, fetch: lossy });
  await unlucky.init();
  await unlucky.createDeposit(1_000);
  seen.lost = [posts, (await collect(unlucky.deposits())).map(({ amount }) => amount)];

  // An item that is added while a list is read comes before the first item, so it does not shift the pages.
  seen.meanwhile = [];
  for await (const { amount } of unlucky.deposits({ limit: 1 })) {
    seen.meanwhile.push(amount);
    await unlucky.createDeposit(1_001);
  }

  const key = "the same";
  const twice = [await carol.createDeposit(1_000, { idempotencyKey: key }), await carol.createDeposit(1_000, { idempotencyKey: key })];
  seen.idempotent = twice[0].data.ref === twice[1].data.ref;
  seen.keyReused = await codesOf(carol.createDeposit(1_001, { idempotencyKey: key }));
  return seen;
}

export const RESULT = {
  deployed: "Příběh 📜",
  created: 7,
  imprints: [IMPRINT, CHANGED].map((imprint) => imprint.slice("aih2:".length)),
  exchangeWaits: 0,
  exchanged: [true, "10.5"],
  wildcardWaits: 0,
  wildcard: true,
  notReady: [400008],
  signedTwice: [400012],
  afterThree: 0,
  three: 7,
  outsiderCancels: [400009],
  canceled: 6,
  canceledSigned: [400013],
  canceledAwaited: "canceled",
  unapproved: [422073],
  valueApproved: 8,
  approved: 7,
  used: true,
  assets: ["1", "2", "3", "4", "5", "6"],
  assetsFrom3: ["4", "5", "6"],
  page: [["5", "6"], 2],
  orders: [4, [true]],
  deployments: [true],
  approvals: 2,
  deposits: [5000],
  ledgers: [true],
  holders: [true],
  abilities: 9,
  ownAbilities: 1,
  costs: 1,
  later: 0,
  tickers: true,
  unknownOrder: [400011],
  unknownSigned: 7000005,
  poor: [422075, 422076],
  priority: [422010],
  depositTooLow: [422096],
  sameTime: [201, 200, true],
  late: [422900],
  lost: [2, [1000, 5000]],
  meanwhile: [1000, 5000],
  idempotent: true,
  keyReused: [409000],
};

/** The observations of deposits, which a ledger on a chain does not have. */
const OF_DEPOSITS = ["deposits", "depositTooLow", "lost", "meanwhile", "idempotent", "keyReused"];

/** Returns the expected observations of a service without deposits. */
export function withoutDeposits(result) {
  return Object.fromEntries(Object.entries(result).filter(([name]) => !OF_DEPOSITS.includes(name)));
}
