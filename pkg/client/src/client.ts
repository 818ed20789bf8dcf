import { unless } from "./abort.js";
import { hashOf, ready } from "./claims.js";
import type { GatewayConfig } from "./claims.js";
import { ClientError, ClientErrorCode } from "./errors.js";
import { Transport, path } from "./http.js";
import type { Call, CallOptions } from "./http.js";
import type {
  AccountListOptions,
  AssetListOptions,
  ClientApproval,
  ClientDeployment,
  ClientOrder,
  DatedListOptions,
  DepositListOptions,
  PageOptions,
  RecordListOptions,
  RequestListOptions,
  TickerListOptions,
} from "./inputs.js";
import { eachItem, query } from "./lists.js";
import { SignMethod, hex, sameAddress, toHex } from "./providers.js";
import type { Provider } from "./providers.js";
import { approvalRequest, deploymentRequest, moment, orderRequest, paying, signedPart } from "./requests.js";
import type { Asking } from "./requests.js";
import type * as records from "./types.js";
import type { Priority, WebhookEventKind } from "./enumerations.js";
import type { Envelope, PageMeta } from "./types.js";
import { waitFor } from "./wait.js";
import type { WaitOptions } from "./wait.js";

/** Where `cargo xtask dev` serves. */
export const DEFAULT_API_URL = "http://127.0.0.1:8787";

export interface ClientOptions {
  /** Who signs. */
  provider: Provider;
  /** Where the service is. */
  apiUrl?: string | undefined;
  /**
   * The gateways that claims are made for. Without it those of the provider, else what the service says: pin them where you do not
   * trust it, because a claim for other gateways is worth something elsewhere.
   */
  gatewayConfig?: GatewayConfig;
  /** The service's own name; the Authorization header signs `{serviceName} api`. `assay` unless told. */
  serviceName?: string;
  /** Another text that the Authorization header signs. */
  authorizationText?: string;
  /** What a signature of type 0 signs: the text, or its SHA-256 as the service may be set to. */
  authorizationEthSign?: "text" | "sha256";
  /** How often a call is repeated at most where that is safe; 3 unless told. */
  retries?: number;
  /** How long one attempt of a call may take, in milliseconds; 30 seconds unless told. */
  timeout?: number;
  /** Another `fetch`. */
  fetch?: typeof fetch;
}

/** What functions take that sign a request of their own. */
export interface CreateOptions extends CallOptions {
  /**
   * When the request is made; now, unless told. The same request with the same time is one request, however often it is made: the
   * service answers with the record that it has.
   */
  at?: Date;
}

type Answer<Data, Info = object> = Promise<Envelope<Data, Info>>;
type Page<Item> = Answer<Item[], PageMeta>;

/** A deployment that is done, and so has its ledger. */
export type Deployed = records.Deployment & { ledgerRef: records.Ref; ledgerId: records.Address };

interface Session {
  payment: records.Payment;
  gateways: GatewayConfig;
}

/** The last seed of each provider: two equal requests with one seed have one hash, and count as one. */
const lastSeeds = new WeakMap<Provider, number>();

/** The API as functions. Each gives the envelope of the answer, or rejects. */
export class Client {
  readonly provider: Provider;
  readonly #options: ClientOptions;
  readonly #transport: Transport;
  #session: Session | undefined;

  constructor(options: ClientOptions) {
    const { provider, apiUrl = DEFAULT_API_URL, retries = 3, timeout = 30_000 } = options;
    if (!provider) throw new TypeError("`options.provider` is missing: the client needs somebody who signs");
    if (!(Number.isInteger(retries) && retries >= 0)) throw new TypeError("`options.retries` must be a whole number");
    if (!(timeout > 0)) throw new TypeError("`options.timeout` must be a number of milliseconds");
    const base = baseOf(apiUrl);
    this.provider = provider;
    this.#options = options;
    // Called as a function: `fetch` is none of an object's methods.
    const given = options.fetch ?? fetch;
    this.#transport = new Transport({ apiUrl: base, retries, timeout, fetch: (...call) => given(...call) });
  }

  /**
   * Loads the claims, signs the Authorization header and reads the account, with what things cost. To be called before any other
   * function, and again where the costs have changed.
   */
  async init(call: CallOptions = {}): Promise<void> {
    let account: records.Account;
    let payment: records.Payment;
    this.#session = undefined;
    try {
      await ready();
      this.#transport.authorization = await this.#signed(await this.#authorizationMessage(), call);
      account = (await this.#transport.send<records.Account>({ method: "GET", path: "/account" }, call)).data;
      payment = paying(account);
      // Every signature shows some account: that of another text shows one that nobody has the key of.
      if (!sameAddress(account.id, this.provider.accountId)) {
        throw new Error(`the service takes \`${this.provider.accountId}\` for \`${account.id}\`: it reads another text, see \`serviceName\``);
      }
    } catch (error) {
      call.signal?.throwIfAborted();
      throw new ClientError(ClientErrorCode.INITIALIZATION_FAILED, error);
    }
    const gateways = this.#options.gatewayConfig ?? this.provider.gatewayConfig ?? account.gateway;
    if (typeof gateways?.actionsOrderId !== "string" || typeof gateways.assetLedgerDeployOrderId !== "string") {
      throw new ClientError(ClientErrorCode.NO_GATEWAYS);
    }
    this.#session = { payment, gateways };
  }

  // Account

  async getAccount(call?: CallOptions): Answer<records.Account> {
    return this.#get("/account", undefined, call);
  }

  /** What the account may do, by ledger. */
  async getAccountAbilities(options?: PageOptions, call?: CallOptions): Page<records.AccountAbility> {
    return this.#get("/account/abilities", options && query(options, "skip", "limit", "sort"), call);
  }

  accountAbilities(options?: PageOptions, call?: CallOptions): AsyncGenerator<records.AccountAbility, void> {
    return eachItem((page) => this.getAccountAbilities(page, call), options);
  }

  async updateAccountInformation(accountInformation: records.AccountInformationInput, call?: CallOptions): Answer<records.Account> {
    return this.#send({ method: "PUT", path: "/account", body: accountInformation, repeatable: true }, call);
  }

  async getAccountWebhook(call?: CallOptions): Answer<records.Webhook> {
    return this.#get("/account/webhook", undefined, call);
  }

  /** `events` are kinds; an empty list means all. */
  async updateAccountWebhook(url: string, events: WebhookEventKind[], call?: CallOptions): Answer<records.Webhook> {
    return this.#send({ method: "PUT", path: "/account/webhook", body: { url, events } satisfies records.WebhookRequest, repeatable: true }, call);
  }

  async deleteAccountWebhook(call?: CallOptions): Answer<records.Webhook> {
    return this.#send({ method: "DELETE", path: "/account/webhook", repeatable: true }, call);
  }

  /** A new secret; the old one stays valid until `meta.previousSecretValidUntil`. */
  async rotateAccountWebhookSecret(call?: CallOptions): Answer<records.Webhook, records.RotationMeta> {
    return this.#send({ method: "POST", path: "/account/webhook/rotate" }, call);
  }

  /** Sends a webhook for testing. */
  async testAccountWebhook(call?: CallOptions): Answer<records.Delivery> {
    return this.#send({ method: "POST", path: "/account/webhook/test" }, call);
  }

  async getAccountWebhookDeliveries(options?: PageOptions, call?: CallOptions): Page<records.Delivery> {
    return this.#get("/account/webhook/deliveries", query(options, "skip", "limit", "sort"), call);
  }

  accountWebhookDeliveries(options?: PageOptions, call?: CallOptions): AsyncGenerator<records.Delivery, void> {
    return eachItem((page) => this.getAccountWebhookDeliveries(page, call), options);
  }

  async redeliverAccountWebhookEvent(deliveryRef: string, call?: CallOptions): Answer<records.Delivery> {
    return this.#send({ method: "POST", path: path`/account/webhook/deliveries/${deliveryRef}/redeliver` }, call);
  }

  // Deposits

  /** `amount` is EUR cents. */
  async createDeposit(amount: number, call?: CallOptions): Answer<records.Deposit> {
    return this.#send({ method: "POST", path: "/deposits", body: { amount } satisfies records.DepositRequest }, call);
  }

  async getDeposit(depositRef: string, call?: CallOptions): Answer<records.Deposit> {
    return this.#get(path`/deposits/${depositRef}`, undefined, call);
  }

  async getDeposits(options?: DepositListOptions, call?: CallOptions): Page<records.Deposit> {
    return this.#get("/deposits", query(options, "filterIds", "sort", "skip", "limit"), call);
  }

  deposits(options?: DepositListOptions, call?: CallOptions): AsyncGenerator<records.Deposit, void> {
    return eachItem((page) => this.getDeposits(page, call), options);
  }

  // Deployments

  async createDeployment(deployData: ClientDeployment, priority: Priority, call?: CreateOptions): Answer<records.Deployment> {
    const { gateways, ...asking } = this.#asking(call);
    const body = deploymentRequest(deployData, priority, asking);
    body.claim = await this.#signed(hashOf("deployment", body, gateways), call);
    return this.#send({ method: "POST", path: "/deployments", body }, call);
  }

  async getDeployment(deploymentRef: string, call?: CallOptions): Answer<records.Deployment> {
    return this.#get(path`/deployments/${deploymentRef}`, undefined, call);
  }

  async getDeployments(options?: RecordListOptions, call?: CallOptions): Page<records.Deployment> {
    return this.#get("/deployments", query(options, "filterIds", "statuses", "sort", "skip", "limit"), call);
  }

  deployments(options?: RecordListOptions, call?: CallOptions): AsyncGenerator<records.Deployment, void> {
    return eachItem((page) => this.getDeployments(page, call), options);
  }

  /** The deployment as soon as it is done; rejects with a `WaitError` if it fails or takes too long. */
  async waitForDeployment(deploymentRef: string, options?: WaitOptions): Answer<Deployed> {
    return waitFor(deploymentRef, (signal) => this.getDeployment(deploymentRef, { signal }) as Answer<Deployed>, options);
  }

  // Orders

  async createOrder(order: ClientOrder, priority: Priority, call?: CreateOptions): Answer<records.Order> {
    const { gateways, ...asking } = this.#asking(call);
    const body = orderRequest(order, priority, asking);
    const hash = hashOf("order", body, gateways);
    const own = body.order.signers.find(({ accountId }) => sameAddress(accountId, this.provider.accountId));
    if (own) own.claim = await this.#signed(hash, call);
    return this.#send({ method: "POST", path: "/orders", body }, call);
  }

  async getOrder(orderRef: string, call?: CallOptions): Answer<records.Order> {
    return this.#get(path`/orders/${orderRef}`, undefined, call);
  }

  async getOrders(options?: RecordListOptions, call?: CallOptions): Page<records.Order> {
    return this.#get("/orders", query(options, "filterIds", "statuses", "sort", "skip", "limit"), call);
  }

  orders(options?: RecordListOptions, call?: CallOptions): AsyncGenerator<records.Order, void> {
    return eachItem((page) => this.getOrders(page, call), options);
  }

  /**
   * Signs an order. `reviewed` is the order as the caller has read it; without it, what the service gives under the reference is
   * signed unseen.
   */
  async signOrder(orderRef: string, call: CallOptions & { reviewed?: records.Order } = {}): Answer<records.Order> {
    const { gateways } = this.#connected();
    let hash: string;
    try {
      const record = call.reviewed ?? (await this.getOrder(orderRef, call)).data;
      hash = hashOf("order", signedPart(record), gateways);
      if (record.hash !== undefined && record.hash !== hash) throw new Error("the service names another hash for this order: it uses other gateways");
    } catch (error) {
      call.signal?.throwIfAborted();
      throw new ClientError(ClientErrorCode.ORDER_NOT_FETCHED, error);
    }
    const claim = await this.#signed(hash, call);
    return this.#send({ method: "PUT", path: path`/orders/${orderRef}/sign`, body: { claim } satisfies records.SignRequest }, call);
  }

  async performOrder(orderRef: string, call?: CallOptions): Answer<records.Order> {
    return this.#send({ method: "PUT", path: path`/orders/${orderRef}/perform` }, call);
  }

  async cancelOrder(orderRef: string, call?: CallOptions): Answer<records.Order, records.OrderMeta> {
    return this.#send({ method: "DELETE", path: path`/orders/${orderRef}` }, call);
  }

  /** The order as soon as it is done; rejects with a `WaitError` if it fails, is canceled or takes too long. */
  async waitForOrder(orderRef: string, options?: WaitOptions): Answer<records.Order> {
    return waitFor(orderRef, (signal) => this.getOrder(orderRef, { signal }), options);
  }

  // Approvals

  async createApproval(approval: ClientApproval, priority: Priority, call?: CreateOptions): Answer<records.Approval> {
    const { gateways, ...asking } = this.#asking(call);
    const body = approvalRequest(approval, priority, asking);
    body.claim = await this.#signed(hashOf("approval", body, gateways), call);
    return this.#send({ method: "POST", path: "/approvals", body }, call);
  }

  async getApproval(approvalRef: string, call?: CallOptions): Answer<records.Approval> {
    return this.#get(path`/approvals/${approvalRef}`, undefined, call);
  }

  async getApprovals(options?: RecordListOptions, call?: CallOptions): Page<records.Approval> {
    return this.#get("/approvals", query(options, "filterIds", "statuses", "sort", "skip", "limit"), call);
  }

  approvals(options?: RecordListOptions, call?: CallOptions): AsyncGenerator<records.Approval, void> {
    return eachItem((page) => this.getApprovals(page, call), options);
  }

  /** The approval as soon as it is done; rejects with a `WaitError` if it fails or takes too long. */
  async waitForApproval(approvalRef: string, options?: WaitOptions): Answer<records.Approval> {
    return waitFor(approvalRef, (signal) => this.getApproval(approvalRef, { signal }), options);
  }

  // Ledgers; a ledger's reference may be its address.

  async getLedger(ledgerRef: string, call?: CallOptions): Answer<records.Ledger> {
    return this.#get(path`/ledgers/${ledgerRef}`, undefined, call);
  }

  async getLedgers(options?: PageOptions, call?: CallOptions): Page<records.Ledger> {
    return this.#get("/ledgers", query(options, "skip", "limit", "sort"), call);
  }

  ledgers(options?: PageOptions, call?: CallOptions): AsyncGenerator<records.Ledger, void> {
    return eachItem((page) => this.getLedgers(page, call), options);
  }

  async getLedgerAbilities(ledgerRef: string, options?: AccountListOptions, call?: CallOptions): Page<records.LedgerAbility> {
    return this.#get(path`/ledgers/${ledgerRef}/abilities`, query(options, "skip", "limit", "filterAccountIds", "sort"), call);
  }

  ledgerAbilities(ledgerRef: string, options?: AccountListOptions, call?: CallOptions): AsyncGenerator<records.LedgerAbility, void> {
    return eachItem((page) => this.getLedgerAbilities(ledgerRef, page, call), options);
  }

  async getLedgerAccounts(ledgerRef: string, options?: AccountListOptions, call?: CallOptions): Page<records.Address> {
    return this.#get(path`/ledgers/${ledgerRef}/accounts`, query(options, "skip", "limit", "filterAccountIds", "sort"), call);
  }

  ledgerAccounts(ledgerRef: string, options?: AccountListOptions, call?: CallOptions): AsyncGenerator<records.Address, void> {
    return eachItem((page) => this.getLedgerAccounts(ledgerRef, page, call), options);
  }

  async getLedgerAsset(ledgerRef: string, assetId: string, call?: CallOptions): Answer<records.Asset> {
    return this.#get(path`/ledgers/${ledgerRef}/assets/${assetId}`, undefined, call);
  }

  async getLedgerAssets(ledgerRef: string, options?: AssetListOptions, call?: CallOptions): Page<records.Asset> {
    return this.#get(path`/ledgers/${ledgerRef}/assets`, query(options, "skip", "limit", "filterIds", "sort"), call);
  }

  ledgerAssets(ledgerRef: string, options?: AssetListOptions, call?: CallOptions): AsyncGenerator<records.Asset, void> {
    return eachItem((page) => this.getLedgerAssets(ledgerRef, page, call), options);
  }

  // Statistics

  async getTrafficStats(options?: DatedListOptions, call?: CallOptions): Page<records.Traffic> {
    return this.#get("/stats/traffic", query(options, "fromDate", "toDate", "skip", "limit", "sort"), call);
  }

  trafficStats(options?: DatedListOptions, call?: CallOptions): AsyncGenerator<records.Traffic, void> {
    return eachItem((page) => this.getTrafficStats(page, call), options);
  }

  async getCostsStats(options?: DatedListOptions, call?: CallOptions): Page<records.Cost> {
    return this.#get("/stats/costs", query(options, "fromDate", "toDate", "skip", "limit", "sort"), call);
  }

  costsStats(options?: DatedListOptions, call?: CallOptions): AsyncGenerator<records.Cost, void> {
    return eachItem((page) => this.getCostsStats(page, call), options);
  }

  async getTickerStats(options?: TickerListOptions, call?: CallOptions): Page<records.Ticker> {
    const parameters = query(options, "fromDate", "toDate", "filterIds", "sort", "skip", "limit");
    return this.#send({ method: "GET", path: "/stats/tickers", query: parameters, open: true }, call);
  }

  tickerStats(options?: TickerListOptions, call?: CallOptions): AsyncGenerator<records.Ticker, void> {
    return eachItem((page) => this.getTickerStats(page, call), options);
  }

  // Requests

  async getRequest(requestRef: string, call?: CallOptions): Answer<records.Request> {
    return this.#get(path`/requests/${requestRef}`, undefined, call);
  }

  async getRequests(options?: RequestListOptions, call?: CallOptions): Page<records.Request> {
    return this.#get("/requests", query(options, "fromDate", "toDate", "status", "methods", "sort", "skip", "limit"), call);
  }

  requests(options?: RequestListOptions, call?: CallOptions): AsyncGenerator<records.Request, void> {
    return eachItem((page) => this.getRequests(page, call), options);
  }

  // Badge

  /** Whether an asset is valid, and why. Needs no `init`, because it needs no account. */
  async getValidity(ledgerId: string, assetId: string, call?: CallOptions): Answer<records.Validity> {
    return this.#transport.send({ method: "GET", path: "/badge.json", query: Object.entries({ ledgerId, assetId }), open: true }, call);
  }

  /** The address of an asset's badge, for an `<img>`. */
  badgeUrl(ledgerId: string, assetId: string, images: { validImg?: string; invalidImg?: string } = {}): string {
    return this.#transport.url({ path: "/badge", query: Object.entries({ ledgerId, assetId, ...images }) });
  }

  // How

  #connected(): Session {
    if (!this.#session) throw new ClientError(ClientErrorCode.NOT_CONNECTED);
    return this.#session;
  }

  /** What a request of this account needs. */
  #asking(call: CreateOptions | undefined): Asking & Session {
    return { ...this.#connected(), accountId: this.provider.accountId, moment: call?.at ? moment(Number(call.at)) : moment(Date.now(), this.#seed()) };
  }

  async #get<Data, Info>(path: string, query?: Call["query"], call?: CallOptions): Answer<Data, Info> {
    return this.#send({ method: "GET", path, ...(query ? { query } : {}) }, call);
  }

  async #send<Data, Info>(request: Call, call?: CallOptions): Answer<Data, Info> {
    this.#connected();
    return this.#transport.send(request, call);
  }

  /** The time, and never the same twice. */
  #seed(): number {
    const seed = Math.max(Date.now(), (lastSeeds.get(this.provider) ?? 0) + 1);
    lastSeeds.set(this.provider, seed);
    return seed;
  }

  /** What the Authorization header signs. */
  async #authorizationMessage(): Promise<string> {
    const { serviceName = "assay", authorizationText = `${serviceName} api`, authorizationEthSign = "text" } = this.#options;
    if (this.provider.signMethod === SignMethod.PERSONAL_SIGN) return authorizationText;
    // eth_sign takes bytes.
    if (authorizationEthSign === "text") return toHex(authorizationText);
    return hex(new Uint8Array(await crypto.subtle.digest("SHA-256", new TextEncoder().encode(authorizationText))));
  }

  /** `{type}:{signature}` of the provider. */
  async #signed(message: string, { signal }: CallOptions = {}): Promise<string> {
    const { provider } = this;
    if (provider.signMethod !== SignMethod.ETH_SIGN && provider.signMethod !== SignMethod.PERSONAL_SIGN) {
      throw new Error(`the service takes no signatures of type ${provider.signMethod}: 0 (ETH_SIGN) and 3 (PERSONAL_SIGN) are known`);
    }
    signal?.throwIfAborted();
    const signature = await unless(signal, (async () => provider.sign(message))());
    if (typeof signature !== "string" || !/^0x[0-9a-fA-F]{130}$/.test(signature)) throw new Error("the provider gave no signature of 65 bytes, as `0x` and hex");
    return `${provider.signMethod}:${signature}`;
  }
}

/** Where paths are appended to. Credentials, a query or a fragment could not be part of it, and are not repeated in the message. */
function baseOf(apiUrl: string): string {
  const url = URL.canParse(apiUrl) ? new URL(apiUrl) : undefined;
  if (!url || !/^https?:$/.test(url.protocol)) throw new TypeError("`options.apiUrl` must be an http or https address");
  if (url.username || url.password || url.search || url.hash) {
    throw new TypeError("`options.apiUrl` must be an address without credentials, query and fragment");
  }
  return url.origin + url.pathname.replace(/\/+$/, "");
}
