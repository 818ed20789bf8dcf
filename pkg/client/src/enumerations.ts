// The enumerations of the interface specification, with names for their numbers.

/** The priority of a request. */
export const Priority = Object.freeze({ LOW: 1, MEDIUM: 2, HIGH: 3, CRITICAL: 4 });
export type Priority = 1 | 2 | 3 | 4;

/** The states of an order, a deployment or an approval. */
export const RequestStatus = Object.freeze({
  INITIALIZED: 0,
  PENDING: 1,
  PROCESSING: 2,
  SUCCESS: 3,
  FAILURE: 4,
  SUSPENDED: 5,
  CANCELED: 6,
  FINALIZED: 7,
});
export type Status = 0 | 1 | 2 | 3 | 4 | 5 | 6 | 7;

/** Kinds of actions. `REVOKE_ASSET` is an extension of embedded ledgers: chains refuse it. */
export const ActionKind = Object.freeze({
  CREATE_ASSET: 1,
  TRANSFER_ASSET: 2,
  TRANSFER_VALUE: 3,
  UPDATE_ASSET_IMPRINT: 4,
  SET_ABILITIES: 5,
  DESTROY_ASSET: 6,
  REVOKE_ASSET: 7,
});
export type ActionKind = 1 | 2 | 3 | 4 | 5 | 6 | 7;

/** The abilities of an account on a ledger. */
export const Ability = Object.freeze({
  MANAGE_ABILITIES: 1,
  ALLOW_MANAGE_ABILITIES: 2,
  CREATE_ASSET: 16,
  REVOKE_ASSET: 32,
  TOGGLE_TRANSFERS: 64,
  UPDATE_ASSET: 128,
  UPDATE_URI_BASE: 256,
  ALLOW_CREATE_ASSET: 512,
  ALLOW_UPDATE_ASSET: 1024,
});
export type Ability = 1 | 2 | 16 | 32 | 64 | 128 | 256 | 512 | 1024;

/** The capabilities of a ledger. */
export const LedgerCapability = Object.freeze({ DESTROY_ASSET: 1, UPDATE_ASSET: 2, TOGGLE_TRANSFERS: 3, REVOKE_ASSET: 4 });
export type LedgerCapability = 1 | 2 | 3 | 4;

/** Kinds of webhook events. */
export const WebhookEventKind = Object.freeze({
  ORDER_REQUEST_CHANGED: 0,
  ORDER_REQUEST_ERROR: 1,
  DEPLOYMENT_REQUEST_CHANGED: 2,
  DEPLOYMENT_REQUEST_ERROR: 3,
  ASSET_STATUS_CHANGED: 4,
  DOMAIN_CHANGED: 5,
});
export type WebhookEventKind = 0 | 1 | 2 | 3 | 4 | 5;
