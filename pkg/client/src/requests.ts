// Requests as the service takes them, from what the functions are given. The order of keys is the original client's.
import { toUnits } from "./amounts.js";
import type { TokenAmount } from "./amounts.js";
import { ClientError, ClientErrorCode, InvalidRequestError } from "./errors.js";
import type { AssetApprove, ClientAction, ClientApproval, ClientDeployment, ClientOrder, ValueApprove } from "./inputs.js";
import { sameAddress } from "./providers.js";
import { ActionKind } from "./enumerations.js";
import type { Priority } from "./enumerations.js";
import type {
  Account,
  ActionInput,
  ApprovalRequest,
  AssetApproval,
  Claim,
  DeploymentRequest,
  OrderRequest,
  Payment,
  TokenTransferInput,
  ValueApproval,
} from "./types.js";

/** A request whose claim is still to come. */
type Unsigned<Request> = Omit<Request, "claim"> & { claim: Claim | undefined };

/** How long a request is valid: two days, in milliseconds. */
const VALIDITY = 172_800_000;

/** When a request is made, and until when it is valid, in milliseconds since 1970. */
export interface Moment {
  /** Makes the request's hash its own. */
  readonly seed: number;
  readonly expiration: number;
}

/** Who asks, when, and what things cost. */
export interface Asking {
  readonly accountId: string;
  readonly payment: Payment;
  readonly moment: Moment;
}

const COST_OF_KIND = new Map<number, keyof Payment>([
  [ActionKind.CREATE_ASSET, "assetCreateCost"],
  [ActionKind.TRANSFER_ASSET, "assetTransferCost"],
  [ActionKind.TRANSFER_VALUE, "valueTransferCost"],
  [ActionKind.UPDATE_ASSET_IMPRINT, "assetUpdateCost"],
  [ActionKind.SET_ABILITIES, "setAbilitiesCost"],
  [ActionKind.DESTROY_ASSET, "assetDestroyCost"],
]);

/** Codes of values, of payments and of other fields that are not valid (interface specification, "Error codes"; the last beyond it). */
const ACTION_VALUE = 422070;
const APPROVED_VALUE = 422151;
const ORDER_PAYMENT = 422012;
const DEPLOY_PAYMENT = 422055;
const APPROVE_PAYMENT = 422134;
const VALUE_APPROVE_PAYMENT = 422154;
const FIELD_NOT_VALID = 422900;

/** The payment data of an account's answer. What is missing in it is missed by who pays: reading costs nothing. */
export function paying(account: Partial<Account> | null | undefined): Payment {
  const payment = account?.payment;
  if (typeof account?.id !== "string" || typeof payment !== "object" || payment === null) {
    throw new Error("the account's answer lacks `id` or `payment`");
  }
  return payment;
}

/** The transfer that pays for something, or an error with this code and path. */
function bill(payment: Payment, costs: (keyof Payment)[], code: number, path: string): TokenTransferInput {
  const isText = (name: keyof Payment) => typeof payment[name] === "string" && payment[name] !== "";
  // A number is what an older service may answer.
  const isCost = (name: keyof Payment) => /^\d{1,78}$/.test(String(payment[name] as unknown));
  const wrong = [...(["tokenAddress", "receiverAddress"] as const).filter((name) => !isText(name)), ...costs.filter((name) => !isCost(name))];
  if (wrong.length > 0) {
    throw new InvalidRequestError([...new Set(wrong)].map((name) => ({ code, path, message: `the account's answer lacks \`payment.${name}\`, so that nothing can be paid` })));
  }
  const value = costs.reduce((sum, name) => sum + BigInt(payment[name]), 0n);
  return { ledgerId: payment.tokenAddress, receiverId: payment.receiverAddress, value: String(value) };
}

/** A request that is made at a time. `seed` is that time, or a little later where another request has it already. */
export function moment(now: number, seed = now): Moment {
  return { seed, expiration: now + VALIDITY };
}

/** The body of POST /orders without the caller's claim. */
export function orderRequest(order: ClientOrder, priority: Priority, { payment, moment }: Omit<Asking, "accountId">): OrderRequest {
  if (!Array.isArray(order?.actions) || order.actions.length === 0) throw new ClientError(ClientErrorCode.NO_ACTIONS);
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
  const { receiverId, value, ledgerId } = bill(payment, costs, ORDER_PAYMENT, `order.actions[${actions.length}]`);
  actions.push({ kind: ActionKind.TRANSFER_VALUE, ...(payerId ? { senderId: payerId } : {}), receiverId, value, ledgerId });
  const { seed, expiration } = moment;
  return {
    priority,
    order: { seed, signers: signersIds.map((accountId) => ({ accountId, claim: "" })), expiration, actions },
    automatedPerform: order.automatedPerform,
    wildcardSigner: order.wildcardSigner,
  };
}

/** An action with the service's names. What is absent stays absent. */
function action(action: ClientAction, index: number): ActionInput {
  const { kind, senderId } = action;
  switch (kind) {
    case ActionKind.CREATE_ASSET:
      return { kind, senderId, receiverId: action.receiverId, assetId: action.id, assetImprint: action.imprint, ledgerId: action.assetLedgerId };
    case ActionKind.TRANSFER_ASSET:
      return { kind, receiverId: action.receiverId, assetId: action.id, ledgerId: action.assetLedgerId, senderId };
    case ActionKind.TRANSFER_VALUE: {
      const value = units(action.value, ACTION_VALUE, `order.actions[${index}].value`);
      return { kind, senderId, receiverId: action.receiverId, value, ledgerId: action.valueLedgerId };
    }
    case ActionKind.UPDATE_ASSET_IMPRINT:
      return { kind, ledgerId: action.assetLedgerId, senderId, assetId: action.id, assetImprint: action.imprint };
    case ActionKind.SET_ABILITIES:
      return { kind, receiverId: action.receiverId, senderId, ledgerId: action.assetLedgerId, abilities: action.abilities };
    case ActionKind.DESTROY_ASSET:
      return { kind, senderId, ledgerId: action.assetLedgerId, assetId: action.id };
    default:
      // Of no kind that there is: what is wrong with it is said where every request is checked.
      return action satisfies never;
  }
}

/** The body of POST /deployments without the claim. */
export function deploymentRequest(ledger: ClientDeployment, priority: Priority, { accountId, payment, moment }: Asking): Unsigned<DeploymentRequest> {
  // What is missing is said where every request is checked; so it is of an approval that is none.
  const { name, symbol, uriPrefix, uriPostfix, schemaId, capabilities, ownerId } = ledger ?? ({} as ClientDeployment);
  return {
    priority,
    claim: undefined,
    deploy: {
      makerId: accountId,
      ...moment,
      tokenTransferData: bill(payment, ["assetDeployCost"], DEPLOY_PAYMENT, "deploy.tokenTransferData"),
      assetLedgerData: { name, symbol, uriPrefix, uriPostfix, schemaId, capabilities, ownerId },
    },
  };
}

/** The body of POST /approvals without the claim. */
export function approvalRequest(approval: ClientApproval, priority: Priority, asking: Asking): Unsigned<ApprovalRequest> {
  const given = Object(approval) as ClientApproval;
  return { priority, claim: undefined, approval: "spender" in given ? valueApproval(given, asking) : assetApproval(given, asking) };
}

function assetApproval({ ledgerId, receiverId, approve }: AssetApprove, { accountId, payment, moment }: Asking): AssetApproval {
  return {
    kind: 7,
    ledgerId,
    owner: accountId,
    operator: receiverId,
    isOperator: approve,
    ...moment,
    tokenTransferData: bill(payment, ["assetApproveCost"], APPROVE_PAYMENT, "approval.tokenTransferData"),
  };
}

function valueApproval({ spender, value }: ValueApprove, { accountId, payment, moment }: Asking): ValueApproval {
  const fee = bill(payment, ["dappValueApproveCost"], VALUE_APPROVE_PAYMENT, "approval.feeValue");
  return {
    kind: 8,
    ledgerId: fee.ledgerId,
    approver: accountId,
    spender,
    value: units(value, APPROVED_VALUE, "approval.value"),
    ...moment,
    feeValue: fee.value,
    feeRecipient: fee.receiverId,
  };
}

/** What the service has no other code for. */
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
 * What a fetched order's hash is made of. Numbers are accepted as text and amounts as numbers, and claims are left out: other
 * people's claims are no part of the hash.
 */
export function signedPart(record: unknown): object {
  const { wildcardSigner, order } = object(record, "the order");
  const { seed, expiration, signers, actions } = object(order, "`order`");
  if (!Array.isArray(signers) || !Array.isArray(actions)) throw new Error("`order` lacks `signers` or `actions`");
  return {
    priority: 1,
    wildcardSigner: wildcardSigner === true,
    order: {
      seed: whole(seed),
      expiration: whole(expiration),
      signers: signers.map((signer: unknown) => ({ accountId: object(signer, "a signer")["accountId"] })),
      actions: actions.map((entry: unknown) => {
        const action = object(entry, "an action");
        const { kind, value } = action;
        return { ...action, kind: whole(kind), ...(Number.isSafeInteger(value) ? { value: String(value) } : {}) };
      }),
    },
  };
}

function object(value: unknown, name: string): Record<string, unknown> {
  if (typeof value !== "object" || value === null) throw new Error(`${name} is no object`);
  return value as Record<string, unknown>;
}

function whole(value: unknown): unknown {
  return typeof value === "string" && /^\d{1,15}$/.test(value) ? Number(value) : value;
}
