// The arguments of the functions (`docs/interface.md`, "Client library conventions").
import type { TokenAmount } from "./amounts.js";
import type { Ability, LedgerCapability } from "./enumerations.js";
import type { Blob as HostBlob, Bytes } from "./host.js";
import type {
  AddressInput,
  AdmissionRequest,
  AdmissionStatus,
  AuditEntry,
  Block,
  DeadLetter,
  Grant,
  GrantInput,
  Pause,
  PauseInput,
  QuotaInput,
  RaisedQuota,
  ReasonInput,
  StuckRecord,
} from "./types.js";

interface ActionBase {
  /** The signer on whose behalf the action is executed. If empty or absent, the wildcard signer. */
  senderId?: string | null | undefined;
}

interface Received extends ActionBase {
  /** The receiver of the asset, the value or the abilities. If empty or absent, the wildcard signer. */
  receiverId?: string | null | undefined;
}

export interface CreateAssetAction extends Received {
  kind: 1;
  assetLedgerId: string;
  id: string;
  /** 64 hexadecimal digits. A prefix `aih2:` is removed. */
  imprint: string;
}

export interface TransferAssetAction extends Received {
  kind: 2;
  assetLedgerId: string;
  id: string;
}

export interface TransferValueAction extends Received {
  kind: 3;
  valueLedgerId: string;
  value: TokenAmount;
}

export interface UpdateAssetImprintAction extends ActionBase {
  kind: 4;
  assetLedgerId: string;
  id: string;
  /** 64 hexadecimal digits. A prefix `aih2:` is removed. */
  imprint: string;
}

export interface SetAbilitiesAction extends Received {
  kind: 5;
  assetLedgerId: string;
  abilities: Ability[];
}

export interface DestroyAssetAction extends ActionBase {
  kind: 6;
  assetLedgerId: string;
  id: string;
}

/** Destroys an asset of any account. The sender needs the ability `REVOKE_ASSET`, and the ledger the capability of the same name. */
export interface RevokeAssetAction extends ActionBase {
  kind: 7;
  assetLedgerId: string;
  id: string;
}

export type ClientAction = CreateAssetAction | TransferAssetAction | TransferValueAction | UpdateAssetImprintAction | SetAbilitiesAction | DestroyAssetAction | RevokeAssetAction;

/** An order for `createOrder`. The client adds the payment, a seed and an expiration. */
export interface ClientOrder {
  actions: ClientAction[];
  signersIds: string[];
  /** The payer, who must be a signer. If absent, the wildcard signer. */
  payerId?: string | null | undefined;
  wildcardSigner: boolean;
  /** If true, the order is performed as soon as all signers have signed. Otherwise call `performOrder`. */
  automatedPerform: boolean;
}

/** A ledger for `createDeployment`. */
export interface ClientDeployment {
  name: string;
  symbol: string;
  uriPrefix: string;
  uriPostfix: string;
  schemaId: string;
  capabilities: LedgerCapability[];
  ownerId: string;
}

/** Allows `receiverId` to act on all of the caller's assets on a ledger, or revokes this permission. */
export interface AssetApprove {
  ledgerId: string;
  receiverId: string;
  approve: boolean;
}

/** Allows `spender` to spend the caller's platform tokens. */
export interface ValueApprove {
  spender: string;
  value: TokenAmount;
}

export type ClientApproval = AssetApprove | ValueApprove;

/** 1: creation date ascending, 2: descending. */
export type Sort = 1 | 2;

/** A page of any list. */
export interface PageOptions {
  skip?: number | undefined;
  /** Defaults to 25. */
  limit?: number | undefined;
  /** Defaults to newest first. */
  sort?: Sort | undefined;
  /** `meta.next` of the previous page. */
  after?: string | undefined;
}

/** A version of a register book. */
export interface BookDraft {
  /** The number after the last version, from 1. */
  version: number;
  /** The addresses of the accounts that can read the version, 1 to 100. */
  readers: string[];
  /** The cipher text. */
  content: HostBlob | Bytes;
}

/** The ledger or asset that uses a file. */
export interface FileTarget {
  ledgerRef: string;
  /** The asset to which the file belongs. The file is deleted after the asset is destroyed. */
  assetId?: string | undefined;
  /** The name under which the file is served: `metadata` at the asset's URI, `evidence` at this URI with the ending `.evidence`. Needs `assetId`. */
  name?: "metadata" | "evidence" | "badge" | undefined;
}

/** The lists of `/admin`, by the last part of their paths. */
export interface AdminLists {
  admissions: AdmissionRequest;
  audit: AuditEntry;
  blocks: Block;
  "dead-letters": DeadLetter;
  records: StuckRecord;
}

export interface AdminListOptions extends PageOptions {
  /** Only of the list `admissions`: the requests with this status. */
  status?: AdmissionStatus | undefined;
}

/** The changes of `/admin`, by the last part of their paths: what each takes and gives. */
export interface AdminChanges {
  pause: { takes: PauseInput; gives: Pause };
  resume: { takes: ReasonInput; gives: Pause };
  blocks: { takes: AddressInput; gives: Block };
  unblock: { takes: AddressInput; gives: Block };
  grants: { takes: GrantInput; gives: Grant };
  quotas: { takes: QuotaInput; gives: RaisedQuota };
}

/** The decisions about an item of a list. */
export interface AdminDecisions {
  admissions: "approve" | "decline";
  "dead-letters": "retry";
  records: "retry";
}
