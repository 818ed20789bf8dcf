// Written by `cargo xtask docs` from the service's own shapes; a test compares them.
import type { ActionKind, Priority, Status } from "./enumerations.js";

/** The answer of every function: the envelope of a success. */
export interface Envelope<Data, Info = object> {
  id: Ref;
  status: number;
  data: Data;
  meta: Info;
}

/** The envelope of a failure. */
export interface Failure {
  /** Null if the answer did not come from the service. */
  id: Ref | null;
  status: number;
  errors: ServiceError[];
  /** The hash to sign, if a deployment or an approval lacks nothing but its claim. */
  hash?: Hash;
}

/** A JSON object as it was fetched, with its keys in the original order. It is unchecked. Null if it was not fetched. */
export type FetchedDocument = { [member: string]: any } | null;

/** Evidence as it was fetched. `verify` of `@assay/cert` takes evidence of AIH-1, and `verify` of `@assay/cert/verify` evidence of AIH-2, whose `profile` is `"AIH-2"`. Null if it was not fetched. */
export type FetchedEvidence = { [member: string]: any; profile: any; schemaId: any; proof: any; data: any } | null;

/**
 * An account's abilities on a ledger.
 *
 * - 1: grant abilities
 * - 2: grant abilities by orders
 * - 16: create assets
 * - 32: revoke assets
 * - 64: stop and start transfers
 * - 128: update assets
 * - 256: update the base URI
 * - 512: create assets by orders
 * - 1024: update imprints by orders
 */
export type Abilities = (1 | 2 | 16 | 32 | 64 | 128 | 256 | 512 | 1024)[];

/** The caller's account. */
export interface Account {
  id: Address;
  /** True if the account has provided information. */
  isIdentified: boolean;
  information: AccountInformation | null;
  /** The balance in base units of the platform token. */
  balance: Amount;
  /** The amount that the account lets the service take for orders, in base units of the platform token. A larger payment is refused with 422076. Null on a chain, where only the token knows the amount. */
  feeAllowance: Amount | null;
  /** False if all actions are free. */
  isPaymentRequired: boolean;
  /** True if the account may deploy ledgers. */
  mayDeploy: boolean;
  payment: Payment;
  gateway: Gateway;
  createdAt: Timestamp | null;
}

/** The caller's abilities on a ledger. */
export interface AccountAbility {
  ledgerRef: Ref;
  ledgerId: Address;
  abilities: Abilities;
}

/** The account's settings for signing in. */
export interface AccountAccess {
  /** True if the account accepts the signed Authorization header. */
  legacyAuth: boolean;
}

/** The account's settings for signing in. */
export interface AccountAccessInput {
  /** True if the account accepts the signed Authorization header. */
  legacyAuth: boolean;
}

/** The billed person or company. */
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

/** The billed person or company. Each string has at most 255 characters. */
export interface AccountInformationInput {
  firstName: string;
  lastName: string;
  /** A valid e-mail address. */
  email: string;
  streetAddress: string;
  postalCode: string;
  city: string;
  country: string;
  /** Required if `isCompany` is true. */
  companyInformation?: CompanyInformation | null | undefined;
  isCompany?: boolean | null | undefined;
}

/** One action of the order. An empty sender or receiver is null. */
export interface Action {
  kind: ActionKind;
  ledgerId: Address;
  senderId: Address | null;
  abilities?: Abilities;
  assetId?: AssetId;
  assetImprint?: Imprint;
  receiverId?: Address | null;
  value?: Amount;
}

/**
 * An action. Its kind determines the fields that it needs.
 *
 * - 1 create asset: `assetId`, `assetImprint`, `receiverId`
 * - 2 transfer asset: `assetId`, `receiverId`
 * - 3 transfer value: `value`, `receiverId`
 * - 4 update imprint: `assetId`, `assetImprint`
 * - 5 set abilities: `abilities`, `receiverId`
 * - 6 destroy asset: `assetId`
 * - 7 revoke asset: `assetId`
 */
export interface ActionInput {
  kind: ActionKind;
  /** The asset ledger. For kind 3, the token. */
  ledgerId: Address;
  /** The new abilities of the receiver. They replace the receiver's current abilities. */
  abilities?: Abilities | undefined;
  assetId?: AssetId | undefined;
  assetImprint?: Imprint | undefined;
  /** The receiver of the asset, the value or the abilities. Empty: the wildcard signer. */
  receiverId?: AddressOrNone | undefined;
  /** The signer on whose behalf the action is done. Empty: the wildcard signer. */
  senderId?: AddressOrNone | undefined;
  value?: Amount | undefined;
}

/** An event. Fields that its kind does not have are null. */
export interface Activity {
  kind: ActivityKind;
  at: Timestamp;
  /** The account that signed the action or sent the request. Null if this service does not have the order. */
  by: Address | null;
  ledgerRef: Ref | null;
  ledgerId: Address | null;
  /** The asset that was issued, replaced or withdrawn. */
  assetId: AssetId | null;
  /** The account that got the abilities. */
  accountId: Address | null;
  /** All abilities that the account has after the change. */
  abilities: Abilities | null;
  /** The public reason of the withdrawal. */
  reason: string | null;
  /** The domain. */
  domain: string | null;
  /** The name of the API key. */
  keyName: string | null;
  /** The order. Only its parties can read it. */
  orderRef: Ref | null;
}

/**
 * What happened.
 *
 * - `issued`, `withdrawn`: an asset was created or destroyed.
 * - `replaced`: an asset got another imprint.
 * - `abilitiesSet`: an account got other abilities on a ledger.
 * - `domainSet`, `domainRemoved`: the domain of a ledger, or of all ledgers of an account.
 * - `keyCreated`, `keyRevoked`: an API key of the caller.
 * @enum {string}
 */
export type ActivityKind = "issued" | "withdrawn" | "abilitiesSet" | "domainSet" | "domainRemoved" | "keyCreated" | "keyRevoked" | "replaced";

/** An Ethereum address. Answers write it in EIP-55 form. Requests may write it in one case, or with a correct checksum. The zero address is not valid. */
export type Address = string;

/** An account or a ledger. */
export interface AddressInput {
  address: Address;
  /** Plain text on one line, for the audit log. */
  reason: string;
}

/** An Ethereum address. Null or an empty string means that there is no address. */
export type AddressOrNone = string | null;

/** The caller's request for admission. */
export interface Admission {
  status: AdmissionStatus;
  organisation: string | null;
  contact: string | null;
  text: string | null;
  createdAt: Timestamp | null;
  decidedAt: Timestamp | null;
}

/** A request for admission. */
export interface AdmissionInput {
  /** The organisation's name, at most 100 characters. */
  organisation: string;
  /** How the operator reaches the organisation, such as an e-mail address: one line of at most 254 characters. */
  contact: string;
  /** Anything else that the operator should know, at most 1,000 characters. */
  text?: string | null | undefined;
}

/** An account's request for admission, for administrators. The account has signed it. Nothing else in it is proven. */
export interface AdmissionRequest {
  ref: Ref;
  accountId: Address;
  status: AdmissionStatus;
  /** The name that the account gave. Null after the erasure of its personal data. */
  organisation: string | null;
  /** The contact that the account gave. */
  contact: string | null;
  text: string | null;
  /** A domain that confirms the account at present. Null if none does. */
  domain: string | null;
  createdAt: Timestamp;
  decidedAt: Timestamp | null;
  /** The administrator who decided. */
  decidedBy: Address | null;
}

/**
 * The state of a request for admission.
 *
 * - `none`: there is no request.
 * - `waiting`: the operator has not decided.
 * - `approved`: the account may deploy ledgers.
 * - `declined`: the operator has declined the request or taken back the approval. The account may ask again.
 * @enum {string}
 */
export type AdmissionStatus = "none" | "waiting" | "approved" | "declined";

/** A reason, and advice. */
export interface Advice {
  /** A short identifier of the reason. It does not change between versions. */
  reason: string;
  /** A sentence that explains the reason and gives advice. */
  message: string;
}

/** An amount of tokens in base units (10^-18 of a token): an unsigned 256-bit integer in decimal. */
export type Amount = string;

/** An API key, without its secret. */
export interface ApiKey {
  ref: Ref;
  name: string;
  scopes: KeyScope[];
  createdAt: Timestamp;
  /** The last use, exact to five minutes. Null before the first use. */
  usedAt: Timestamp | null;
  /** Null if the key does not expire. */
  expiresAt: Timestamp | null;
}

/** An API key to create. */
export interface ApiKeyRequest {
  /** At most 100 characters. */
  name: string;
  scopes: KeyScope[];
  /** A future time in ISO 8601 format. Without it, the key does not expire. */
  expiresAt?: string | undefined;
}

/** An approval order. */
export interface Approval {
  ref: Ref;
  status: Status;
  priority: Priority;
  approval: AssetApproval | ValueApproval;
  claim: Claim;
  hash: Hash;
  error: RecordError | null;
  txHash: TransactionHash;
  createdAt: Timestamp;
  updatedAt: Timestamp;
}

/** An approval order. `approve` is an alias of `approval`. */
export interface ApprovalRequest {
  approval: AssetApproval | ValueApproval;
  priority: Priority;
  /** The owner's or approver's signature on the hash. Without a claim, the answer has the status 422 and contains the hash. */
  claim?: ClaimOrNone | undefined;
}

/** An asset. */
export interface Asset {
  id: AssetId;
  ledgerRef: Ref;
  ledgerId: Address;
  ownerId: Address;
  imprint: Imprint;
  /** The address of the asset's public metadata. */
  uri: string;
  createdAt: Timestamp;
  updatedAt: Timestamp;
}

/** Lets an operator act on all assets of an owner on a ledger, or revokes this right. */
export interface AssetApproval {
  /** @constant */
  kind: 7;
  /** The asset ledger. */
  ledgerId: Address;
  /** The account that approves, signs and pays. */
  owner: Address;
  /** The account that may act on the owner's assets. */
  operator: Address;
  /** True approves, false revokes. */
  isOperator: boolean;
  /** The payment. */
  tokenTransferData: TokenTransferInput;
  /** The salt of the approval's hash. */
  seed: Seed;
  /** The last second in which the approval is valid. */
  expiration: Expiration;
}

/** A change of an asset. */
export interface AssetChange {
  kind: AssetChangeKind;
  at: Timestamp;
  /** The account that signed the action. Null if this service does not have the order. */
  by: Address | null;
  /** The order. Null if this service does not have it. Only the order's parties can read it. */
  orderRef: Ref | null;
  /** The imprint that the change ended, for `replaced` and `withdrawn`. */
  pastImprint: Imprint | null;
  /** The previous owner, for `transferred`. */
  fromId: Address | null;
  /** The new owner, for `transferred`. */
  toId: Address | null;
  /** The public reason, for the last withdrawal. */
  reason: string | null;
  /** The account that gave the reason. */
  reasonBy: Address | null;
}

/**
 * A kind of change of an asset.
 * @enum {string}
 */
export type AssetChangeKind = "issued" | "transferred" | "replaced" | "withdrawn";

/** The history of an asset. */
export interface AssetHistory {
  ledgerRef: Ref;
  ledgerId: Address;
  id: AssetId;
  /** The newest first: at most 100 replacements and withdrawals, and at most 100 transfers. */
  changes: AssetChange[];
}

/** An asset's id: an unsigned 256-bit integer, in decimal or, in requests, as `0x` and hex. */
export type AssetId = string;

/** The status, with its date and reason. */
export interface AssetStatus {
  kind: StatusKind;
  /** The time of issue, withdrawal, expiry or replacement. Null if the time is not known or the asset was never issued. */
  since: Timestamp | null;
  /** The reason for a withdrawal, given by `reasonBy`: plain text of at most 280 characters. */
  reason: string | null;
  reasonBy: ReasonAuthor | null;
  /** The time from which the certificate counts as expired, if its documents prove an expiry date. */
  expiresAt: Timestamp | null;
}

/** A destroyed asset, with the reason of its withdrawal. */
export interface AssetWithdrawal {
  ledgerId: Address;
  assetId: AssetId;
  withdrawnAt: Timestamp;
  reason: string | null;
  reasonBy: ReasonAuthor | null;
}

/** An administrator's API call. */
export interface AuditEntry {
  /** The `id` of the call's answer. */
  ref: Ref;
  /** The administrator. */
  accountId: Address;
  /** Method and path, such as `POST /admin/blocks`. */
  action: string;
  /** The address or reference that the call is about. */
  subject: string | null;
  /** The body's fields except `reason`, as a JSON string that is cut off after 1,000 bytes. Null if there are none. */
  detail: string | null;
  /** The administrator's reason. Null for calls that only read. */
  reason: string | null;
  createdAt: Timestamp;
}

/** The asset. */
export interface BadgeAsset {
  id: AssetId;
  /** The imprint. Null, like `ownerId` and `updatedAt`, if the asset is not on its ledger. */
  imprint: Imprint | null;
  uri: string;
  /** The current holder. */
  ownerId: Address | null;
  /** The time of issue. Null if the asset was never issued, or if the time is not known. */
  createdAt: Timestamp | null;
  /** The time at which the imprint or the holder last changed. */
  updatedAt: Timestamp | null;
  /** The time at which the asset was destroyed. Null if the asset is on its ledger or was never issued. */
  withdrawnAt: Timestamp | null;
  /** The last time at which an asset with this id was destroyed, if the id has been created again since. */
  withdrawnBefore: Timestamp | null;
  /** The earlier imprints of assets with this id, the latest first. At most a hundred. */
  pastImprints: PastImprint[];
}

/** The asset's ledger. The ledger's owner chose the name and the symbol, and this service does not check them. */
export interface BadgeLedger {
  id: Address;
  name: string;
  symbol: string;
  schemaId: SchemaId;
  capabilities: Capabilities;
  ownerId: Address;
  createdAt: Timestamp;
}

/** A list whose length, or maximum length, is proven. Only AIH-2 evidence can prove a length. */
export interface BadgeList {
  path: string;
  /** The proven maximum number of items. */
  atMost: number;
  /** The number of items, if it is proven. */
  length: number | null;
  /** True if no item is hidden. */
  complete: boolean;
  /** The length as text for people: `all of 3`, `3, of which some are hidden` or `at most 4`. */
  message: string;
}

/** A value of the public metadata, and the result of checking it. */
export interface BadgeValue {
  path: string;
  status: ValueStatus;
  /** A short identifier of the reason. It does not change between versions. Null for a proven value. */
  reason: string | null;
}

/** An account or a ledger, and its block. `reason` and `blockedAt` are null if the address is not blocked. */
export interface Block {
  address: Address;
  reason: string | null;
  blockedAt: Timestamp | null;
}

/** The versions of a register book that the service keeps. */
export interface Book {
  ledgerId: Address;
  /** At most five, the newest first. */
  versions: BookVersion[];
}

/** The content of a version of a register book. */
export interface BookContent {
  /** SHA-256 of the cipher text, 64 hex digits. */
  hash: string;
  /** The cipher text as base64url without padding. */
  content: string;
}

/** A version of a register book. Other parts of the form are ignored. */
export interface BookInput {
  /** The number after the last version, from 1. */
  version: string;
  /** The addresses of the accounts that can read the version, separated by commas: 1 to 100. */
  readers: string;
  /** The writer's signature: `0x` and 130 hexadecimal digits. */
  signature: string;
  /** The cipher text. */
  file: string;
}

/** The key to which colleagues encrypt register books for an account. */
export interface BookKey {
  accountId: Address;
  /** An X25519 public key: 32 bytes as base64url. */
  key: string;
  /** The account's signature. Check it before you encrypt to the key. */
  signature: string;
  updatedAt: Timestamp;
}

/** A key for register books. */
export interface BookKeyInput {
  /** An X25519 public key: 32 bytes as base64url without padding. */
  key: string;
  /** The account's signature: `0x` and 130 hexadecimal digits. */
  signature: string;
}

/** A version of a register book, without its content. */
export interface BookVersion {
  version: number;
  /** SHA-256 of the cipher text, 64 hex digits. */
  hash: string;
  /** The number of bytes of the cipher text. */
  bytes: number;
  /** The accounts that can read the version, as the writer signed them. */
  readers: Address[];
  writerId: Address;
  /** The writer's signature on ledger, version, hash and readers. */
  signature: string;
  createdAt: Timestamp;
}

/**
 * A ledger's capabilities.
 *
 * - 1: owners can destroy their assets
 * - 2: imprints can be updated
 * - 3: transfers can be stopped and started
 * - 4: accounts with the ability 32 can revoke any asset
 */
export type Capabilities = (1 | 2 | 3 | 4)[];

/** A certificate of one of the caller's registers. The asset's fields of a withdrawn certificate are those before its destruction. */
export interface Certificate {
  id: AssetId;
  ledgerRef: Ref;
  ledgerId: Address;
  /** Null if the owner of a withdrawn certificate is not known. */
  ownerId: Address | null;
  /** Null if the imprint of a withdrawn certificate is not known. */
  imprint: Imprint | null;
  /** The address of the asset's public metadata. */
  uri: string;
  createdAt: Timestamp;
  /** The time of the last change. */
  updatedAt: Timestamp;
  /** The account that signed the creation. Null if this service does not have the order. */
  createdBy: Address | null;
  status: CertificateStatus;
  /** The time at which the asset last got another imprint. */
  replacedAt: Timestamp | null;
  /** The time of the withdrawal. */
  endedAt: Timestamp | null;
  /** The account that signed the withdrawal. Null if this service does not have the order. */
  endedBy: Address | null;
  /** The public reason of the withdrawal. */
  reason: string | null;
}

/** The number of a register's certificates in each month. Months without certificates are left out. */
export interface CertificateCounts {
  ledgerRef: Ref;
  ledgerId: Address;
  /** The last 120 months with certificates, the newest first. */
  months: MonthCounts[];
}

/**
 * Whether a certificate is valid.
 *
 * - `in-force`: the asset exists, with its first imprint.
 * - `replaced`: the asset exists, with another imprint than at first. Only the document with the present imprint is valid.
 * - `withdrawn`: the asset was destroyed.
 * @enum {string}
 */
export type CertificateStatus = "in-force" | "replaced" | "withdrawn";

/** A block of a chain. */
export interface ChainBlock {
  number: number;
  /** True if the block is final, so a reorganization can no longer undo it. */
  final: boolean;
}

/** The state of the ledger's chain, and of the service's account on the chain. */
export interface ChainHealth {
  /** The chain id (EIP-155). */
  id: number;
  /** The number of the chain's last block. Null if the chain could not be queried. */
  head: number | null;
  /** The number of the last final block. Null if the chain could not be queried. */
  final: number | null;
  /** The number of the last block that the service has read. Null if the settings were never checked against the chain. */
  indexed: number | null;
  /** The account that sends transactions. Null if the chain could not be queried. */
  relayer: RelayerHealth | null;
  /** The reason why the chain could not be queried. Null if it could. */
  problem: string | null;
}

/** The fields of a message that signs in (EIP-4361). The client adds the account's address, and the account's wallet signs the message. */
export interface Challenge {
  /** The service's host, with its port if it has one. */
  domain: string;
  /** The service's origin, such as `https://certificates.example`. */
  uri: string;
  version: string;
  chainId: number;
  /** Letters and digits. Each nonce is valid for one sign-in. */
  nonce: string;
  issuedAt: Timestamp;
  /** The end of the nonce's validity. */
  expirationTime: Timestamp;
}

/** An asset whose status changed. `/badge.json` publishes the same facts. */
export interface ChangedAsset {
  ledgerId: Address;
  assetId: AssetId;
  status: ChangedStatus;
  /** The imprint in force. Null for a withdrawn asset. */
  imprint: Imprint | null;
  /** The reason for a withdrawal. Null in the first event of a withdrawal. A reason given later causes another event. */
  reason: string | null;
  reasonBy: ReasonAuthor | null;
}

/** A domain of the account whose confirmation changed. */
export interface ChangedDomain {
  /** The domain in lower case and Punycode. */
  domain: string;
  /** The domain as people should see it. */
  displayDomain: string;
  /** `confirmed` while the confirmation counts. `notConfirmed` or `disowned` after its end. */
  state: DomainState;
  /** The time at which the confirmation ends if no check succeeds. Null unless the last check failed and the confirmation still counts. */
  confirmedUntil: Timestamp | null;
  /** The reason why the last check failed: a short identifier that does not change between versions. Null if it succeeded. */
  reason: string | null;
  /** A sentence that explains the reason and gives advice. */
  message: string | null;
}

/**
 * The new status of an asset.
 *
 * - `inForce`: the asset was issued, or issued again after a withdrawal.
 * - `replaced`: the imprint was updated, so documents with an earlier imprint are out of date.
 * - `withdrawn`: the asset was destroyed.
 * @enum {string}
 */
export type ChangedStatus = "inForce" | "replaced" | "withdrawn";

/**
 * The result of a check. `unclear`: a server did not answer.
 * @enum {string}
 */
export type CheckResult = "confirmed" | "notConfirmed" | "disowned" | "unclear";

/**
 * The source of the confirmation: the file `https://<domain>/.well-known/did.json`, a TXT record of the domain, or a setting of this service.
 * @enum {string}
 */
export type CheckedBy = "didJson" | "dns" | "operator";

/** An account's signature of a hash, `{type}:{signature}`: type 0 (ETH_SIGN) or 3 (PERSONAL_SIGN), then `0x` and the 65 bytes r, s, v in hex. Both types sign the 32 bytes of the hash as an Ethereum message (EIP-191). `s` is in the lower half (EIP-2), `v` is 27 or 28. */
export type Claim = string;

/** A claim. An empty string or null means that the account has not signed yet. In an order it can also mean that the caller may not see the claim. */
export type ClaimOrNone = string | null;

/** The kind of an error, as a stable number: docs/errors.md lists them. */
export type Code = number;

/** The billed company. */
export interface CompanyInformation {
  name: string;
  streetAddress: string;
  postalCode: string;
  city: string;
  country: string;
  taxNumber: string;
  phoneNumber: number | string;
}

/** A period in which a domain confirmed an account. */
export interface ConfirmedPeriod {
  from: Timestamp;
  to: Timestamp;
}

/** The caller's payments of a day. */
export interface Cost {
  date: Day;
  orders: number;
  deployments: number;
  approvals: number;
  actions: number;
  amount: Amount;
}

/** A wallet's request for the credential of its token. */
export interface CredentialRequest {
  credential_configuration_id: string;
}

/**
 * Format: date
 * A day in UTC.
 */
export type Day = string;

/** A queue message whose every attempt failed. The periodic run does the message's work too, so sending the message again only saves time. */
export interface DeadLetter {
  ref: Ref;
  /** The message, as a JSON string. */
  body: string;
  receivedAt: Timestamp;
  /** The time at which an administrator sent the message again. */
  retriedAt: Timestamp | null;
}

/** The delivery of an event to the webhook. */
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

/** The content that was signed. */
export interface Deploy {
  /** The account that requests the ledger and pays. */
  makerId: Address;
  /** The only account that may execute the deployment. Null if any account may. */
  takerId: Address | null;
  /** The ledger to create. */
  assetLedgerData: LedgerData;
  /** The payment. */
  tokenTransferData: TokenTransferInput;
  /** The salt of the deployment's hash. */
  seed: Seed;
  /** The last second in which the deployment is valid. */
  expiration: Expiration;
}

/** The content that is signed. */
export interface DeployInput {
  /** The account that signs and pays for the deployment. */
  makerId: Address;
  assetLedgerData: LedgerDataInput;
  tokenTransferData: TokenTransferInput;
  seed: Seed;
  expiration: Expiration;
  /** The account that may execute the deployment. Empty: any account. */
  takerId?: AddressOrNone | undefined;
}

/** A deployment order. */
export interface Deployment {
  ref: Ref;
  status: Status;
  priority: Priority;
  deploy: Deploy;
  claim: Claim;
  hash: Hash;
  /** The new ledger's reference. Null until the ledger exists. */
  ledgerRef: Ref | null;
  ledgerId: Address | null;
  error: RecordError | null;
  txHash: TransactionHash;
  createdAt: Timestamp;
  updatedAt: Timestamp;
}

/** A deployment order. */
export interface DeploymentRequest {
  deploy: DeployInput;
  priority: Priority;
  /** The maker's signature on the hash. Without a claim, the answer has the status 422 and contains the hash. */
  claim?: ClaimOrNone | undefined;
}

/** A card payment for platform tokens. */
export interface Deposit {
  ref: Ref;
  /** The amount in EUR cents. */
  amount: number;
  /** Always `eur`. */
  currency: string;
  /** The tokens that the deposit buys: the amount divided by the token's price at the time of creation. */
  tokens: Amount;
  /** `pending`, `succeeded`, `failed` or `canceled`. */
  status: string;
  /** The secret that the payment provider's page needs for the payment. */
  clientSecret: string | null;
  /** The payment provider's page on which the payer pays, for a day. Null if the deposit was created without `checkout`, or if it can no longer be paid there. */
  checkoutUrl: string | null;
  /** False for a test payment, which moves no money. */
  livemode: boolean;
  /** EUR cents that went back to the payer. The service takes back the tokens that they paid for, as far as the account still has them. */
  reclaimed: number;
  createdAt: Timestamp;
}

/** A deposit. */
export interface DepositRequest {
  /** The amount in EUR cents, 1000 to 99999999. */
  amount: number;
  /** True for a payment on the payment provider's own page, to which `checkoutUrl` of the answer leads. Defaults to false: the answer then has the `clientSecret` for a payment form. */
  checkout?: boolean | null | undefined;
}

/** The domain of an issuer. */
export interface DomainRequest {
  /** A public host name, such as `uni.example`. */
  domain: string;
}

/**
 * The result of checking a domain.
 *
 * - `pending`: the first check has not ended.
 * - `confirmed`: the domain confirms the account.
 * - `notConfirmed`: the domain does not confirm the account, or has not answered for a week.
 * - `disowned`: the domain says that the account is not its own.
 * @enum {string}
 */
export type DomainState = "pending" | "confirmed" | "notConfirmed" | "disowned";

/** The secret that ends a link. */
export interface EndLinkRequest {
  endKey: string;
}

/** A short link that was ended. */
export interface EndedLink {
  /** 16 characters of base64url. */
  id: string;
}

/** An offer that was ended before a wallet used it. */
export interface EndedOffer {
  /** SHA-256 of the code, 64 hex digits. */
  codeHash: string;
}

/** The result of erasing an account's personal data. */
export interface ErasedData {
  accountId: Address;
  /** False if requests or events are left. Call again until it is true. */
  isComplete: boolean;
}

/** An error: its code, a sentence that explains it, and its place in the request. */
export interface ServiceError {
  code: Code;
  /** A sentence that explains the error to a person. */
  message: string;
  /** The place in the request, such as `order.actions[1].assetId`. Empty for the whole request. */
  path: string;
  /** The address of the code's documentation. Absent if the client found the error itself. */
  docs?: string;
  /** The code's name. Absent if a later version of the service has logged the code. */
  name?: string;
}

/** 0: an order or approval has changed. 1: an order or approval has an error. 2: a deployment has changed. 3: a deployment has an error. 4: the status of an asset has changed. 5: a domain fails to confirm the account, no longer confirms it, or confirms it again. */
export type EventKinds = (0 | 1 | 2 | 3 | 4 | 5)[];

/** The end of validity as a UNIX time, at most the end of the year 9999. Numbers of 10^11 and more are milliseconds, smaller numbers are seconds. Answers have milliseconds. Fractions of a second are ignored. Orders and value approvals end when that second begins, deployments and asset approvals when that second is over. */
export type Expiration = number;

/** A file, and the ledger or asset that it belongs to. Other parts of the form are ignored. */
export interface FileInput {
  /** The ledger's reference, or its address. */
  ledgerRef: string;
  /** A JSON object, or a PNG, JPEG or WebP picture. The part's own type and file name are ignored. */
  file: string;
  /** The asset to which the file belongs. Without it, the file belongs to the ledger. */
  assetId?: AssetId | undefined;
  /** With `metadata`, the file is also served at the asset's URI. With `evidence` or `badge`, it is also served at this URI with `.evidence` or `.badge` appended. A badge is an Open Badge of the asset that shows public values only. A name needs `assetId`, and a ledger whose `uriPrefix` is `<this service>/files/<the ledger's owner>/<collection>/`. */
  name?: FileName | undefined;
}

/**
 * The name of a file. The address of a named file does not depend on its content, so it is known in advance.
 * @enum {string}
 */
export type FileName = "metadata" | "evidence" | "badge";

/** A reason why an asset is not valid or could not be checked. */
export interface Finding {
  /** The error code if there is no asset to check, or if the asset could not be checked. Null if the reason counts against the asset. */
  code: Code | null;
  /** A short identifier of the reason. It does not change between versions. */
  reason: string;
  path: string;
  message: string;
}

/** The gateways. The hash of an order or a deployment contains its gateway's address. */
export interface Gateway {
  /** `embedded` or `evm`. */
  backend: string;
  chainId: number | null;
  /** The gateway of actions orders. */
  actionsOrderId: Address;
  /** The gateway of deployments. */
  assetLedgerDeployOrderId: Address;
  proxies: Proxies;
}

/** Tokens that the operator has given to an account. */
export interface Grant {
  accountId: Address;
  /** The granted tokens in base units. */
  amount: Amount;
}

/** Tokens for an account. */
export interface GrantInput {
  address: Address;
  /** The tokens in base units, at most 57 digits. */
  amount: Amount;
  /** Plain text on one line, for the audit log. */
  reason: string;
}

/** The hash that claims sign, 32 bytes. */
export type Hash = string;

/** The verdict in one line. */
export interface Headline {
  code: HeadlineCode;
  look: Look;
  /** The line in English, with the parameters filled in. */
  text: string;
  parameters: HeadlineParameters;
}

/**
 * The code of the headline. Later versions may add codes. For an unknown code, show the headline's `text` in the colour of `look`.
 * @enum {string}
 */
export type HeadlineCode = "changed" | "other-asset" | "withdrawn" | "never-issued" | "unknown-ledger" | "issuer-disowned" | "not-proven" | "expired" | "replaced" | "not-checked" | "valid" | "valid-by-operator" | "issuer-no-longer-confirmed" | "issuer-not-confirmed";

/** The values in a headline. A value is null if the headline's code does not use it. */
export interface HeadlineParameters {
  /** The date of the withdrawal, expiry or replacement. */
  date: Timestamp | null;
  /** The reason for a withdrawal. */
  reason: string | null;
  domain: string | null;
  /** The name of an account that the operator confirms. */
  name: string | null;
}

/** A stored file. */
export interface HostedFile {
  /** SHA-256 of the content, 64 hex digits. */
  hash: string;
  /** The address that serves exactly this content until the file is deleted. */
  address: string;
  /** The address of the named file: the asset's URI, with `.evidence` or `.badge` appended for evidence and badges. Null for a file without a name. */
  namedAddress: string | null;
  /** The size in bytes. */
  size: number;
  /** The media type with which the file is served. */
  contentType: string;
}

/** An imprint: the Merkle root over an asset's data, 64 hexadecimal characters with or without `0x`. */
export type Imprint = string;

/**
 * The result of comparing the public values with the values that were certified for this asset.
 *
 * - `unchanged`: every value is proven.
 * - `notCovered`: no certified value was changed, but the evidence does not prove every value. Anyone may have added the other values.
 * - `otherAsset`: the values were certified, but for another asset.
 * - `changed`: a value or a hash differs from the certified one, or the evidence belongs to another imprint.
 * - `notChecked`: the documents could not be checked, or the ledger has no asset with this id now.
 * @enum {string}
 */
export type Integrity = "unchanged" | "notCovered" | "otherAsset" | "changed" | "notChecked";

/** The issuer of the certificate. If `kind` is `notConfirmed`, all members except `account`, `kind` and `confirmed` are null. */
export interface Issuer {
  /** The ledger's owner. */
  account: Address;
  kind: IssuerKind;
  /** True if `kind` is `confirmed` or `operator`. */
  confirmed: boolean;
  /** The domain that confirms, confirmed or disowns the account. For `operator`, the host of this service. */
  domain: string | null;
  /** For `disowned`: another domain that confirms the account now. The account named this domain itself, so the domain may belong to the thief of its key. Show it only together with `domain`. */
  otherDomain: string | null;
  /** The account's name, given by the domain or the operator. Show the name only next to the domain. */
  name: string | null;
  /** The address of a logo on the domain's own host. */
  logo: string | null;
  /** The first and the last time at which the domain confirmed the account. */
  firstSeen: Timestamp | null;
  lastSeen: Timestamp | null;
  checkedBy: CheckedBy | null;
}

/** The result of checking a domain without changing its state. */
export interface IssuerCheck {
  /** The domain in lower case and Punycode. */
  domain: string;
  displayDomain: string;
  account: Address;
  result: CheckResult;
  checkedBy: CheckedBy | null;
  /** The name in the domain's file, if the file confirms the account. */
  name: string | null;
  /** The address of the logo in the domain's file, if the file confirms the account. */
  logo: string | null;
  /** The only ledgers for which the domain confirms the account. Null if it confirms the account for all ledgers. */
  ledgers: Address[] | null;
  file: Way;
  record: Way;
  /** Advice about a file that could be read, for example if its headers do not let pages of other sites read it. */
  notes: Advice[];
}

/** The domain that an account names as its own. The fields are empty if the account names no domain. */
export interface IssuerDomain {
  /** The domain in lower case and Punycode. */
  domain: string | null;
  /** The domain as people should see it: in its own script, unless it could then be mistaken for another name. */
  displayDomain: string | null;
  /** The ledger that the domain is for. Null if the domain is for every ledger of the account that has no domain of its own. */
  ledgerId: Address | null;
  state: DomainState | null;
  /** True if a check has been requested and has not ended. */
  isBeingChecked: boolean;
  checkedBy: CheckedBy | null;
  /** The only ledgers for which the domain confirms the account. Null if it confirms the account for all ledgers. */
  ledgers: Address[] | null;
  /** The name in the domain's file. */
  name: string | null;
  /** The address of the logo in the domain's file. */
  logo: string | null;
  /** The first and the last time at which the domain confirmed the account, in the latest period. */
  firstSeen: Timestamp | null;
  lastSeen: Timestamp | null;
  /** The time at which the confirmation ends if no check succeeds. Null unless the last check failed and the confirmation still counts. */
  confirmedUntil: Timestamp | null;
  /** Earlier periods in which the domain confirmed the account, at most ten. */
  earlier: ConfirmedPeriod[];
  checkedAt: Timestamp | null;
  /** The time of the next check. Null if no check follows. To request one, set the domain again. */
  nextCheckAt: Timestamp | null;
  /** The reason why the last check did not confirm the account: a short identifier that does not change between versions. */
  reason: string | null;
  /** A sentence that explains the reason and gives advice. */
  message: string | null;
}

/**
 * Whether a domain or the operator confirms the issuing account.
 *
 * - `confirmed`: a domain confirms the account now.
 * - `operator`: the operator of this service confirms the account.
 * - `wasConfirmed`: a domain confirmed the account from `firstSeen` to `lastSeen`, and no longer does.
 * - `disowned`: a domain says that the account is not its own.
 * - `notConfirmed`: neither a domain nor the operator has ever confirmed the account.
 * @enum {string}
 */
export type IssuerKind = "confirmed" | "operator" | "wasConfirmed" | "disowned" | "notConfirmed";

/**
 * A permission of an API key. `read`: read what the account may read, except its sessions, API keys, settings for signing in, and webhook. `orders`: send, sign, perform and cancel requests, give reasons for withdrawals, and store and delete files. The account still signs each request itself. `webhooks`: manage the webhook and its deliveries.
 * @enum {string}
 */
export type KeyScope = "read" | "orders" | "webhooks";

/** An asset ledger. */
export interface Ledger {
  ref: Ref;
  id: Address;
  name: string;
  symbol: string;
  uriPrefix: string;
  uriPostfix: string;
  schemaId: SchemaId;
  capabilities: Capabilities;
  ownerId: Address;
  createdAt: Timestamp;
}

/** An account's abilities on the ledger. */
export interface LedgerAbility {
  accountId: Address;
  abilities: Abilities;
}

/** The ledger to deploy. */
export interface LedgerData {
  /** The ledger's name. */
  name: string;
  /** The ledger's symbol. */
  symbol: string;
  /** The text before an asset's id in its URI. The id is in decimal. */
  uriPrefix: string;
  /** The text after an asset's id in its URI. May be empty. */
  uriPostfix: string;
  /** The schema of the ledger's assets. */
  schemaId: SchemaId;
  /** The capabilities of the ledger. */
  capabilities: Capabilities;
  /** The account that gets every ability on the ledger. */
  ownerId: Address;
}

/** The ledger to deploy. */
export interface LedgerDataInput {
  /** At most 255 characters. */
  name: string;
  /** At most 255 characters. */
  symbol: string;
  /** The start of every asset's URI. After it come the asset's decimal id and `uriPostfix`. */
  uriPrefix: string;
  schemaId: SchemaId;
  capabilities: Capabilities;
  /** The account that gets every ability. */
  ownerId: Address;
  /** May be empty. */
  uriPostfix?: string | null | undefined;
}

/** An encrypted link. */
export interface LinkRequest {
  /** 16 to 16,384 bytes as base64url without padding. */
  ciphertext: string;
  /** The days for which the link is kept: 1, 7 or 30. */
  days: number;
}

/**
 * The colour of a headline. Only certificates of a confirmed issuer are `green`. Withdrawn certificates are `grey-red`, because they are neither valid nor forged.
 * @enum {string}
 */
export type Look = "green" | "amber" | "red" | "grey-red" | "grey";

/** The key of an account with an ability on the ledger. */
export interface MemberKey {
  accountId: Address;
  abilities: Abilities;
  /** An X25519 public key: 32 bytes as base64url. */
  key: string;
  /** The account's signature. Check it before you encrypt to the key. */
  signature: string;
  updatedAt: Timestamp;
}

/** The keys of a ledger's members. */
export interface MemberKeys {
  /** The keys of the first 1,000 accounts with an ability, by address. Accounts without a key are left out. */
  keys: MemberKey[];
}

/** The number of certificates that were issued in a month, by their present status. An id that was issued twice counts twice. */
export interface MonthCounts {
  /** The month of the issue in UTC, as in `2026-11`. */
  month: string;
  issued: number;
  inForce: number;
  replaced: number;
  withdrawn: number;
}

/** A new API key, with its secret. */
export interface NewApiKey {
  ref: Ref;
  /** The secret for `Authorization: Bearer`, shown only here. Null in a repeated answer. */
  key: string | null;
  name: string;
  scopes: KeyScope[];
  createdAt: Timestamp;
  expiresAt: Timestamp | null;
}

/** A new short link. */
export interface NewLink {
  /** 16 characters of base64url. */
  id: string;
  /** The address of the link without its key. Append `#` and the key as base64url. */
  address: string;
  /** The secret that ends the link, shown only here. */
  endKey: string;
  expiresAt: Timestamp;
}

/** A new session with its token. */
export interface NewSession {
  ref: Ref;
  accountId: Address;
  /** The token for `Authorization: Bearer`, shown only here. Null if the answer sets a cookie instead. */
  token: string | null;
  createdAt: Timestamp;
  expiresAt: Timestamp;
}

/** The operator of the service, and what the service offers. */
export interface Operator {
  /** The name of the person or organisation. Null if the operator has not stated it. */
  name: string | null;
  /** An e-mail address or an https address. Null if the operator has not stated it. */
  contact: string | null;
  /** The contact as an address for a link: `mailto:…` or `https://…`. */
  contactUrl: string | null;
  /** The address of the imprint, which names who is responsible for the service. */
  imprintUrl: string | null;
  /** The address of the privacy notice. */
  privacyUrl: string | null;
  /** `anyone`, or `chosen` if only accounts that the operator has chosen may deploy ledgers. */
  deployers: string;
  /** `on`, or `off` if the service keeps no short links, because it hosts no files. */
  shortLinks: string;
  /** `on`, or `off` if the service has no status lists for badges. */
  statusLists: string;
}

/** An actions order. A canceled order has neither actions nor claims. An account that is not a party, but may sign as the wildcard signer, gets each claim as an empty string. */
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
  txHash: TransactionHash;
  createdAt: Timestamp;
  updatedAt: Timestamp;
}

/** The content that is signed. */
export interface OrderContent {
  seed: Seed;
  expiration: Expiration;
  signers: Signer[];
  wildcardClaim: Signer | null;
  actions: Action[];
}

/** The content that is signed. */
export interface OrderInput {
  /** At most 32. May be empty if the wildcard signs. */
  signers: SignerInput[];
  /** 1 to 100. If the actions have costs, the last action must pay them: it transfers at least the sum of the costs, in platform tokens, to the payment receiver. */
  actions: ActionInput[];
  seed: Seed;
  expiration: Expiration;
  wildcardClaim?: SignerInput | null | undefined;
}

/** Additional information. Empty on the embedded ledger, where claims cannot outlive a cancellation. */
export interface OrderMeta {
  /** True: a signer has canceled the order on the chain. False: the chain does not know of the cancellation, so the claims stay valid there until they expire. */
  onChain?: boolean;
}

/** An actions order. */
export interface OrderRequest {
  order: OrderInput;
  priority: Priority;
  /**
   * True: the order is performed as soon as all signers have signed. False: the order waits for PUT perform.
   * @default true
   */
  automatedPerform?: boolean | undefined;
  /**
   * True: one account that is not a listed signer may sign. This account takes the place of every empty sender and receiver.
   * @default true
   */
  wildcardSigner?: boolean | undefined;
}

/** The position of a page in its list. */
export interface PageMeta {
  /** The number of skipped items. */
  skip: number;
  /** The maximum number of items on a page. */
  limit: number;
  /** The number of items in the list, or a lower bound (`totalIsMinimum`). */
  total: number;
  /** The cursor of the next page, for `after`. Absent on the last page. */
  next?: string;
  /** True if the list may have more items than `total`. */
  totalIsMinimum?: boolean;
}

/** An imprint that an asset had before. */
export interface PastImprint {
  imprint: Imprint;
  endedAt: Timestamp;
  /** True if the asset was destroyed at that time, false if its imprint was updated. */
  withdrawn: boolean;
}

/** The current pause of changes. The fields are null if changes are not paused. */
export interface Pause {
  /** The message that clients get. */
  message: string | null;
  pausedAt: Timestamp | null;
}

/** The pause of changes. */
export interface PauseInput {
  /** The message for clients: plain text on one line. */
  message: string;
  /** Plain text on one line, for the audit log. */
  reason: string;
}

/** The costs of actions, in base units of the platform token, and the account that receives them. */
export interface Payment {
  /** The platform token. */
  tokenAddress: Address;
  /** The payment receiver. */
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

/** A page of an account's personal data. */
export interface PersonalData {
  /** At most 1,000. */
  items: PersonalItem[];
  /** The value of `from` for the next page. Null on the last page. */
  next: string | null;
}

/** An item of an account's personal data. */
export interface PersonalItem {
  /** `information`, `domain`, `webhook`, `session`, `key`, `deposit`, `request` or `event`. */
  kind: string;
  /** The stored data, as a JSON string. */
  data: string;
}

/** The accounts through which the gateways act. There are two for asset transfers, and one for each other kind of action. */
export interface Proxies {
  /** Creates assets: proxy 0. */
  createAsset: Address;
  /** Moves tokens, for orders and for deployments: proxy 1. */
  transferValue: Address;
  /** Moves assets of ledgers listed as unsafe recipients: proxy 2. */
  transferAsset: Address;
  /** Moves assets of all other ledgers: proxy 3. */
  safeTransferAsset: Address;
  /** Updates imprints: proxy 4. */
  updateAsset: Address;
  /** Sets abilities: proxy 5. */
  manageAbilities: Address;
  /** Destroys assets: proxy 6. */
  destroyAsset: Address;
}

/** A new quota of an account. */
export interface QuotaInput {
  address: Address;
  /** The multiple of the usual quota. 1 returns to the usual quota. */
  factor: number;
  /** Plain text on one line, for the audit log. */
  reason: string;
}

/** A funded account's new daily quota of stored bytes. */
export interface RaisedQuota {
  accountId: Address;
  bytesPerDay: number;
}

/** The account that gave the reason for a withdrawal. */
export interface ReasonAuthor {
  account: Address;
  role: ReasonRole;
}

/** The reason for an administrator's call. */
export interface ReasonInput {
  /** Plain text on one line, for the audit log. */
  reason: string;
}

/**
 * `issuer`: the ledger's owner. `holder`: the asset's last owner. `other`: the creator of the order that destroyed the asset, or the account that revoked it.
 * @enum {string}
 */
export type ReasonRole = "issuer" | "holder" | "other";

/** The reason why a record failed or waits. */
export interface RecordError {
  code: Code;
  /** A sentence that explains the error to a person. */
  message: string;
}

/** A reference: a UUIDv7, so that references sort by time. */
export type Ref = string;

/** The account that sends the service's transactions and pays for their gas. */
export interface RelayerHealth {
  address: Address;
  /** The balance in wei, as a decimal number. */
  balance: string;
  /** The number of further orders that the balance pays for at the current price of gas. */
  ordersLeft: number;
  /** The reason why no new transactions are sent: `price` if gas costs more than `FEE_CAP_GWEI`, or `funds` if the balance is too low. Null if they are sent. */
  paused: string | null;
  /** The age in milliseconds of the oldest signed transaction that no block contains yet. Null if there is no such transaction. */
  oldestMs: number | null;
}

/** The number of deleted files. */
export interface RemovedFiles {
  /** At most 500. */
  removed: number;
  /** True if there may be more files to delete. Then send the request again. */
  more: boolean;
}

/** An API call. The service keeps it for 90 days. */
export interface Request {
  /** The `id` of the call's answer. */
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

/** Additional information. */
export interface RotationMeta {
  previousSecretValidUntil: Timestamp;
}

/** The id of the JSON Schema of a ledger's assets: the SHA-256 of the schema's text. Answers write it as `0x` and lower-case hex. */
export type SchemaId = string;

/** A salt that makes the hash unique, usually the time. */
export type Seed = number;

/** A session. */
export interface Session {
  ref: Ref;
  createdAt: Timestamp;
  /** The last use, exact to five minutes. */
  usedAt: Timestamp;
  /** The end of the session if it is not used before then. Each use postpones the end, at most to 30 days after `createdAt`. */
  expiresAt: Timestamp;
  /**
   * True for the session that sent this request.
   * @default false
   */
  readonly isCurrent: boolean;
}

/** The content of a short link. */
export interface SharedLink {
  /** The cipher text as base64url. */
  ciphertext: string;
  expiresAt: Timestamp;
}

/** A signed EIP-4361 message. */
export interface SignInRequest {
  /** The message, at most 2,000 bytes. */
  message: string;
  /** The signature by the key of the message's account: `0x` and 130 hex digits. */
  signature: string;
  /** True: the answer sets the token in a cookie. Defaults to false. */
  cookie?: boolean | undefined;
}

/** The caller's signature on the order's hash. */
export interface SignRequest {
  claim: Claim;
}

/** A signer and its claim. */
export interface Signer {
  accountId: Address;
  claim: ClaimOrNone;
}

/** A signer and its claim. A signer without a claim signs later. */
export interface SignerInput {
  accountId: Address;
  claim?: ClaimOrNone | undefined;
}

/** The state of the ledger that the answer shows. Empty for the embedded ledger. */
export interface StateMeta {
  /** The time of the state. Present only if the chain does not answer. */
  asOf?: Timestamp;
  /** The chain's block whose state the answer shows. */
  block?: ChainBlock;
}

/** Places in the status lists of a ledger, in the order of the request. */
export interface StatusEntries {
  entries: StatusEntry[];
}

/** Certificates that need a place in a status list. */
export interface StatusEntriesRequest {
  /** 1 to 1,000. */
  entries: StatusEntryInput[];
}

/** The place of a certificate. The address of its list is `/status/<address of the ledger>/<list>`. */
export interface StatusEntry {
  assetId: AssetId;
  /** As in the request. */
  imprint: string;
  /** The number of the list. */
  list: number;
  /** The index of the certificate's bit in the list, below 131,072. */
  index: number;
}

/** A certificate. Its asset need not exist yet. */
export interface StatusEntryInput {
  assetId: AssetId;
  /** 64 hex digits, with or without `aih2:` before them. */
  imprint: string;
}

/**
 * The asset's status on its ledger.
 *
 * - `inForce`: the asset is on its ledger, and is neither expired nor replaced.
 * - `withdrawn`: the asset was destroyed.
 * - `expired`: the proven expiry date has passed.
 * - `replaced`: the asset's imprint was updated, and the documents belong to an earlier imprint.
 * - `neverIssued`: the ledger never had the asset.
 * - `unknownLedger`: this service does not have the ledger.
 * @enum {string}
 */
export type StatusKind = "inForce" | "withdrawn" | "expired" | "replaced" | "neverIssued" | "unknownLedger";

/** A record that the service could not read or process. It is retried with growing delays. */
export interface StuckRecord {
  ref: Ref;
  /** 0: order. 1: deployment. 2: approval. */
  kind: number;
  status: Status;
  creatorId: Address;
  /** The number of failures since the record last changed. The log gives the reasons under `perform.failed`. */
  faults: number;
  /** The time of the next attempt. */
  retryAt: Timestamp;
  createdAt: Timestamp;
  updatedAt: Timestamp;
}

/** A price of the platform token. */
export interface Ticker {
  id: Ref;
  base: string;
  quote: string;
  price: string;
  createdAt: Timestamp;
}

/**
 * Format: date-time
 * A moment in UTC with milliseconds.
 */
export type Timestamp = string;

/** The payment: platform tokens to the payment receiver. */
export interface TokenTransferInput {
  /** The platform token. */
  ledgerId: Address;
  /** The account that receives the tokens. */
  receiverId: Address;
  /** The amount that the receiver gets. */
  value: Amount;
}

/** The caller's requests of a day. */
export interface Traffic {
  date: Day;
  requests: number;
  /** Requests that read. */
  queries: number;
  /** Requests that may change something. */
  mutations: number;
  /** Requests that were not answered with success. */
  failures: number;
}

/** The hash of the transaction on the chain. Null until there is one, and always null on the embedded ledger. */
export type TransactionHash = string | null;

/** The verdict, and all data with which a client can verify the asset itself. */
export interface Validity {
  /** True if the asset is unchanged, in force and not disowned. Null if the asset could not be checked or was never issued. */
  valid: boolean | null;
  headline: Headline;
  integrity: Integrity;
  status: AssetStatus;
  /** Null, like `ledger` and `asset`, if this service does not have the ledger. */
  issuer: Issuer | null;
  errors: Finding[];
  ledger: BadgeLedger | null;
  asset: BadgeAsset | null;
  /** The lists whose length AIH-2 evidence proves. At most 100. */
  lists: BadgeList[];
  /** The values and their results. At most 500. Empty if the values could not be checked. */
  values: BadgeValue[];
  /** The number of values left out. */
  omittedValues: number;
  metadata: FetchedDocument;
  evidence: FetchedEvidence;
  schema: FetchedDocument;
}

/** Lets a spender spend platform tokens of an approver. */
export interface ValueApproval {
  /** @constant */
  kind: 8;
  /** The platform token. */
  ledgerId: Address;
  /** The account that approves, signs and pays. */
  approver: Address;
  /** The account that may spend the approver's tokens. */
  spender: Address;
  /** The total amount that the spender may use. It replaces the previous amount. */
  value: Amount;
  /** The payment receiver. */
  feeRecipient: Address;
  /** The payment. */
  feeValue: Amount;
  /** The salt of the approval's hash. */
  seed: Seed;
  /** The first second in which the approval is no longer valid. */
  expiration: Expiration;
}

/**
 * The result for one value. `proven`: the value is certified. `not-proven`: the evidence contradicts the value, or was refused as a whole. `not-covered`: the evidence says nothing about the value.
 * @enum {string}
 */
export type ValueStatus = "proven" | "not-proven" | "not-covered";

/** A credential that waits for a wallet. */
export interface WalletOffer {
  /** SHA-256 of the code, 64 hex digits. It names the offer. */
  codeHash: string;
  /** The id of the credential configuration: `open-badge`, `open-badge-jwt` or `sd-jwt`. */
  configuration: string;
  expiresAt: Timestamp;
}

/** An encrypted credential for a wallet. */
export interface WalletOfferRequest {
  /** SHA-256 of the code of the offer's link, 64 lower-case hex digits. */
  codeHash: string;
  /** The id of a credential configuration: `open-badge`, `open-badge-jwt` or `sd-jwt`. */
  configuration: string;
  /** 16 to 65,536 bytes as base64url without padding. */
  ciphertext: string;
  /** The days for which the offer waits: 1 or 7. */
  days: number;
}

/** The refusal of a wallet's request, as OAuth 2.0 demands (RFC 6749, section 5.2). */
export interface WalletRefusal {
  /** The code of the error, such as `invalid_grant`. */
  error: string;
  /** A sentence for developers. */
  error_description: string;
}

/** The check of a domain's file, or of its DNS records. */
export interface Way {
  /** The file's address, or the record's name. */
  at: string;
  /** True if the file, or the records, confirm the account. */
  confirms: boolean;
  /** The reason why the account is not confirmed. Null if it is confirmed. */
  problem: Advice | null;
  /** The text to publish: the file's content, or the record's value. The file's content is the published file with the account added, or a new file if there is none. */
  publish: string;
  /** False if the published file cannot be read, or disowns the account. `publish` then has only the entries to add to the file. */
  isWhole: boolean;
}

/** The webhook: the receiver of an account's events. All fields are empty if the account has no webhook. */
export interface Webhook {
  url: string | null;
  events: EventKinds;
  /** The key that signs the events, by the Standard Webhooks scheme. */
  secret: string | null;
  /** `pending` until the receiver has answered a challenge, then `active`. `paused` after a day of failures. */
  state: string | null;
  /** The reason why no events are sent, with advice. */
  stateReason: string | null;
}

/**
 * An event. It is sent by POST with the headers `webhook-id`, `webhook-timestamp` and `webhook-signature`, at least once. The events of a record are sent in order, and then the events of the assets that the record changed.
 *
 *     An event of kind 4 has `asset` and does not name the order. It also goes to the ledger's owner and the asset's holder, who may not be allowed to see the order.
 *
 *     An event of kind 5 has `domain`. It is sent when a check of a confirmed domain fails for the first time, when the confirmation ends, and when the domain confirms the account again.
 *
 *     A new address first gets a challenge: an event whose `kind` is null. The receiver's answer (2xx) must repeat the event's `challenge`, as plain text or as the only member of a JSON object.
 */
export interface WebhookEvent {
  id: Ref;
  kind: number | null;
  /** The same value as `kind`. */
  event: number | null;
  requestRef: Ref | null;
  /** 0: order. 1: deployment. 2: approval. */
  requestKind: number | null;
  status: Status | null;
  createdAt: Timestamp;
  asset?: ChangedAsset;
  challenge?: string;
  domain?: ChangedDomain;
  test?: boolean;
}

/** The receiver of events. */
export interface WebhookRequest {
  /** A public https address. */
  url: string;
  events: EventKinds;
  /** `whsec_` and the base64 of 24 to 64 bytes. Give it if your receiver already knows it: the challenge is then sent at once. Without it, the service creates the secret, and sends the challenge 10 seconds after the answer. */
  secret?: string | null | undefined;
}

/** The reason for a withdrawal. */
export interface WithdrawalInput {
  /** Plain text on one line, without `<`, `>`, control characters and invisible characters. */
  reason: string;
}
