// The API as functions, each with its route, arguments and result.
import { viewOf } from "bytes";
import { issueMany } from "./batch.js";
import type { BatchHost, BatchOptions, IssuedRow } from "./batch.js";
import { cancellationOf, checksummed, hashOf } from "./claims.js";
import type { ContractCall } from "./claims.js";
import { ApiError, ClientError, ClientErrorCode, InvalidRequestError } from "./errors.js";
import { path } from "./http.js";
import type { CallOptions } from "./http.js";
import type { Blob as HostBlob, Bytes } from "./host.js";
import type { AdminChanges, AdminDecisions, AdminListOptions, AdminLists, BookDraft, ClientApproval, ClientDeployment, ClientOrder, FileTarget } from "./inputs.js";
import { eachItem } from "./lists.js";
import { callOptions, signOptions } from "./options.js";
import type { ClientOptions, CreateOptions, SignInOptions, SignOptions } from "./options.js";
import { hex, sameAddress } from "./providers.js";
import type { Provider } from "./providers.js";
import { QUERIES } from "./queries.js";
import type {
  AccountAbilitiesOptions,
  AccountWebhookDeliveriesOptions,
  ActivityOptions,
  ApiKeysOptions,
  ApprovalsOptions,
  CertificateCountsOptions,
  CertificatesOptions,
  CostsStatsOptions,
  DeploymentsOptions,
  DepositsOptions,
  LedgerAbilitiesOptions,
  LedgerAccountsOptions,
  LedgerAssetsOptions,
  LedgersOptions,
  OrdersOptions,
  RequestsOptions,
  SessionsOptions,
  TickerStatsOptions,
  TrafficStatsOptions,
} from "./queries.js";
import { approvalRequest, deploymentRequest, orderRequest, signedPart } from "./requests.js";
import { Session, confirmed } from "./session.js";
import type * as records from "./types.js";
import { ActionKind, Priority, RequestStatus } from "./enumerations.js";
import type { WebhookEventKind } from "./enumerations.js";
import type { Envelope, PageMeta } from "./types.js";
import { badgeAddress, certificateAddress, validity } from "./verdicts.js";
import type { BadgeImages } from "./verdicts.js";
import { waitFor } from "./wait.js";
import type { WaitOptions } from "./wait.js";

type Answer<Data, Info = object> = Promise<Envelope<Data, Info>>;
type Page<Item> = Answer<Item[], PageMeta>;

/** The service's code for an asset that does not exist. */
const ASSET_NOT_FOUND = 400005;
/** The service's code for an order that is not in the right state. */
const ORDER_STATE = 400013;

/** The first lines of the texts that accounts sign for register books, after the service's name. */
const BOOK_KEY = "my key for register books";
const BOOK = "register book";
const keyLines = (account: string, key: string) => [`Account: ${account}`, `Key: ${key}`];
const bookLines = (ledgerId: string, { version, hash, readers }: Pick<records.BookVersion, "version" | "hash" | "readers">) => [
  `Ledger: ${checksummed(ledgerId)}`,
  `Version: ${version}`,
  `SHA-256: ${hash}`,
  `Readers: ${readers.map(checksummed).join(",")}`,
];

/** A finished deployment, which has a ledger. */
export type Deployed = records.Deployment & { ledgerRef: records.Ref; ledgerId: records.Address };

/** The API as functions. A function that calls one route resolves to the envelope of the answer, or rejects. */
export class Client {
  readonly #session: Session;

  constructor(options?: ClientOptions) {
    this.#session = new Session(options);
  }

  /** Returns the signer. Throws `ClientError` 7000012 if the client has none. */
  get provider(): Provider {
    return this.#session.provider;
  }

  /** Returns the account as `init` or `signIn` has read it. Throws `ClientError` 7000002 before. `getAccount` reads it again. */
  get knownAccount(): records.Account {
    return this.#session.known().account;
  }

  /**
   * Loads the WebAssembly, signs the Authorization header and reads the account and the costs. A client with a `token`, a `cookie` or a session signs nothing.
   * Call `init` before other functions, and again after the costs have changed. `signIn` can be called instead. `badgeUrl`, `certificateUrl`,
   * `getValidity` and `checkIssuer` need no `init`.
   */
  async init(call?: CallOptions): Promise<void> {
    await this.#session.open(call);
  }

  // Sessions and API keys

  /**
   * Signs in with Ethereum (EIP-4361) and reads the account, as `init` does. The client then sends the session's token, until `signOut`. If
   * `cookie` is true, the browser sends a cookie instead, and the answer has no token.
   */
  async signIn(options?: SignInOptions): Answer<records.NewSession> {
    return this.#session.signIn(options);
  }

  /** Ends the session of `signIn`, or of the option `token` or `cookie`. */
  async signOut(call?: CallOptions): Answer<records.Session> {
    return this.#session.signOut(call);
  }

  async getSessions(options?: SessionsOptions, call?: CallOptions): Page<records.Session> {
    return this.#session.list("/sessions", options, QUERIES.getSessions, call);
  }

  sessions(options?: SessionsOptions, call?: CallOptions): AsyncGenerator<records.Session, void> {
    return eachItem((page) => this.getSessions(page, call), options);
  }

  async deleteSession(sessionRef: string, call?: CallOptions): Answer<records.Session> {
    return this.#session.send({ method: "DELETE", path: path`/sessions/${sessionRef}` }, call);
  }

  /** Creates an API key. Needs a session (`signIn`). Only this answer contains the key itself. */
  async createApiKey(apiKey: records.ApiKeyRequest, call?: CallOptions): Answer<records.NewApiKey> {
    return this.#session.send({ method: "POST", path: "/account/keys", body: apiKey }, call);
  }

  async getApiKeys(options?: ApiKeysOptions, call?: CallOptions): Page<records.ApiKey> {
    return this.#session.list("/account/keys", options, QUERIES.getApiKeys, call);
  }

  apiKeys(options?: ApiKeysOptions, call?: CallOptions): AsyncGenerator<records.ApiKey, void> {
    return eachItem((page) => this.getApiKeys(page, call), options);
  }

  /** Revokes an API key. */
  async deleteApiKey(keyRef: string, call?: CallOptions): Answer<records.ApiKey> {
    return this.#session.send({ method: "DELETE", path: path`/account/keys/${keyRef}` }, call);
  }

  async getAccountAccess(call?: CallOptions): Answer<records.AccountAccess> {
    return this.#session.get("/account/access", call);
  }

  /** Turns the signed Authorization header of the account on or off. Needs a session (`signIn`). */
  async updateAccountAccess(legacyAuth: boolean, call?: CallOptions): Answer<records.AccountAccess> {
    return this.#session.send({ method: "PUT", path: "/account/access", body: { legacyAuth } satisfies records.AccountAccessInput, repeatable: true }, call);
  }

  // Account

  async getAccount(call?: CallOptions): Answer<records.Account, records.StateMeta> {
    return this.#session.get("/account", call);
  }

  /** Returns the abilities of the account, by ledger. */
  async getAccountAbilities(options?: AccountAbilitiesOptions, call?: CallOptions): Page<records.AccountAbility> {
    // Without options, this function sends no page parameters, like the original client.
    return options ? this.#session.list("/account/abilities", options, QUERIES.getAccountAbilities, call) : this.#session.get("/account/abilities", call);
  }

  accountAbilities(options?: AccountAbilitiesOptions, call?: CallOptions): AsyncGenerator<records.AccountAbility, void> {
    return eachItem((page) => this.getAccountAbilities(page, call), options);
  }

  async updateAccountInformation(accountInformation: records.AccountInformationInput, call?: CallOptions): Answer<records.Account, records.StateMeta> {
    return this.#session.send({ method: "PUT", path: "/account", body: accountInformation, repeatable: true }, call);
  }

  /** Erases the data stored by `updateAccountInformation`. The README lists the data that stays. */
  async deleteAccountInformation(call?: CallOptions): Answer<records.Account, records.StateMeta> {
    return this.#session.send({ method: "DELETE", path: "/account/information", repeatable: true }, call);
  }

  async getAccountWebhook(call?: CallOptions): Answer<records.Webhook> {
    return this.#session.get("/account/webhook", call);
  }

  /**
   * Sets the webhook. `events` are kinds of events. An empty list means all kinds. With a `secret` that the receiver already knows, the
   * challenge is sent immediately. Otherwise, the answer contains a secret, and the challenge follows after 10 seconds.
   */
  async updateAccountWebhook(url: string, events: WebhookEventKind[], call?: CallOptions & { secret?: string }): Answer<records.Webhook> {
    const { secret, ...rest } = call ?? {};
    const body = { url, events, ...(secret !== undefined && { secret }) } satisfies records.WebhookRequest;
    return this.#session.send({ method: "PUT", path: "/account/webhook", body, repeatable: true }, rest);
  }

  async deleteAccountWebhook(call?: CallOptions): Answer<records.Webhook> {
    return this.#session.send({ method: "DELETE", path: "/account/webhook", repeatable: true }, call);
  }

  /** Creates a new secret. The old one stays valid until `meta.previousSecretValidUntil`. */
  async rotateAccountWebhookSecret(call?: CallOptions): Answer<records.Webhook, records.RotationMeta> {
    return this.#session.send({ method: "POST", path: "/account/webhook/rotate" }, call);
  }

  /** Sends a test event to the webhook. */
  async testAccountWebhook(call?: CallOptions): Answer<records.Delivery> {
    return this.#session.send({ method: "POST", path: "/account/webhook/test" }, call);
  }

  async getAccountWebhookDeliveries(options?: AccountWebhookDeliveriesOptions, call?: CallOptions): Page<records.Delivery> {
    return this.#session.list("/account/webhook/deliveries", options, QUERIES.getAccountWebhookDeliveries, call);
  }

  accountWebhookDeliveries(options?: AccountWebhookDeliveriesOptions, call?: CallOptions): AsyncGenerator<records.Delivery, void> {
    return eachItem((page) => this.getAccountWebhookDeliveries(page, call), options);
  }

  async redeliverAccountWebhookEvent(deliveryRef: string, call?: CallOptions): Answer<records.Delivery> {
    return this.#session.send({ method: "POST", path: path`/account/webhook/deliveries/${deliveryRef}/redeliver` }, call);
  }

  // Deposits

  /** Creates a deposit. `amount` is in EUR cents. With `checkout`, the payer pays on the payment provider's page: `checkoutUrl` of the answer leads there. */
  async createDeposit(amount: number, call?: CallOptions & { checkout?: boolean }): Answer<records.Deposit> {
    const { checkout, ...rest } = call ?? {};
    const body = { amount, ...(checkout !== undefined && { checkout }) } satisfies records.DepositRequest;
    return this.#session.send({ method: "POST", path: "/deposits", body }, rest);
  }

  async getDeposit(depositRef: string, call?: CallOptions): Answer<records.Deposit> {
    return this.#session.get(path`/deposits/${depositRef}`, call);
  }

  async getDeposits(options?: DepositsOptions, call?: CallOptions): Page<records.Deposit> {
    return this.#session.list("/deposits", options, QUERIES.getDeposits, call);
  }

  deposits(options?: DepositsOptions, call?: CallOptions): AsyncGenerator<records.Deposit, void> {
    return eachItem((page) => this.getDeposits(page, call), options);
  }

  // Deployments

  async createDeployment(deployData: ClientDeployment, priority: Priority, call?: CreateOptions): Answer<records.Deployment> {
    const { gateways, options, ...asking } = this.#session.asking(call);
    const { body, bill } = deploymentRequest(deployData, priority, asking);
    body.claim = await this.#session.claim(hashOf("deployment", body, gateways), bill, options);
    return this.#session.send({ method: "POST", path: "/deployments", body }, options);
  }

  async getDeployment(deploymentRef: string, call?: CallOptions): Answer<records.Deployment> {
    return this.#session.get(path`/deployments/${deploymentRef}`, call);
  }

  async getDeployments(options?: DeploymentsOptions, call?: CallOptions): Page<records.Deployment> {
    return this.#session.list("/deployments", options, QUERIES.getDeployments, call);
  }

  deployments(options?: DeploymentsOptions, call?: CallOptions): AsyncGenerator<records.Deployment, void> {
    return eachItem((page) => this.getDeployments(page, call), options);
  }

  /** Resolves to the deployment when it is done. Rejects with a `WaitError` if it fails, is canceled on the chain or takes too long. */
  async waitForDeployment(deploymentRef: string, options?: WaitOptions): Answer<Deployed> {
    return waitFor(deploymentRef, (signal) => this.getDeployment(deploymentRef, { signal }) as Answer<Deployed>, options);
  }

  // Orders

  async createOrder(order: ClientOrder, priority: Priority, call?: CreateOptions): Answer<records.Order> {
    const { body, options } = await this.#signedOrder(order, priority, call);
    return this.#session.send({ method: "POST", path: "/orders", body }, options);
  }

  /** Returns the body of POST /orders, signed by the caller if the caller is a signer. */
  async #signedOrder(order: ClientOrder, priority: Priority, call?: CreateOptions): Promise<{ body: records.OrderRequest; options: CallOptions }> {
    const { gateways, options, ...asking } = this.#session.asking(call);
    const { body, bill } = orderRequest(order, priority, asking);
    const hash = hashOf("order", body, gateways);
    const own = body.order.signers.find(({ accountId }) => sameAddress(accountId, this.provider.accountId));
    if (own) own.claim = await this.#session.claim(hash, bill, options);
    return { body, options };
  }

  /**
   * Creates an asset for each row, in orders of up to 99. Call it again with the same rows and store after any interruption: each row is
   * issued exactly once. Resolves to all rows with their assets. Rejects with a `BatchError`, or as `createOrder` and `waitForOrder` do.
   */
  async issueMany<Row>(rows: Iterable<Row>, options: BatchOptions<Row>): Promise<IssuedRow<Row>[]> {
    this.#session.known();
    const account = this.provider.accountId;
    const send = async (body: records.OrderRequest, call: CallOptions) => (await this.#session.send<records.Order, object>({ method: "POST", path: "/orders", body }, call)).data;
    const host: BatchHost = {
      service: this.#session.transport.url({ path: "" }),
      account,
      sign: async (certificates, { ledgerId, receiverId, reviewerId }, call) => {
        const actions = certificates.map(({ assetId, imprint }) => ({ kind: ActionKind.CREATE_ASSET, assetLedgerId: ledgerId, id: assetId, imprint, senderId: account, receiverId }));
        const signersIds = reviewerId === undefined ? [account] : [account, reviewerId];
        const order = { actions, signersIds, payerId: account, wildcardSigner: false, automatedPerform: true };
        return (await this.#signedOrder(order, Priority.MEDIUM, call)).body;
      },
      send,
      settle: async (body, call, wait) => this.waitForOrder((await send(body, call)).ref, { ...wait, signal: call.signal }),
      fate: async (ledgerId, assetId, call) => {
        try {
          return (await this.getLedgerAsset(ledgerId, assetId, call)).data.imprint;
        } catch (error) {
          if (!(error instanceof ApiError && error.errors.some(({ code }) => code === ASSET_NOT_FOUND))) throw error;
        }
        const { status } = (await this.getValidity(ledgerId, assetId, call)).data;
        return status.kind === "withdrawn" ? "withdrawn" : null;
      },
    };
    return issueMany(host, rows, options);
  }

  async getOrder(orderRef: string, call?: CallOptions): Answer<records.Order> {
    return this.#session.get(path`/orders/${orderRef}`, call);
  }

  async getOrders(options?: OrdersOptions, call?: CallOptions): Page<records.Order> {
    return this.#session.list("/orders", options, QUERIES.getOrders, call);
  }

  orders(options?: OrdersOptions, call?: CallOptions): AsyncGenerator<records.Order, void> {
    return eachItem((page) => this.getOrders(page, call), options);
  }

  /**
   * Signs the `reviewed` order. Without `reviewed`, fetches the order and signs it if `review` returns true. Without either option, signs
   * the fetched order without a review. A client with `gatewayConfig` refuses to sign without a review.
   */
  async signOrder(orderRef: string, call?: SignOptions): Answer<records.Order> {
    const { gateways } = this.#session.known();
    const { reviewed, review, options } = signOptions(call);
    const read = Boolean(reviewed ?? review);
    if (!read && this.#session.pinned) throw new ClientError(ClientErrorCode.ORDER_NOT_REVIEWED);
    let record: records.Order;
    let hash: string;
    try {
      record = reviewed ?? (await this.getOrder(orderRef, options)).data;
    } catch (error) {
      options.signal?.throwIfAborted();
      throw ClientError.because(ClientErrorCode.ORDER_NOT_FETCHED, error);
    }
    // The service deletes the actions of a canceled order, so nothing could be signed.
    if (!reviewed && record?.status) throw new InvalidRequestError([{ code: ORDER_STATE, path: "", message: `the order's status is ${record.status}, and it is signed in status 0` }]);
    try {
      hash = hashOf("order", signedPart(record, read), gateways);
      if (record.hash !== undefined && record.hash !== hash) throw new Error("the service names another hash for this order: it uses other gateways");
    } catch (error) {
      options.signal?.throwIfAborted();
      throw ClientError.because(ClientErrorCode.ORDER_NOT_FETCHED, error);
    }
    // Computes the hash before the review, so the claim covers exactly the order that is shown.
    if (review) await confirmed(() => review(record), options);
    const claim = await this.#session.signed(hash, options);
    return this.#session.send({ method: "PUT", path: path`/orders/${orderRef}/sign`, body: { claim } satisfies records.SignRequest }, options);
  }

  async performOrder(orderRef: string, call?: CallOptions): Answer<records.Order> {
    return this.#session.send({ method: "PUT", path: path`/orders/${orderRef}/perform` }, call);
  }

  async cancelOrder(orderRef: string, call?: CallOptions): Answer<records.Order, records.OrderMeta> {
    return this.#session.send({ method: "DELETE", path: path`/orders/${orderRef}` }, call);
  }

  /**
   * Returns the call by which a signer cancels an order on a chain, or the maker cancels a deployment. A wallet of this account has to send the
   * call. Pass the record as it is before `cancelOrder`, because the service deletes the content of a canceled order.
   */
  cancellationOnChain(record: records.Order | records.Deployment): ContractCall {
    const { gateways } = this.#session.known();
    try {
      if (record.status === RequestStatus.CANCELED) throw new Error("the order was canceled before, so the service has dropped its content");
      const [kind, content] = "deploy" in record ? (["deployment", { priority: 1, deploy: record.deploy }] as const) : (["order", signedPart(record, true)] as const);
      if (hashOf(kind, content, gateways) !== record.hash) throw new Error("the record's content does not have its hash: the service uses other gateways");
      return cancellationOf(kind, content, gateways);
    } catch (error) {
      throw ClientError.because(ClientErrorCode.OPTION_NOT_VALID, error);
    }
  }

  /** Resolves to the order when it is done. Rejects with a `WaitError` if it fails, is canceled or takes too long. */
  async waitForOrder(orderRef: string, options?: WaitOptions): Answer<records.Order> {
    return waitFor(orderRef, (signal) => this.getOrder(orderRef, { signal }), options);
  }

  // Approvals

  async createApproval(approval: ClientApproval, priority: Priority, call?: CreateOptions): Answer<records.Approval> {
    const { gateways, options, ...asking } = this.#session.asking(call);
    const { body, bill } = approvalRequest(approval, priority, asking);
    body.claim = await this.#session.claim(hashOf("approval", body, gateways), bill, options);
    return this.#session.send({ method: "POST", path: "/approvals", body }, options);
  }

  async getApproval(approvalRef: string, call?: CallOptions): Answer<records.Approval> {
    return this.#session.get(path`/approvals/${approvalRef}`, call);
  }

  async getApprovals(options?: ApprovalsOptions, call?: CallOptions): Page<records.Approval> {
    return this.#session.list("/approvals", options, QUERIES.getApprovals, call);
  }

  approvals(options?: ApprovalsOptions, call?: CallOptions): AsyncGenerator<records.Approval, void> {
    return eachItem((page) => this.getApprovals(page, call), options);
  }

  /** Resolves to the approval when it is done. Rejects with a `WaitError` if it fails, is canceled on the chain or takes too long. */
  async waitForApproval(approvalRef: string, options?: WaitOptions): Answer<records.Approval> {
    return waitFor(approvalRef, (signal) => this.getApproval(approvalRef, { signal }), options);
  }

  // Ledgers. A ledger's address can be used as its reference.

  async getLedger(ledgerRef: string, call?: CallOptions): Answer<records.Ledger> {
    return this.#session.get(path`/ledgers/${ledgerRef}`, call);
  }

  async getLedgers(options?: LedgersOptions, call?: CallOptions): Page<records.Ledger> {
    return this.#session.list("/ledgers", options, QUERIES.getLedgers, call);
  }

  ledgers(options?: LedgersOptions, call?: CallOptions): AsyncGenerator<records.Ledger, void> {
    return eachItem((page) => this.getLedgers(page, call), options);
  }

  async getLedgerAbilities(ledgerRef: string, options?: LedgerAbilitiesOptions, call?: CallOptions): Page<records.LedgerAbility> {
    return this.#session.list(path`/ledgers/${ledgerRef}/abilities`, options, QUERIES.getLedgerAbilities, call);
  }

  ledgerAbilities(ledgerRef: string, options?: LedgerAbilitiesOptions, call?: CallOptions): AsyncGenerator<records.LedgerAbility, void> {
    return eachItem((page) => this.getLedgerAbilities(ledgerRef, page, call), options);
  }

  async getLedgerAccounts(ledgerRef: string, options?: LedgerAccountsOptions, call?: CallOptions): Page<records.Address> {
    return this.#session.list(path`/ledgers/${ledgerRef}/accounts`, options, QUERIES.getLedgerAccounts, call);
  }

  ledgerAccounts(ledgerRef: string, options?: LedgerAccountsOptions, call?: CallOptions): AsyncGenerator<records.Address, void> {
    return eachItem((page) => this.getLedgerAccounts(ledgerRef, page, call), options);
  }

  // Domains of issuers

  /** Sets the domain of all ledgers of the account that do not have their own domain. The service checks the domain immediately, and then daily. */
  async setDomain(domain: string, call?: CallOptions): Answer<records.IssuerDomain> {
    return this.#session.send({ method: "PUT", path: "/account/domain", body: { domain } satisfies records.DomainRequest, repeatable: true }, call);
  }

  async getDomain(call?: CallOptions): Answer<records.IssuerDomain> {
    return this.#session.get("/account/domain", call);
  }

  async deleteDomain(call?: CallOptions): Answer<records.IssuerDomain> {
    return this.#session.send({ method: "DELETE", path: "/account/domain", repeatable: true }, call);
  }

  /** Sets the domain of one ledger. Only the ledger's owner may set it. */
  async setLedgerDomain(ledgerRef: string, domain: string, call?: CallOptions): Answer<records.IssuerDomain> {
    return this.#session.send({ method: "PUT", path: path`/ledgers/${ledgerRef}/domain`, body: { domain } satisfies records.DomainRequest, repeatable: true }, call);
  }

  /** Returns the ledger's own domain, or otherwise the domain that its owner set for all ledgers. */
  async getLedgerDomain(ledgerRef: string, call?: CallOptions): Answer<records.IssuerDomain> {
    return this.#session.get(path`/ledgers/${ledgerRef}/domain`, call);
  }

  async deleteLedgerDomain(ledgerRef: string, call?: CallOptions): Answer<records.IssuerDomain> {
    return this.#session.send({ method: "DELETE", path: path`/ledgers/${ledgerRef}/domain`, repeatable: true }, call);
  }

  /**
   * Checks immediately whether a domain confirms an account. If it does not, returns the reason and the texts to publish. Needs no `init`,
   * because it needs no account. Stores nothing.
   */
  async checkIssuer(domain: string, account: string, call?: CallOptions): Answer<records.IssuerCheck> {
    return this.#session.transport.send({ method: "GET", path: path`/issuers/${domain}/check`, query: [["account", account]], open: true }, callOptions(call));
  }

  async getLedgerAsset(ledgerRef: string, assetId: string, call?: CallOptions): Answer<records.Asset, records.StateMeta> {
    return this.#session.get(path`/ledgers/${ledgerRef}/assets/${assetId}`, call);
  }

  /** Gives the reason for a withdrawal: one line of plain text with at most 280 characters. The reason is public. */
  async updateAssetWithdrawal(ledgerRef: string, assetId: string, reason: string, call?: CallOptions): Answer<records.AssetWithdrawal> {
    const body = { reason } satisfies records.WithdrawalInput;
    return this.#session.send({ method: "PUT", path: path`/ledgers/${ledgerRef}/assets/${assetId}/withdrawal`, body, repeatable: true }, call);
  }

  async getLedgerAssets(ledgerRef: string, options?: LedgerAssetsOptions, call?: CallOptions): Page<records.Asset> {
    return this.#session.list(path`/ledgers/${ledgerRef}/assets`, options, QUERIES.getLedgerAssets, call);
  }

  ledgerAssets(ledgerRef: string, options?: LedgerAssetsOptions, call?: CallOptions): AsyncGenerator<records.Asset, void> {
    return eachItem((page) => this.getLedgerAssets(ledgerRef, page, call), options);
  }

  /** Returns the history of an asset: its issue, replacements, transfers and withdrawals, the newest first. */
  async getLedgerAssetHistory(ledgerRef: string, assetId: string, call?: CallOptions): Answer<records.AssetHistory> {
    return this.#session.get(path`/ledgers/${ledgerRef}/assets/${assetId}/history`, call);
  }

  // Certificates of all ledgers

  /** Returns the certificates of all ledgers on which the account has an ability, the newest first, including withdrawn ones. */
  async getCertificates(options?: CertificatesOptions, call?: CallOptions): Page<records.Certificate> {
    return this.#session.list("/certificates", options, QUERIES.getCertificates, call);
  }

  certificates(options?: CertificatesOptions, call?: CallOptions): AsyncGenerator<records.Certificate, void> {
    return eachItem((page) => this.getCertificates(page, call), options);
  }

  /** Returns the number of certificates by month and status, for each ledger on which the account has an ability. */
  async getCertificateCounts(options?: CertificateCountsOptions, call?: CallOptions): Page<records.CertificateCounts> {
    return this.#session.list("/certificates/counts", options, QUERIES.getCertificateCounts, call);
  }

  certificateCounts(options?: CertificateCountsOptions, call?: CallOptions): AsyncGenerator<records.CertificateCounts, void> {
    return eachItem((page) => this.getCertificateCounts(page, call), options);
  }

  // Activity and admission

  /** Returns what happened in the account and on the ledgers whose abilities it may set, the newest first. */
  async getActivity(options?: ActivityOptions, call?: CallOptions): Page<records.Activity> {
    return this.#session.list("/activity", options, QUERIES.getActivity, call);
  }

  activity(options?: ActivityOptions, call?: CallOptions): AsyncGenerator<records.Activity, void> {
    return eachItem((page) => this.getActivity(page, call), options);
  }

  /** Asks the operator to let the account deploy ledgers. A further request replaces the earlier one. */
  async requestAdmission(request: records.AdmissionInput, call?: CallOptions): Answer<records.Admission> {
    return this.#session.send({ method: "POST", path: "/admission", body: request, repeatable: true }, call);
  }

  async getAdmission(call?: CallOptions): Answer<records.Admission> {
    return this.#session.get("/admission", call);
  }

  // For the administrators of a service

  /** Returns the pause of changes. Rejects with the code 403010 if the account is no administrator. */
  async getAdminPause(call?: CallOptions): Answer<records.Pause> {
    return this.#session.get("/admin/pause", call);
  }

  /** Returns a page of a list of `/admin`. */
  async getAdminItems<Name extends keyof AdminLists>(name: Name, options?: AdminListOptions, call?: CallOptions): Page<AdminLists[Name]> {
    return this.#session.list(path`/admin/${name}`, options, ["status"], call);
  }

  adminItems<Name extends keyof AdminLists>(name: Name, options?: AdminListOptions, call?: CallOptions): AsyncGenerator<AdminLists[Name], void> {
    return eachItem((page) => this.getAdminItems(name, page, call), options);
  }

  /** Makes a change of `/admin`. The audit log keeps its reason. */
  async adminChange<Name extends keyof AdminChanges>(name: Name, body: AdminChanges[Name]["takes"], call?: CallOptions): Answer<AdminChanges[Name]["gives"]> {
    return this.#session.send({ method: "POST", path: path`/admin/${name}`, body }, call);
  }

  /** Decides about an item of a list of `/admin`. Returns the item. The audit log keeps the reason. */
  async adminDecide<Name extends keyof AdminDecisions>(name: Name, ref: string, decision: AdminDecisions[Name], reason: string, call?: CallOptions): Answer<AdminLists[Name]> {
    return this.#session.send({ method: "POST", path: path`/admin/${name}/${ref}/${decision}`, body: { reason } satisfies records.ReasonInput }, call);
  }

  /** Returns a page of an account's personal data, or the first page. `from` is `next` of the previous page. */
  async exportPersonalData(accountId: string, from?: string | null, call?: CallOptions): Answer<records.PersonalData> {
    const query: [string, string][] = from ? [["from", from]] : [];
    return this.#session.send({ method: "GET", path: path`/admin/accounts/${accountId}/data`, query }, call);
  }

  /** Erases an account's personal data. The audit log keeps the reason. If `isComplete` is false, some are left: call again. */
  async erasePersonalData(accountId: string, reason: string, call?: CallOptions): Answer<records.ErasedData> {
    return this.#session.send({ method: "POST", path: path`/admin/accounts/${accountId}/erase`, body: { reason } satisfies records.ReasonInput }, call);
  }

  // Files

  /**
   * Stores a file for a ledger or one of its assets: a JSON object, or a PNG, JPEG or WebP picture, of at most 1,000,000 bytes. `files` in
   * the answer of `GET /health` has the limits. The file is public.
   */
  async uploadFile(file: HostBlob | Bytes, target: FileTarget, call?: CallOptions): Answer<records.HostedFile> {
    const form = new FormData();
    const { ledgerRef, assetId, name } = target;
    for (const [part, text] of Object.entries({ ledgerRef, assetId, name })) if (text !== undefined) form.set(part, text);
    form.set("file", await blobOf(file));
    return this.#session.send({ method: "POST", path: "/files", form }, call);
  }

  /**
   * Deletes files that an account stored for the caller's ledger: files without an asset, and files of assets that do not exist. A call
   * deletes at most 500 files. Repeat it while `more` in the answer is true.
   */
  async deleteAccountFiles(ledgerRef: string, accountId: string, call?: CallOptions): Answer<records.RemovedFiles> {
    return this.#session.send({ method: "DELETE", path: path`/ledgers/${ledgerRef}/accounts/${accountId}/files`, repeatable: true }, call);
  }

  // Register books, which the service cannot read

  /** Publishes the X25519 key to which colleagues encrypt register books: 32 bytes as base64url. The account signs it. */
  async setBookKey(key: string, call?: CallOptions): Answer<records.BookKey> {
    this.#session.known();
    const options = callOptions(call);
    const signature = await this.#session.signedLines(BOOK_KEY, (account) => keyLines(account, key), options);
    const body = { key, signature } satisfies records.BookKeyInput;
    return this.#session.send({ method: "PUT", path: "/account/book-key", body, repeatable: true }, options);
  }

  /** Resolves to true if the account signed the key. Anybody could read a book that is encrypted to a key without this signature. */
  async isBookKeySigned({ accountId, key, signature }: Pick<records.MemberKey, "accountId" | "key" | "signature">, call?: CallOptions): Promise<boolean> {
    this.#session.known();
    callOptions(call);
    return this.#session.isSignedBy(accountId, BOOK_KEY, () => keyLines(checksummed(accountId), key), signature);
  }

  /** Returns the keys of the accounts with an ability on the ledger. Check each one with `isBookKeySigned` before you encrypt to it. */
  async getLedgerBookKeys(ledgerRef: string, call?: CallOptions): Answer<records.MemberKeys> {
    return this.#session.get(path`/ledgers/${ledgerRef}/book-keys`, call);
  }

  /**
   * Stores the next version of a ledger's register book: a cipher text of at most 4,194,304 bytes. The account signs the ledger's address, the
   * version, the hash of the content and the readers. Rejects with the code 409002 if another version was stored meanwhile.
   */
  async putLedgerBook(ledgerId: string, book: BookDraft, call?: CallOptions): Answer<records.BookVersion> {
    this.#session.known();
    const options = callOptions(call);
    const file = await blobOf(book.content);
    const digest = new Uint8Array(await crypto.subtle.digest("SHA-256", await file.arrayBuffer()));
    const [version, readers] = [String(book.version), book.readers.map(checksummed).join(",")];
    const lines = bookLines(ledgerId, { ...book, hash: hex(digest).slice(2) });
    const signature = await this.#session.signedLines(BOOK, () => lines, options);
    const form = new FormData();
    for (const [part, text] of Object.entries({ version, readers, signature })) form.set(part, text);
    form.set("file", file);
    return this.#session.send({ method: "PUT", path: path`/ledgers/${ledgerId}/book`, form }, options);
  }

  /** Resolves to true if the writer signed the ledger, the number, the hash and the readers of a version. The caller decides whether the writer is trusted. */
  async isBookVersionSigned(ledgerId: string, version: Omit<records.BookVersion, "bytes" | "createdAt">, call?: CallOptions): Promise<boolean> {
    this.#session.known();
    callOptions(call);
    return this.#session.isSignedBy(version.writerId, BOOK, () => bookLines(ledgerId, version), version.signature);
  }

  /** Returns the versions of a ledger's register book that the service keeps, the newest first. Check each one with `isBookVersionSigned`. */
  async getLedgerBook(ledgerRef: string, call?: CallOptions): Answer<records.Book> {
    return this.#session.get(path`/ledgers/${ledgerRef}/book`, call);
  }

  /** Returns the cipher text of a version as base64url. Compare its hash. */
  async getLedgerBookContent(ledgerRef: string, version: number, call?: CallOptions): Answer<records.BookContent> {
    return this.#session.get(path`/ledgers/${ledgerRef}/book/${String(version)}`, call);
  }

  // Status lists

  /**
   * Returns the places of 1 to 1,000 certificates in status lists, in the order of the certificates. A certificate always gets the same place, also before its
   * asset exists. For accounts that may create or update assets of the ledger.
   */
  async createStatusEntries(ledgerRef: string, entries: records.StatusEntryInput[], call?: CallOptions): Answer<records.StatusEntries> {
    const body = { entries } satisfies records.StatusEntriesRequest;
    return this.#session.send({ method: "POST", path: path`/ledgers/${ledgerRef}/status-entries`, body, repeatable: true }, call);
  }

  // Wallets

  /**
   * Offers a finished credential to a wallet. `offer` has the encrypted credential and the hash of the code in the offer's link. For accounts that may
   * create or update assets of the ledger. At most 1,000 offers of a ledger wait at a time.
   */
  async createWalletOffer(ledgerRef: string, offer: records.WalletOfferRequest, call?: CallOptions): Answer<records.WalletOffer> {
    const body = offer satisfies records.WalletOfferRequest;
    return this.#session.send({ method: "POST", path: path`/ledgers/${ledgerRef}/wallet-offers`, body, repeatable: true }, call);
  }

  /** Ends an offer that no wallet has used. */
  async endWalletOffer(ledgerRef: string, codeHash: string, call?: CallOptions): Answer<records.EndedOffer> {
    return this.#session.send({ method: "DELETE", path: path`/ledgers/${ledgerRef}/wallet-offers/${codeHash}` }, call);
  }

  // Links

  /**
   * Keeps a cipher text for 1, 7 or 30 days: the encrypted path and fragment of a certificate's address, at most 16,384 bytes as base64url. Needs no
   * `init`, because holders have no account. `endKey` in the answer ends the link.
   */
  async createLink(ciphertext: string, days: number, call?: CallOptions): Answer<records.NewLink> {
    const body = { ciphertext, days } satisfies records.LinkRequest;
    return this.#session.transport.send({ method: "POST", path: "/links", body, open: true, repeatable: false }, callOptions(call));
  }

  /** Returns the cipher text of a link. Needs no `init`. */
  async getLink(linkId: string, call?: CallOptions): Answer<records.SharedLink> {
    return this.#session.transport.send({ method: "GET", path: path`/s/${linkId}`, open: true }, callOptions(call));
  }

  /** Ends a link. Needs no `init`. */
  async endLink(linkId: string, endKey: string, call?: CallOptions): Answer<records.EndedLink> {
    const body = { endKey } satisfies records.EndLinkRequest;
    return this.#session.transport.send({ method: "PUT", path: path`/links/${linkId}/end`, body, open: true }, callOptions(call));
  }

  // The service

  /** Returns the operator's name, contact and addresses. Needs no `init`, because it needs no account. */
  async getOperator(call?: CallOptions): Answer<records.Operator> {
    return this.#session.transport.send({ method: "GET", path: "/operator", open: true }, callOptions(call));
  }

  // Statistics

  async getTrafficStats(options?: TrafficStatsOptions, call?: CallOptions): Page<records.Traffic> {
    return this.#session.list("/stats/traffic", options, QUERIES.getTrafficStats, call);
  }

  trafficStats(options?: TrafficStatsOptions, call?: CallOptions): AsyncGenerator<records.Traffic, void> {
    return eachItem((page) => this.getTrafficStats(page, call), options);
  }

  async getCostsStats(options?: CostsStatsOptions, call?: CallOptions): Page<records.Cost> {
    return this.#session.list("/stats/costs", options, QUERIES.getCostsStats, call);
  }

  costsStats(options?: CostsStatsOptions, call?: CallOptions): AsyncGenerator<records.Cost, void> {
    return eachItem((page) => this.getCostsStats(page, call), options);
  }

  async getTickerStats(options?: TickerStatsOptions, call?: CallOptions): Page<records.Ticker> {
    return this.#session.list("/stats/tickers", options, QUERIES.getTickerStats, call, { open: true });
  }

  tickerStats(options?: TickerStatsOptions, call?: CallOptions): AsyncGenerator<records.Ticker, void> {
    return eachItem((page) => this.getTickerStats(page, call), options);
  }

  // Requests

  async getRequest(requestRef: string, call?: CallOptions): Answer<records.Request> {
    return this.#session.get(path`/requests/${requestRef}`, call);
  }

  async getRequests(options?: RequestsOptions, call?: CallOptions): Page<records.Request> {
    return this.#session.list("/requests", options, QUERIES.getRequests, call);
  }

  requests(options?: RequestsOptions, call?: CallOptions): AsyncGenerator<records.Request, void> {
    return eachItem((page) => this.getRequests(page, call), options);
  }

  // Badge

  /** Returns the verdict on an asset, with reasons. Needs no `init`, because it needs no account. */
  async getValidity(ledgerId: string, assetId: string, call?: CallOptions): Answer<records.Validity> {
    return validity(this.#session.transport, ledgerId, assetId, callOptions(call));
  }

  /** Returns the address of an asset's certificate, a page for people. */
  certificateUrl(ledgerId: string, assetId: string): string {
    return certificateAddress(this.#session.transport, ledgerId, assetId);
  }

  /** Returns the address of an asset's badge, for an `<img>`. */
  badgeUrl(ledgerId: string, assetId: string, images?: BadgeImages): string {
    return badgeAddress(this.#session.transport, ledgerId, assetId, images);
  }
}

/** Returns a file as a `Blob` of this realm, because forms refuse the ones of other realms. */
async function blobOf(file: HostBlob | Bytes): Promise<Blob> {
  if (file instanceof Blob) return file;
  // Callers without types may pass text.
  if (typeof file === "string") return new Blob([file]);
  const bytes = viewOf(file);
  // Copied, because a view of shared memory cannot be part of a `Blob`.
  if (bytes !== undefined) return new Blob([new Uint8Array(bytes)]);
  const other = file as { type?: string; arrayBuffer?: () => Promise<ArrayBuffer> };
  if (typeof other.arrayBuffer !== "function") throw new TypeError("`file` must be a `Blob` or bytes");
  return new Blob([await other.arrayBuffer()], { type: other.type ?? "" });
}
