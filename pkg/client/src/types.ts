// The service's records and what it takes, named as the schemas of its OpenAPI document; a test holds the two against each other.
import type { Ability, ActionKind, LedgerCapability, Priority, Status, WebhookEventKind } from "./enumerations.js";

/** An Ethereum address. */
export type Address = string;
/** An amount of tokens in base units (10^-18 of a token), in decimal. */
export type Amount = string;
/** An unsigned 256-bit integer, in decimal. */
export type AssetId = string;
/** 64 hexadecimal characters. */
export type Imprint = string;
/** `0x` and the SHA-256 of a JSON Schema's text. */
export type SchemaId = string;
/** What claims are made over: 32 bytes. */
export type Hash = string;
/** `{type}:{signature}`. */
export type Claim = string;
/** A reference; references sort by time. */
export type Ref = string;
/** A moment, ISO 8601 in UTC with milliseconds. */
export type Timestamp = string;

/** What every function gives: the envelope of a success. */
export interface Envelope<Data, Info = object> {
  id: Ref;
  status: number;
  data: Data;
  meta: Info;
}

/** What is wrong, where, and what to do about it. */
export interface ServiceError {
  code: number;
  message: string;
  path: string;
}

/** The envelope of a failure. */
export interface Failure {
  id: Ref | null;
  status: number;
  errors: ServiceError[];
}

export interface RecordError {
  code: number;
  message: string;
}

/** Where a page of a list stands. */
export interface PageMeta {
  skip: number;
  limit: number;
  total: number;
  /** There are more than `total`. */
  totalIsMinimum?: boolean;
  /** The cursor of the next page, for `after`. */
  next?: string;
}

/** An action as it is asked for; which fields it needs depends on `kind`. */
export interface ActionInput {
  kind: ActionKind;
  ledgerId: Address;
  assetId?: AssetId | undefined;
  assetImprint?: Imprint | undefined;
  value?: Amount | undefined;
  abilities?: Ability[] | undefined;
  /** Empty: the wildcard signer. */
  receiverId?: Address | null | undefined;
  /** Empty: the wildcard signer. */
  senderId?: Address | null | undefined;
}

export interface SignerInput {
  accountId: Address;
  /** Without one, it signs later. */
  claim?: Claim | null;
}

export interface OrderInput {
  signers: SignerInput[];
  wildcardClaim?: SignerInput | null;
  actions: ActionInput[];
  seed: number;
  expiration: number;
}

/** The body of POST /orders. */
export interface OrderRequest {
  order: OrderInput;
  priority: Priority;
  automatedPerform?: boolean;
  wildcardSigner?: boolean;
}

/** The body of PUT /orders/:orderRef/sign. */
export interface SignRequest {
  claim: Claim;
}

export interface Action {
  kind: ActionKind;
  ledgerId: Address;
  assetId?: AssetId;
  assetImprint?: Imprint;
  value?: Amount;
  abilities?: Ability[];
  receiverId?: Address | null;
  senderId: Address | null;
}

export interface Signer {
  accountId: Address;
  /** Empty: not signed yet, or not yours to see. */
  claim: Claim | null;
}

export interface OrderContent {
  seed: number;
  expiration: number;
  signers: Signer[];
  wildcardClaim: Signer | null;
  actions: Action[];
}

export interface Order {
  ref: Ref;
  status: Status;
  priority: Priority;
  automatedPerform: boolean;
  wildcardSigner: boolean;
  order: OrderContent;
  hash: Hash;
  creatorId: Address;
  error: RecordError | null;
  txHash: string | null;
  createdAt: Timestamp;
  updatedAt: Timestamp;
}

export interface OrderMeta {
  /** False: a chain knows nothing of the cancellation; the claims stay valid there until they expire. */
  onChain?: boolean;
}

export interface LedgerData {
  name: string;
  symbol: string;
  uriPrefix: string;
  uriPostfix: string;
  schemaId: SchemaId;
  capabilities: LedgerCapability[];
  ownerId: Address;
}

export interface TokenTransferInput {
  ledgerId: Address;
  receiverId: Address;
  value: Amount;
}

export interface LedgerDataInput {
  name: string;
  symbol: string;
  uriPrefix: string;
  uriPostfix?: string | null;
  schemaId: SchemaId;
  capabilities: LedgerCapability[];
  ownerId: Address;
}

export interface DeployInput {
  makerId: Address;
  takerId?: Address | null;
  assetLedgerData: LedgerDataInput;
  tokenTransferData: TokenTransferInput;
  seed: number;
  expiration: number;
}

/** The body of POST /deployments. */
export interface DeploymentRequest {
  claim: Claim;
  deploy: DeployInput;
  priority: Priority;
}

export interface Deploy {
  makerId: Address;
  takerId: Address | null;
  assetLedgerData: LedgerData;
  tokenTransferData: TokenTransferInput;
  seed: number;
  expiration: number;
}

export interface Deployment {
  ref: Ref;
  status: Status;
  priority: Priority;
  deploy: Deploy;
  claim: Claim;
  hash: Hash;
  /** The new ledger, once there is one. */
  ledgerRef: Ref | null;
  ledgerId: Address | null;
  error: RecordError | null;
  txHash: string | null;
  createdAt: Timestamp;
  updatedAt: Timestamp;
}

export interface AssetApproval {
  kind: 7;
  ledgerId: Address;
  owner: Address;
  operator: Address;
  isOperator: boolean;
  tokenTransferData: TokenTransferInput;
  seed: number;
  expiration: number;
}

export interface ValueApproval {
  kind: 8;
  ledgerId: Address;
  approver: Address;
  spender: Address;
  value: Amount;
  feeRecipient: Address;
  feeValue: Amount;
  seed: number;
  expiration: number;
}

/** The body of POST /approvals. */
export interface ApprovalRequest {
  claim: Claim;
  approval: AssetApproval | ValueApproval;
  priority: Priority;
}

export interface Approval {
  ref: Ref;
  status: Status;
  priority: Priority;
  approval: AssetApproval | ValueApproval;
  claim: Claim;
  hash: Hash;
  error: RecordError | null;
  txHash: string | null;
  createdAt: Timestamp;
  updatedAt: Timestamp;
}

/** The body of POST /deposits. */
export interface DepositRequest {
  /** EUR cents. */
  amount: number;
}

export interface Deposit {
  ref: Ref;
  /** EUR cents. */
  amount: number;
  currency: string;
  tokens: Amount;
  status: string;
  clientSecret: string | null;
  livemode: boolean;
  /** EUR cents that went back to the payer, and their tokens with them. */
  reclaimed: number;
  createdAt: Timestamp;
}

export interface CompanyInformation {
  name: string;
  streetAddress: string;
  postalCode: string;
  city: string;
  country: string;
  taxNumber: string;
  phoneNumber: number | string;
}

export interface AccountInformation {
  firstName: string;
  lastName: string;
  email: string;
  streetAddress: string;
  postalCode: string;
  city: string;
  country: string;
  isCompany: boolean;
  companyInformation: CompanyInformation | null;
}

export interface AccountInformationInput {
  firstName: string;
  lastName: string;
  email: string;
  streetAddress: string;
  postalCode: string;
  city: string;
  country: string;
  isCompany?: boolean | null | undefined;
  companyInformation?: CompanyInformation | null | undefined;
}

export interface Payment {
  tokenAddress: Address;
  receiverAddress: Address;
  assetCreateCost: Amount;
  assetTransferCost: Amount;
  valueTransferCost: Amount;
  assetUpdateCost: Amount;
  setAbilitiesCost: Amount;
  assetDestroyCost: Amount;
  assetRevokeCost: Amount;
  assetDeployCost: Amount;
  assetApproveCost: Amount;
  dappValueApproveCost: Amount;
}

export interface Proxies {
  createAsset: Address;
  transferValue: Address;
  transferAsset: Address;
  safeTransferAsset: Address;
  updateAsset: Address;
  manageAbilities: Address;
  destroyAsset: Address;
}

export interface Gateway {
  backend: string;
  chainId: number | null;
  actionsOrderId: Address;
  assetLedgerDeployOrderId: Address;
  proxies: Proxies;
}

export interface Account {
  id: Address;
  isIdentified: boolean;
  /** False where nothing costs anything. */
  isPaymentRequired: boolean;
  information: AccountInformation | null;
  balance: Amount;
  payment: Payment;
  gateway: Gateway;
  createdAt: Timestamp | null;
}

export interface AccountAbility {
  ledgerRef: Ref;
  ledgerId: Address;
  abilities: Ability[];
}

export interface Ledger {
  ref: Ref;
  id: Address;
  name: string;
  symbol: string;
  uriPrefix: string;
  uriPostfix: string;
  schemaId: SchemaId;
  capabilities: LedgerCapability[];
  ownerId: Address;
  createdAt: Timestamp;
}

export interface LedgerAbility {
  accountId: Address;
  abilities: Ability[];
}

export interface Asset {
  id: AssetId;
  ledgerRef: Ref;
  ledgerId: Address;
  ownerId: Address;
  imprint: Imprint;
  uri: string;
  createdAt: Timestamp;
  updatedAt: Timestamp;
}

export interface Request {
  ref: Ref;
  method: string;
  host: string;
  path: string;
  url: string;
  status: number;
  errors: ServiceError[];
  durationMs: number;
  createdAt: Timestamp;
}

export interface Cost {
  date: string;
  orders: number;
  deployments: number;
  approvals: number;
  actions: number;
  amount: Amount;
}

export interface Traffic {
  date: string;
  requests: number;
  queries: number;
  mutations: number;
  failures: number;
}

export interface Ticker {
  id: Ref;
  base: string;
  quote: string;
  price: string;
  createdAt: Timestamp;
}

/** The body of PUT /account/webhook. */
export interface WebhookRequest {
  url: string;
  /** An empty list means all kinds. */
  events: WebhookEventKind[];
}

export interface Webhook {
  url: string | null;
  events: WebhookEventKind[];
  /** `whsec_…`, for `receiveWebhook` and `verifyWebhook`. */
  secret: string | null;
  /** `pending` until the receiver has answered a challenge, `active`, or `paused` since it has failed for a day. */
  state: string | null;
  /** Why events do not flow, and what to do. */
  stateReason: string | null;
}

export interface RotationMeta {
  previousSecretValidUntil: Timestamp;
}

/** The body of a webhook. */
export interface WebhookEvent {
  /** The same where an event is delivered twice. */
  id: Ref;
  /** Null in a challenge. */
  kind: number | null;
  event: number | null;
  /** Null in a test and in a challenge. */
  requestRef: Ref | null;
  /** 0 order, 1 deployment, 2 approval. */
  requestKind: number | null;
  status: Status | null;
  test?: boolean;
  /** The answer that lets events flow. `receiveWebhook` returns it. */
  challenge?: string;
  createdAt: Timestamp;
}

/** An event on its way to the webhook. */
export interface Delivery {
  ref: Ref;
  event: WebhookEvent;
  /** `waiting`, `delivered`, `failed` or `canceled`. */
  state: string;
  attempts: number;
  nextAttemptAt: Timestamp | null;
  responseStatus: number | null;
  error: string | null;
  createdAt: Timestamp;
  updatedAt: Timestamp;
}

export interface Finding {
  /** Null for a reason against the asset itself. */
  code: number | null;
  reason: string;
  path: string;
  message: string;
}

/** The asset's ledger. Name and symbol are its owner's claim. */
export interface BadgeLedger {
  id: Address;
  name: string;
  symbol: string;
  schemaId: SchemaId;
  capabilities: LedgerCapability[];
  ownerId: Address;
  createdAt: Timestamp;
}

export interface BadgeAsset {
  id: AssetId;
  /** Null where it is not on its ledger, as `ownerId` and `updatedAt`. */
  imprint: Imprint | null;
  uri: string;
  /** The current holder. */
  ownerId: Address | null;
  /** When it was issued; null where it never was, or that is not known. */
  createdAt: Timestamp | null;
  /** When its imprint or holder changed last. */
  updatedAt: Timestamp | null;
  /** When it was destroyed, if it was. */
  withdrawnAt: Timestamp | null;
}

/** The issuer of the certificate. */
export interface Issuer {
  /** The ledger's owner. */
  account: Address;
  /** Whether somebody vouches for that account. */
  identified: boolean;
}

/** Whether the public values are those that were certified. */
export type Integrity = "unchanged" | "changed" | "notChecked";
/** The asset's standing on its ledger. `unknownLedger`: this service does not have that ledger. */
export type Standing = "inForce" | "withdrawn" | "neverIssued" | "unknownLedger";

/** The badge's verdict, and everything that it takes to verify again. */
export interface Validity {
  /** Unchanged and in force. Null: that could not be found out, or there is no such asset. */
  valid: boolean | null;
  integrity: Integrity;
  status: Standing;
  /** Null where this service does not have the ledger, as `ledger` and `asset`. */
  issuer: Issuer | null;
  errors: Finding[];
  ledger: BadgeLedger | null;
  asset: BadgeAsset | null;
  metadata: unknown;
  evidence: unknown;
  schema: unknown;
}
