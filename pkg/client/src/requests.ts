// Builds the requests for the service from the arguments of the functions. Their keys have the order of the original client.
import { toUnits } from "./amounts.js";
import type { TokenAmount } from "./amounts.js";
import { ClientError, ClientErrorCode, InvalidRequestError } from "./errors.js";
import type { AssetApprove, ClientAction, ClientApproval, ClientDeployment, ClientOrder, ValueApprove } from "./inputs.js";
import { billOf, fee, sumOf } from "./payments.js";
import type { Bill, Bounds, CostName } from "./payments.js";
import { sameAddress } from "./providers.js";
import { ActionKind } from "./enumerations.js";
import type { Priority } from "./enumerations.js";
import type { ActionInput, ApprovalRequest, AssetApproval, Claim, DeploymentRequest, OrderRequest, Payment, ValueApproval } from "./types.js";

/** A request without its claim, and its payment. */
interface Unsigned<Request> {
  body: Omit<Request, "claim"> & { claim: Claim | undefined };
  bill: Bill;
}

/** The validity of a request: two days, in milliseconds. */
const VALIDITY = 172_800_000;

/** The time of a request and the end of its validity, in milliseconds since 1970. */
export interface Moment {
  /** Makes the request's hash unique. */
  readonly seed: number;
  readonly expiration: number;
}

/** The context of a request: the caller, the time, the costs and their limits. */
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
  [ActionKind.REVOKE_ASSET, "assetRevokeCost"],
]);

const costsOf = (actions: readonly Pick<ClientAction, "kind">[]): CostName[] => actions.flatMap((action) => COST_OF_KIND.get(action?.kind) ?? []);

/**
 * Returns the price of an order with these actions: the amount that its payer is charged, in base units of the platform token. `payment` is from the answer of
 * `getAccount`. Tokens that the order itself transfers are not in it.
 *
 * @throws {InvalidRequestError} with `code` and `path` if an action has no known kind, or `payment` lacks a cost.
 */
export function priceOf(actions: readonly Pick<ClientAction, "kind">[], payment: Payment): bigint {
  const unknown = actions.findIndex((action) => !COST_OF_KIND.has(action?.kind));
  if (unknown >= 0) throw notValid(`actions[${unknown}].kind`, "an action needs a `kind` of `ActionKind`");
  return sumOf(payment, costsOf(actions), ORDER_PAYMENT, "payment");
}

/** Codes of invalid values, payments and other fields (`docs/interface.md`, "Error codes"; the last code is an addition). */
const ACTION_VALUE = 422070;
const APPROVED_VALUE = 422151;
const ORDER_PAYMENT = 422012;
const DEPLOY_PAYMENT = 422055;
const APPROVE_PAYMENT = 422134;
const VALUE_APPROVE_PAYMENT = 422154;
const FIELD_NOT_VALID = 422900;

/** Returns the times of a request made at `now`. `seed` is `now`, or slightly later if another request already has `now` as its seed. */
export function moment(now: number, seed = now): Moment {
  return { seed, expiration: now + VALIDITY };
}

const ORDER_FIELDS = ["actions", "signersIds", "payerId", "wildcardSigner", "automatedPerform"];

/** Returns the body of POST /orders without the caller's claim, and its payment. */
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
  // Both fields are required, because the service's defaults are risky: any account may sign the order, and the order is then performed
  // immediately.
  for (const name of ["wildcardSigner", "automatedPerform"] as const) {
    if (typeof order[name] !== "boolean") throw notValid(name, `\`${name}\` must be true or false`);
  }
  const actions = order.actions.map((given, index) => (given ? action(given, index) : given));
  const transfer = fee(payment, bounds, costsOf(actions), ORDER_PAYMENT, `order.actions[${actions.length}]`);
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

/** Throws if an object has a field that is not in `names`. Otherwise a misspelt sender would be ignored, and the wildcard signer would take its place. */
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
  [ActionKind.REVOKE_ASSET, ["kind", "assetLedgerId", "id", "senderId"]],
]);

/** Returns an imprint as ledgers store it, without the profile prefix of AIH-2. */
const digits = (imprint: string) => (typeof imprint === "string" ? imprint.replace(/^aih2:/, "") : imprint);

/** Returns an action with the service's field names. Absent fields stay absent. */
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
    case ActionKind.REVOKE_ASSET:
      return { kind, senderId, ledgerId: action.assetLedgerId, assetId: action.id };
    default:
      // Unknown kinds are reported by the check of the whole request.
      return action satisfies never;
  }
}

const LEDGER_FIELDS = ["name", "symbol", "uriPrefix", "uriPostfix", "schemaId", "capabilities", "ownerId"];

/** Returns the body of POST /deployments without the claim, and its payment. */
export function deploymentRequest(ledger: ClientDeployment, priority: Priority, { accountId, payment, bounds, moment }: Asking): Unsigned<DeploymentRequest> {
  // Missing fields, and a ledger that is not an object, are reported by the check of the whole request.
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

/** Returns the body of POST /approvals without the claim, and its payment. */
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

/** Returns an error for which the service has no other code. */
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
 * Returns the part of an order that its hash covers, without the claims. If `read` is true, the caller has reviewed the order, so its
 * fields are used unchanged. A converted field, such as an action's kind, might differ from the field that the reviewer saw. If `read` is
 * false, numbers given as strings and amounts given as numbers are converted, because older services answer with such values.
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
