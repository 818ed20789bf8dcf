// The arguments of the functions (`docs/interface.md`, "Client library conventions").
import type { TokenAmount } from "./amounts.js";
import type { Ability, LedgerCapability, Status } from "./enumerations.js";

interface ActionBase {
  /** The signer on whose behalf it is done; empty or absent: the wildcard signer. */
  senderId?: string | null | undefined;
}

interface Received extends ActionBase {
  /** The receiver of the asset, the value or the abilities; empty or absent: the wildcard signer. */
  receiverId?: string | null | undefined;
}

export interface CreateAssetAction extends Received {
  kind: 1;
  assetLedgerId: string;
  id: string;
  /** 64 hexadecimal digits; `aih2:` before them is taken off. */
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
  /** 64 hexadecimal digits; `aih2:` before them is taken off. */
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

export type ClientAction =
  | CreateAssetAction
  | TransferAssetAction
  | TransferValueAction
  | UpdateAssetImprintAction
  | SetAbilitiesAction
  | DestroyAssetAction;

/** An order of `createOrder`. The client adds its payment, a seed and an expiration. */
export interface ClientOrder {
  actions: ClientAction[];
  signersIds: string[];
  /** The payer, one of the signers. Absent: the wildcard signer. */
  payerId?: string | null | undefined;
  wildcardSigner: boolean;
  /** Performed as soon as everybody has signed; else by `performOrder`. */
  automatedPerform: boolean;
}

/** A ledger of `createDeployment`. */
export interface ClientDeployment {
  name: string;
  symbol: string;
  uriPrefix: string;
  uriPostfix: string;
  schemaId: string;
  capabilities: LedgerCapability[];
  ownerId: string;
}

/** Lets `receiverId` act for all of the caller's assets on a ledger, or no longer. */
export interface AssetApprove {
  ledgerId: string;
  receiverId: string;
  approve: boolean;
}

/** Lets `spender` spend the caller's platform tokens. */
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
  /** 25 unless told. */
  limit?: number | undefined;
  /** Newest first unless told. */
  sort?: Sort | undefined;
  /** `meta.next` of the page before. */
  after?: string | undefined;
}

export interface RecordListOptions extends PageOptions {
  filterIds?: string[] | undefined;
  statuses?: Status[] | undefined;
}

export interface OrderListOptions extends RecordListOptions {
  /** The caller's roles in the orders. Without it, and without `filterIds`: orders that the caller created or has signed. */
  roles?: ("creator" | "signer" | "invited")[] | undefined;
}

export interface AccountListOptions extends PageOptions {
  filterAccountIds?: string[] | undefined;
}

export interface AssetListOptions extends PageOptions {
  filterIds?: string[] | undefined;
}

export type DepositListOptions = AssetListOptions;

export interface DatedListOptions extends PageOptions {
  fromDate?: Date | undefined;
  toDate?: Date | undefined;
}

export interface TickerListOptions extends DatedListOptions {
  filterIds?: string[] | undefined;
}

export interface RequestListOptions extends DatedListOptions {
  methods?: ("GET" | "POST" | "PUT" | "DELETE")[] | undefined;
  status?: number | undefined;
}
