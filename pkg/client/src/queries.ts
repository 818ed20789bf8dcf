// Written by `cargo xtask docs` from the service's own declarations; a test compares them.
import type { Status } from "./enumerations.js";
import type { PageOptions } from "./inputs.js";

export interface OrdersOptions extends PageOptions {
  /** Only items with one of these references or ids. */
  filterIds?: string[] | undefined;
  /** Only items with one of these statuses. */
  statuses?: Status[] | undefined;
  /** Only orders in which the caller has one of these roles. `creator`: created the order. `signer`: signed or canceled an order of another account. `invited`: the order waits for the caller's signature. Defaults to `creator` and `signer`, unless `filterIds` is given. */
  roles?: ("creator" | "signer" | "invited")[] | undefined;
}

export interface DeploymentsOptions extends PageOptions {
  /** Only items with one of these references or ids. */
  filterIds?: string[] | undefined;
  /** Only items with one of these statuses. */
  statuses?: Status[] | undefined;
}

export interface ApprovalsOptions extends PageOptions {
  /** Only items with one of these references or ids. */
  filterIds?: string[] | undefined;
  /** Only items with one of these statuses. */
  statuses?: Status[] | undefined;
}

export interface DepositsOptions extends PageOptions {
  /** Only items with one of these references or ids. */
  filterIds?: string[] | undefined;
}

export type AccountAbilitiesOptions = PageOptions;

export type SessionsOptions = PageOptions;

export type ApiKeysOptions = PageOptions;

export type AccountWebhookDeliveriesOptions = PageOptions;

export type LedgersOptions = PageOptions;

export interface LedgerAbilitiesOptions extends PageOptions {
  /** Only these accounts. */
  filterAccountIds?: string[] | undefined;
}

export interface LedgerAccountsOptions extends PageOptions {
  /** Only these accounts. */
  filterAccountIds?: string[] | undefined;
}

export interface LedgerAssetsOptions extends PageOptions {
  /** Only items with one of these references or ids. */
  filterIds?: string[] | undefined;
  /** Only assets of this account. */
  ownerId?: string | undefined;
}

export interface CertificatesOptions extends PageOptions {
  /** Only items with one of these references or ids. */
  filterIds?: string[] | undefined;
  /** Only certificates of ledgers with one of these references, at most 50. Without this parameter, the list covers the caller's first 50 ledgers by reference. */
  ledgerRefs?: string[] | undefined;
  /** Only certificates whose creation this account signed. */
  creatorId?: string | undefined;
  /** Only certificates of this owner, or withdrawn certificates whose last owner it was. */
  ownerId?: string | undefined;
  /** Only certificates with one of these statuses. */
  status?: ("in-force" | "replaced" | "withdrawn")[] | undefined;
  /** Only items later than this ISO 8601 date, or date and time. The offset defaults to UTC. */
  fromDate?: Date | undefined;
  /** Only items earlier than this ISO 8601 date, or date and time. The offset defaults to UTC. */
  toDate?: Date | undefined;
}

export interface CertificateCountsOptions extends PageOptions {
  /** Only ledgers with one of these references. */
  ledgerRefs?: string[] | undefined;
}

export interface ActivityOptions extends PageOptions {
  /** Only events of these kinds. */
  kinds?: ("issued" | "withdrawn" | "abilitiesSet" | "domainSet" | "domainRemoved" | "keyCreated" | "keyRevoked" | "replaced")[] | undefined;
  /** Only events that this account caused. */
  accountId?: string | undefined;
  /** Only events of ledgers with one of these references, at most 50. Events without a ledger are then left out. */
  ledgerRefs?: string[] | undefined;
  /** Only items later than this ISO 8601 date, or date and time. The offset defaults to UTC. */
  fromDate?: Date | undefined;
  /** Only items earlier than this ISO 8601 date, or date and time. The offset defaults to UTC. */
  toDate?: Date | undefined;
}

export interface RequestsOptions extends PageOptions {
  /** Only requests with one of these methods. */
  methods?: ("GET" | "POST" | "PUT" | "DELETE")[] | undefined;
  /** Only requests with this HTTP status. */
  status?: number | undefined;
  /** Only items later than this ISO 8601 date, or date and time. The offset defaults to UTC. */
  fromDate?: Date | undefined;
  /** Only items earlier than this ISO 8601 date, or date and time. The offset defaults to UTC. */
  toDate?: Date | undefined;
}

export interface CostsStatsOptions extends PageOptions {
  /** Only items later than this ISO 8601 date, or date and time. The offset defaults to UTC. */
  fromDate?: Date | undefined;
  /** Only items earlier than this ISO 8601 date, or date and time. The offset defaults to UTC. */
  toDate?: Date | undefined;
}

export interface TrafficStatsOptions extends PageOptions {
  /** Only items later than this ISO 8601 date, or date and time. The offset defaults to UTC. */
  fromDate?: Date | undefined;
  /** Only items earlier than this ISO 8601 date, or date and time. The offset defaults to UTC. */
  toDate?: Date | undefined;
}

export interface TickerStatsOptions extends PageOptions {
  /** Only items with one of these references or ids. */
  filterIds?: string[] | undefined;
  /** Only items later than this ISO 8601 date, or date and time. The offset defaults to UTC. */
  fromDate?: Date | undefined;
  /** Only items earlier than this ISO 8601 date, or date and time. The offset defaults to UTC. */
  toDate?: Date | undefined;
}

/** The names of each list's own parameters. Every list also has those of a page. */
export const QUERIES = /* @__PURE__ */ Object.freeze({
  getOrders: ["filterIds", "statuses", "roles"],
  getDeployments: ["filterIds", "statuses"],
  getApprovals: ["filterIds", "statuses"],
  getDeposits: ["filterIds"],
  getAccountAbilities: [],
  getSessions: [],
  getApiKeys: [],
  getAccountWebhookDeliveries: [],
  getLedgers: [],
  getLedgerAbilities: ["filterAccountIds"],
  getLedgerAccounts: ["filterAccountIds"],
  getLedgerAssets: ["filterIds", "ownerId"],
  getCertificates: ["filterIds", "ledgerRefs", "creatorId", "ownerId", "status", "fromDate", "toDate"],
  getCertificateCounts: ["ledgerRefs"],
  getActivity: ["kinds", "accountId", "ledgerRefs", "fromDate", "toDate"],
  getRequests: ["methods", "status", "fromDate", "toDate"],
  getCostsStats: ["fromDate", "toDate"],
  getTrafficStats: ["fromDate", "toDate"],
  getTickerStats: ["filterIds", "fromDate", "toDate"],
} as const);
