// Requests as the service takes them, from what the functions are given. The order of keys is the original client's.
import { toUnits } from "./amounts.js";
import type { TokenAmount } from "./amounts.js";
import { ClientError, ClientErrorCode, InvalidRequestError } from "./errors.js";
import type { AssetApprove, ClientAction, ClientApproval, ClientDeployment, ClientOrder, ValueApprove } from "./inputs.js";
import { billOf, fee } from "./payments.js";
import type { Bill, Bounds, CostName } from "./payments.js";
import { sameAddress } from "./providers.js";
import { ActionKind } from "./enumerations.js";
import type { Priority } from "./enumerations.js";
import type { ActionInput, ApprovalRequest, AssetApproval, Claim, DeploymentRequest, OrderRequest, Payment, ValueApproval } from "./types.js";

/** A request whose claim is still to come, and what is paid with it. */
interface Unsigned<Request> {
  body: Omit<Request, "claim"> & { claim: Claim | undefined };
  bill: Bill;
}

/** How long a request is valid: two days, in milliseconds. */
const VALIDITY = 172_800_000;

/** When a request is made, and until when it is valid, in milliseconds since 1970. */
export interface Moment {
  /** Makes the request's hash its own. */
  readonly seed: number;
  readonly expiration: number;
}

/** The caller, the time, the costs and their bounds. */
export interface Asking {
  readonly accountId: string;
  readonly payment: Payment;
  readonly bounds: Bounds;
  readonly moment: Moment;
}

const COST_OF_KIND = new Map<number, CostName>([
  [ActionKind.CREATE_ASSET, "assetCreateCost"],
  [ActionKind.TRANSFER_ASSET, "assetTransferCost"],
  [ActionKind.TRANSFER_VALUE, "valueTransferCost"],
  [ActionKind.UPDATE_ASSET_IMPRINT, "assetUpdateCost"],
  [ActionKind.SET_ABILITIES, "setAbilitiesCost"],
  [ActionKind.DESTROY_ASSET, "assetDestroyCost"],
]);

/** Codes of values, of payments and of other fields that are not valid (`docs/interface.md`, "Error codes"; the last beyond it). */
const ACTION_VALUE = 422070;
const APPROVED_VALUE = 422151;
const ORDER_PAYMENT = 422012;
const DEPLOY_PAYMENT = 422055;
const APPROVE_PAYMENT = 422134;
const VALUE_APPROVE_PAYMENT = 422154;
const FIELD_NOT_VALID = 422900;

/** A request that is made at a time. `seed` is that time, or a little later where another request has it already. */
export function moment(now: number, seed = now): Moment {
  return { seed, expiration: now + VALIDITY };
}

const ORDER_FIELDS = ["actions", "signersIds", "payerId", "wildcardSigner", "automatedPerform"];

/** The body of POST /orders without the caller's claim, and what is paid with it. */
export function orderRequest(order: ClientOrder, priority: Priority, { payment, bounds, moment }: Asking): { body: OrderRequest; bill: Bill } {
  if (!Array.isArray(order?.actions) || order.actions.length === 0) throw new ClientError(ClientErrorCode.NO_ACTIONS);
  known(order, ORDER_FIELDS, "");
  const { payerId, signersIds = [] } = order;
  if (!Array.isArray(signersIds)) throw notValid("order.signers", "`signersIds` must be a list of addresses");
  if (!payerId) {
    if (!order.wildcardSigner) throw new ClientError(ClientErrorCode.PAYER_NOT_SPECIFIED);
  } else if (!signersIds.some((signer) => sameAddress(signer, payerId))) {
    throw new ClientError(ClientErrorCode.PAYER_NOT_SIGNER);
  }
  // Left out, each would become the service's default: an order that anybody may sign, and one that is performed at once.
  for (const name of ["wildcardSigner", "automatedPerform"] as const) {
    if (typeof order[name] !== "boolean") throw notValid(name, `\`${name}\` must be true or false`);
  }
  const actions = order.actions.map((given, index) => (given ? action(given, index) : given));
  const costs = actions.flatMap((action) => COST_OF_KIND.get(action?.kind) ?? []);
  const transfer = fee(payment, bounds, costs, ORDER_PAYMENT, `order.actions[${actions.length}]`);
  const { receiverId, value, ledgerId } = transfer;
  actions.push({ kind: ActionKind.TRANSFER_VALUE, ...(payerId ? { senderId: payerId } : {}), receiverId, value, ledgerId });
  const { seed, expiration } = moment;
  const body = {
    priority,
    order: { seed, signers: signersIds.map((accountId) => ({ accountId, claim: "" })), expiration, actions },
    automatedPerform: order.automatedPerform,
    wildcardSigner: order.wildcardSigner,
  };
  return { body, bill: billOf("order", payerId || null, transfer) };
}

/** An object whose fields all have one of the names: one that is misspelt would be left out, and its place be the wildcard signer's. */
function known(given: object, names: readonly string[], path: string): void {
  const unknown = Object.keys(given).find((name) => !names.includes(name));
  if (unknown === undefined) return;
  const list = names.map((name) => `\`${name}\``).join(", ");
  throw notValid(path + unknown, `there is no field \`${unknown}\` here: there are ${list}`);
}

const ACTION_FIELDS = new Map<number, readonly string[]>([
  [ActionKind.CREATE_ASSET, ["kind", "assetLedgerId", "id", "imprint", "senderId", "receiverId"]],
  [ActionKind.TRANSFER_ASSET, ["kind", "assetLedgerId", "id", "senderId", "receiverId"]],
  [ActionKind.TRANSFER_VALUE, ["kind", "valueLedgerId", "value", "senderId", "receiverId"]],
  [ActionKind.UPDATE_ASSET_IMPRINT, ["kind", "assetLedgerId", "id", "imprint", "senderId"]],
  [ActionKind.SET_ABILITIES, ["kind", "assetLedgerId", "abilities", "senderId", "receiverId"]],
  [ActionKind.DESTROY_ASSET, ["kind", "assetLedgerId", "id", "senderId"]],
]);

/** An imprint as ledgers have it: outside them one of AIH-2 says its profile. */
const digits = (imprint: string) => (typeof imprint === "string" ? imprint.replace(/^aih2:/, "") : imprint);

/** An action with the service's names. What is absent stays absent. */
function action(action: ClientAction, index: number): ActionInput {
  const { kind, senderId } = action;
  known(action, ACTION_FIELDS.get(kind) ?? Object.keys(action), `order.actions[${index}].`);
  switch (kind) {
    case ActionKind.CREATE_ASSET:
      return { kind, senderId, receiverId: action.receiverId, assetId: action.id, assetImprint: digits(action.imprint), ledgerId: action.assetLedgerId };
    case ActionKind.TRANSFER_ASSET:
      return { kind, receiverId: action.receiverId, assetId: action.id, ledgerId: action.assetLedgerId, senderId };
    case ActionKind.TRANSFER_VALUE: {
      const value = units(action.value, ACTION_VALUE, `order.actions[${index}].value`);
      return { kind, senderId, receiverId: action.receiverId, value, ledgerId: action.valueLedgerId };
    }
    case ActionKind.UPDATE_ASSET_IMPRINT:
      return { kind, ledgerId: action.assetLedgerId, senderId, assetId: action.id, assetImprint: digits(action.imprint) };
    case ActionKind.SET_ABILITIES:
      return { kind, receiverId: action.receiverId, senderId, ledgerId: action.assetLedgerId, abilities: action.abilities };
    case ActionKind.DESTROY_ASSET:
      return { kind, senderId, ledgerId: action.assetLedgerId, assetId: action.id };
    default:
      // An action of a kind that does not exist: its error is given where every request is checked.
      return action satisfies never;
  }
}

const LEDGER_FIELDS = ["name", "symbol", "uriPrefix", "uriPostfix", "schemaId", "capabilities", "ownerId"];

/** The body of POST /deployments without the claim, and what is paid with it. */
export function deploymentRequest(ledger: ClientDeployment, priority: Priority, { accountId, payment, bounds, moment }: Asking): Unsigned<DeploymentRequest> {
  // A missing field is reported where every request is checked; so is an approval that is no object.
  const given = Object(ledger) as ClientDeployment;
  known(given, LEDGER_FIELDS, "deploy.assetLedgerData.");
  const { name, symbol, uriPrefix, uriPostfix, schemaId, capabilities, ownerId } = given;
  const transfer = fee(payment, bounds, ["assetDeployCost"], DEPLOY_PAYMENT, "deploy.tokenTransferData");
  const body = {
    priority,
    claim: undefined,
    deploy: {
      makerId: accountId,
      ...moment,
      tokenTransferData: transfer,
      assetLedgerData: { name, symbol, uriPrefix, uriPostfix, schemaId, capabilities, ownerId },
    },
  };
  return { body, bill: billOf("deployment", accountId, transfer) };
}

/** The body of POST /approvals without the claim, and what is paid with it. */
export function approvalRequest(approval: ClientApproval, priority: Priority, asking: Asking): Unsigned<ApprovalRequest> {
  const given = Object(approval) as ClientApproval;
  return "spender" in given ? valueApproval(given, priority, asking) : assetApproval(given, priority, asking);
}

function assetApproval(given: AssetApprove, priority: Priority, { accountId, payment, bounds, moment }: Asking): Unsigned<ApprovalRequest> {
  known(given, ["ledgerId", "receiverId", "approve"], "approval.");
  const { ledgerId, receiverId, approve } = given;
  const transfer = fee(payment, bounds, ["assetApproveCost"], APPROVE_PAYMENT, "approval.tokenTransferData");
  const approval: AssetApproval = {
    kind: 7,
    ledgerId,
    owner: accountId,
    operator: receiverId,
    isOperator: approve,
    ...moment,
    tokenTransferData: transfer,
  };
  return { body: { priority, claim: undefined, approval }, bill: billOf("approval", accountId, transfer) };
}

function valueApproval(given: ValueApprove, priority: Priority, { accountId, payment, bounds, moment }: Asking): Unsigned<ApprovalRequest> {
  known(given, ["spender", "value"], "approval.");
  const { spender, value } = given;
  const transfer = fee(payment, bounds, ["dappValueApproveCost"], VALUE_APPROVE_PAYMENT, "approval.feeValue");
  const approval: ValueApproval = {
    kind: 8,
    ledgerId: transfer.ledgerId,
    approver: accountId,
    spender,
    value: units(value, APPROVED_VALUE, "approval.value"),
    ...moment,
    feeValue: transfer.value,
    feeRecipient: transfer.receiverId,
  };
  return { body: { priority, claim: undefined, approval }, bill: billOf("approval", accountId, transfer) };
}

/** An error for which the service has no other code. */
function notValid(path: string, message: string): InvalidRequestError {
  return new InvalidRequestError([{ code: FIELD_NOT_VALID, path, message }]);
}

function units(amount: TokenAmount, code: number, path: string): string {
  try {
    return String(toUnits(amount));
  } catch (error) {
    throw new InvalidRequestError([{ code, path, message: error instanceof Error ? error.message : String(error) }]);
  }
}

/**
 * Returns the part of an order that its hash covers, without the claims. An order that a person has read is taken literally. Any other
 * may come from an older service, with numbers as text and amounts as numbers: its reader may not see what it does, for example for
 * actions of kind 3.
 */
export function signedPart(record: unknown, read: boolean): object {
  const { wildcardSigner, order } = object(record, "the order");
  const { seed, expiration, signers, actions } = object(order, "`order`");
  if (!Array.isArray(signers) || !Array.isArray(actions)) throw new Error("`order` lacks `signers` or `actions`");
  if (read && typeof wildcardSigner !== "boolean") throw new Error("`wildcardSigner` is neither true nor false");
  const number = read ? (value: unknown) => value : whole;
  return {
    priority: 1,
    wildcardSigner: wildcardSigner === true,
    order: {
      seed: number(seed),
      expiration: number(expiration),
      signers: signers.map((signer: unknown) => ({ accountId: object(signer, "a signer")["accountId"] })),
      actions: actions.map((entry: unknown) => {
        const action = object(entry, "an action");
        const { kind, value } = action;
        return { ...action, kind: number(kind), ...(!read && Number.isSafeInteger(value) ? { value: String(value) } : {}) };
      }),
    },
  };
}

function object(value: unknown, name: string): Record<string, unknown> {
  if (typeof value !== "object" || value === null) throw new Error(`${name} is not an object`);
  return value as Record<string, unknown>;
}

function whole(value: unknown): unknown {
  return typeof value === "string" && /^\d{1,15}$/.test(value) ? Number(value) : value;
}
