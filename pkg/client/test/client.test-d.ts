// Code that compiles against the published package, and code that must not. An expected error that does not occur is an error too.
import {
  ActionKind,
  ApiError,
  Client,
  ClientError,
  ClientErrorCode,
  ConnectionError,
  Eip1193Provider,
  InvalidRequestError,
  LedgerCapability,
  Priority,
  PrivateKeyProvider,
  RequestStatus,
  SignMethod,
  WaitError,
  fromUnits,
  priceOf,
  toUnits,
  verifyWebhook,
} from "@assay/client";
import type { Account, Approval, Bill, ClientAction, ClientOrder, Deployed, Deployment, Envelope, Ledger, Order, PageMeta, Provider, Validity, WebhookEvent } from "@assay/client";

type Same<One, Other> = (<T>() => T extends One ? 1 : 2) extends <T>() => T extends Other ? 1 : 2 ? true : false;
const same = <One, Other>(..._: Same<One, Other> extends true ? [] : ["not the same type"]): void => undefined;

declare const provider: Provider;
declare const wallet: { request(call: { method: string; params?: unknown[] }): Promise<unknown> };
const call = { signal: new AbortController().signal };

export async function right(client: Client): Promise<void> {
  new Client({ provider });
  new Client();
  new Client({ apiUrl: "https://api.example.com" });
  new Client({ provider, apiUrl: "https://api.example.com", retries: 0, timeout: 1000, fetch, serviceName: "s", authorizationEthSign: "sha256" });
  const bounds = { paymentConfig: { tokenAddress: "0x", receiverAddress: "0x" }, maxCosts: { assetCreateCost: 3, assetDeployCost: "5.5", valueTransferCost: 10n ** 18n, assetUpdateCost: undefined } };
  new Client({
    provider,
    ...bounds,
    gatewayConfig: { actionsOrderId: "0x", assetLedgerDeployOrderId: "0x" },
    allowHttp: true,
    confirmPayment: ({ request, payerId, value }) => request === "order" && payerId !== null && BigInt(value) < 1n,
  });
  new Client({ provider, confirmPayment: async (bill: Bill) => bill.tokenAddress === bill.receiverAddress });
  new Client({ provider: { accountId: "0x", signMethod: 0, sign: async (message) => message } });
  new Client({ provider: await PrivateKeyProvider.from("00", SignMethod.ETH_SIGN) });
  new Client({ provider: await Eip1193Provider.connect(wallet, "0x") });
  await client.init(call);

  const actions: ClientAction[] = [
    { kind: ActionKind.CREATE_ASSET, assetLedgerId: "0x", id: "1", imprint: "00", senderId: "0x", receiverId: "0x" },
    { kind: 2, assetLedgerId: "0x", id: "1", senderId: "0x" },
    { kind: 3, valueLedgerId: "0x", value: 1, senderId: "0x", receiverId: null },
    { kind: 3, valueLedgerId: "0x", value: "0.1" },
    { kind: 3, valueLedgerId: "0x", value: 1n },
    { kind: 4, assetLedgerId: "0x", id: "1", imprint: "00" },
    { kind: 5, assetLedgerId: "0x", abilities: [1, 16, 1024], receiverId: "0x" },
    { kind: 6, assetLedgerId: "0x", id: "1" },
    { kind: 7, assetLedgerId: "0x", id: "1" },
  ];
  const order: ClientOrder = { actions, signersIds: ["0x"], payerId: "0x", wildcardSigner: false, automatedPerform: true };
  const { data, status } = await client.createOrder(order, Priority.HIGH, { ...call, at: new Date(), idempotencyKey: "k" });
  same<typeof data, Order>();
  same<typeof status, number>();
  same<Awaited<ReturnType<Client["getDeployment"]>>["data"], Deployment>();
  same<Awaited<ReturnType<Client["waitForDeployment"]>>["data"], Deployed>();
  const ledgerId: string = (await client.waitForDeployment("r")).data.ledgerId;
  same<Awaited<ReturnType<Client["createApproval"]>>["data"], Approval>();
  same<Awaited<ReturnType<Client["getLedgers"]>>, Envelope<Ledger[], PageMeta>>();
  same<(typeof data)["order"]["wildcardClaim"], { accountId: string; claim: string | null } | null>();
  if (data.status === RequestStatus.FINALIZED) await client.signOrder(data.ref, { reviewed: data });
  await client.signOrder(data.ref, { ...call, review: ({ order }) => order.actions.every(({ kind }) => kind !== ActionKind.TRANSFER_VALUE) });
  await client.signOrder(data.ref, { review: async ({ wildcardSigner }) => !wildcardSigner });
  await client.signOrder(data.ref);
  same<Awaited<ReturnType<Client["deleteAccountInformation"]>>["data"], Account>();
  await client.createDeployment({ name: "", symbol: "", uriPrefix: "", uriPostfix: "", schemaId: "", capabilities: [LedgerCapability.UPDATE_ASSET], ownerId: "" }, 1);
  await client.createApproval({ ledgerId, receiverId: "0x", approve: false }, 2);
  await client.createApproval({ spender: "0x", value: 2n }, 4);
  for await (const found of client.orders({ statuses: [RequestStatus.PENDING], sort: 1, limit: 100 }, call)) same<typeof found, Order>();
  const next: string | undefined = (await client.getRequests({ methods: ["GET"], status: 200, fromDate: new Date() })).meta.next;
  await client.waitForOrder("r", { timeout: 1, interval: 1, until: 3, ...call });
  // An undefined option counts as absent.
  const absent: undefined = undefined;
  new Client({ provider: absent, apiUrl: absent });
  new Client({
    provider,
    apiUrl: absent,
    gatewayConfig: absent,
    serviceName: absent,
    retries: absent,
    timeout: absent,
    fetch: absent,
    allowHttp: absent,
    paymentConfig: absent,
    maxCosts: absent,
    confirmPayment: absent,
  });
  await client.createOrder({ ...order, payerId: absent }, 1, { at: absent, signal: absent, idempotencyKey: absent });
  await client.getRequests({ skip: absent, limit: absent, sort: absent, after: absent, methods: absent, status: absent, fromDate: absent, toDate: absent }, { signal: absent });
  await client.signOrder("r", { reviewed: absent, review: absent });
  client.badgeUrl("0x", "1", { validImg: absent });
  await client.waitForOrder("r", { timeout: absent, interval: absent, until: absent, signal: absent });
  same<Validity["valid"], boolean | null>();
  same<Awaited<ReturnType<typeof verifyWebhook>>, WebhookEvent>();
  same<typeof next, string | undefined>();
  same<ReturnType<typeof toUnits>, bigint>();
  same<ReturnType<typeof priceOf>, bigint>();
  same<ReturnType<typeof fromUnits>, string>();
}

/** All errors that functions reject with can be distinguished without a cast. */
export function explain(error: unknown): string {
  if (error instanceof InvalidRequestError || error instanceof ApiError) return `${error.status} ${error.id ?? ""} ${error.errors.map(({ code, path }) => `${code} ${path}`).join()}`;
  if (error instanceof WaitError) return `${error.reason} ${error.result?.data.status ?? ""}`;
  if (error instanceof ConnectionError) return error.message;
  if (!(error instanceof ClientError)) return String(error);
  switch (error.code) {
    case ClientErrorCode.INITIALIZATION_FAILED:
    case ClientErrorCode.NOT_CONNECTED:
    case ClientErrorCode.PAYER_NOT_SPECIFIED:
    case ClientErrorCode.PAYER_NOT_SIGNER:
    case ClientErrorCode.ORDER_NOT_FETCHED:
    case ClientErrorCode.NO_ACTIONS:
    case ClientErrorCode.NO_GATEWAYS:
    case ClientErrorCode.OPTION_NOT_VALID:
    case ClientErrorCode.PAYMENT_NOT_ALLOWED:
    case ClientErrorCode.NOT_CONFIRMED:
    case ClientErrorCode.ORDER_NOT_REVIEWED:
    case ClientErrorCode.NO_PROVIDER:
    case ClientErrorCode.SMART_ACCOUNT:
      return String(error.original);
    default:
      return error.code satisfies never;
  }
}

export async function wrong(client: Client, order: ClientOrder): Promise<void> {
  // @ts-expect-error a provider signs
  new Client({ provider: { accountId: "0x", signMethod: 3 } });
  // @ts-expect-error unknown option
  new Client({ provider, apiURL: "https://api.example.com" });
  const bounds = { paymentConfig: { tokenAddress: "0x", receiverAddress: "0x" }, maxCosts: {} };
  // @ts-expect-error gateways have two addresses
  new Client({ provider, ...bounds, gatewayConfig: { actionsOrderId: "0x" } });
  // @ts-expect-error pinned gateways require pinned payments
  new Client({ provider, gatewayConfig: { actionsOrderId: "0x", assetLedgerDeployOrderId: "0x" } });
  // @ts-expect-error a payment has a receiver
  new Client({ provider, paymentConfig: { tokenAddress: "0x" } });
  // @ts-expect-error there is no cost of this name
  new Client({ provider, maxCosts: { assetCreationCost: 1 } });
  // @ts-expect-error a confirmation is a boolean
  new Client({ provider, confirmPayment: (bill) => bill.value });
  // @ts-expect-error a review is a boolean
  await client.signOrder("r", { review: true });
  // @ts-expect-error keys are strings
  await PrivateKeyProvider.from(1n);
  // @ts-expect-error the service accepts no signatures of type 2
  await PrivateKeyProvider.from("00", 2);
  // @ts-expect-error `connect` creates providers
  new Eip1193Provider(wallet, "0x");
  // @ts-expect-error a priority is required
  await client.createOrder(order);
  // @ts-expect-error a priority is 1 to 4
  await client.createOrder(order, 5);
  // @ts-expect-error a time is a date
  await client.createOrder(order, 1, { at: 1_700_000_000_000 });
  // @ts-expect-error `wildcardSigner` is required
  await client.createOrder({ actions: [], signersIds: [], automatedPerform: true }, 1);
  // @ts-expect-error an action of kind 1 has an imprint
  order.actions.push({ kind: 1, assetLedgerId: "0x", id: "1", receiverId: "0x" });
  // @ts-expect-error asset ids are strings, because numbers lose digits
  order.actions.push({ kind: 6, assetLedgerId: "0x", id: 1 });
  // @ts-expect-error values have a ledger of their own
  order.actions.push({ kind: 3, assetLedgerId: "0x", value: 1 });
  // @ts-expect-error an imprint update has no receiver
  order.actions.push({ kind: 4, assetLedgerId: "0x", id: "1", imprint: "00", receiverId: "0x" });
  // @ts-expect-error there is no ability 4
  order.actions.push({ kind: 5, assetLedgerId: "0x", abilities: [4] });
  // @ts-expect-error there is no kind 9
  order.actions.push({ kind: 9 });
  // @ts-expect-error `approve` is a boolean
  await client.createApproval({ ledgerId: "0x", receiverId: "0x" }, 1);
  // @ts-expect-error a ledger has an owner
  await client.createDeployment({ name: "", symbol: "", uriPrefix: "", uriPostfix: "", schemaId: "", capabilities: [] }, 1);
  // @ts-expect-error cents are a number
  await client.createDeposit("2000");
  // @ts-expect-error dates are `Date` objects
  await client.getCostsStats({ fromDate: "2023-11-14" });
  // @ts-expect-error orders are not filtered by account
  await client.getOrders({ filterAccountIds: ["0x"] });
  // @ts-expect-error there is no status 8
  client.orders({ statuses: [8] });
  // @ts-expect-error `sort` is 1 or 2
  await client.getLedgers({ sort: 0 });
  // @ts-expect-error references are strings
  await client.getOrder(1);
  // @ts-expect-error `until` is 3 or 7
  await client.waitForOrder("r", { until: 4 });
  // @ts-expect-error amounts in answers are strings
  BigInt.asUintN(256, (await client.getAccount()).data.balance);
  // @ts-expect-error a deployment may have no ledger yet
  (await client.getDeployment("r")).data.ledgerId.toLowerCase();
  // @ts-expect-error a test event has no record
  (await verifyWebhook("", {}, "")).requestRef.toLowerCase();
}
