// Requests as the service takes them, from what the functions are given. The order of keys is the original client's.
import { toUnits } from "./amounts.js";
import type { TokenAmount } from "./amounts.js";
import { ClientError, ClientErrorCode, InvalidRequestError } from "./errors.js";
import type { ClientAction, ClientApproval, ClientDeployment, ClientOrder } from "./inputs.js";
import { sameAddress } from "./providers.js";
import { ActionKind } from "./enumerations.js";
import type { Priority } from "./enumerations.js";
import type { Account, ActionInput, ApprovalRequest, AssetApproval, Claim, DeploymentRequest, OrderRequest, Payment, ValueApproval } from "./types.js";

/** A request whose claim is still to come. */
type Unsigned<Request> = Omit<Request, "claim"> & { claim: Claim | undefined };

/** How long a request is valid: two days, in milliseconds. */
const VALIDITY = 172_800_000;

/** What the account's answer says about paying; nothing can be ordered without it. */
export interface Paying extends Payment {
  readonly accountId: string;
}

const COST_OF_KIND: Record<number, keyof Payment> = {
  [ActionKind.CREATE_ASSET]: "assetCreateCost",
  [ActionKind.TRANSFER_ASSET]: "assetTransferCost",
  [ActionKind.TRANSFER_VALUE]: "valueTransferCost",
  [ActionKind.UPDATE_ASSET_IMPRINT]: "assetUpdateCost",
  [ActionKind.SET_ABILITIES]: "setAbilitiesCost",
  [ActionKind.DESTROY_ASSET]: "assetDestroyCost",
};
const COSTS: (keyof Payment)[] = [...Object.values(COST_OF_KIND), "assetDeployCost", "assetApproveCost", "dappValueApproveCost"];

/** Codes of values (interface specification, "Error codes"). */
const ACTION_VALUE = 422070;
const APPROVED_VALUE = 422151;

/** The payment data of an account's answer, if it is whole. */
export function paying(account: Partial<Account> | null | undefined): Payment {
  const payment = account?.payment;
  if (typeof account?.id !== "string" || typeof payment !== "object" || payment === null) {
    throw new Error("the account's answer lacks `id` or `payment`");
  }
  const isText = (name: keyof Payment) => typeof payment[name] === "string" && payment[name] !== "";
  // A number is what an older service may answer.
  const isCost = (name: keyof Payment) => /^\d{1,78}$/.test(String(payment[name] as unknown));
  const wrong = [...(["tokenAddress", "receiverAddress"] as const).filter((name) => !isText(name)), ...COSTS.filter((name) => !isCost(name))];
  if (wrong.length > 0) throw new Error(`the account's answer lacks ${wrong.map((name) => `\`payment.${name}\``).join(", ")}`);
  return payment;
}

/** When a request is made, and until when it is valid. `seed` makes its hash its own. */
export function moment(seed: number): { seed: number; expiration: number } {
  return { seed, expiration: Date.now() + VALIDITY };
}

/** The body of POST /orders without the caller's claim. */
export function orderRequest(order: ClientOrder, priority: Priority, payment: Payment, seed: number): OrderRequest {
  if (!Array.isArray(order.actions) || order.actions.length === 0) throw new ClientError(ClientErrorCode.NO_ACTIONS);
  const signersIds = order.signersIds ?? [];
  const { payerId } = order;
  if (!payerId) {
    if (!order.wildcardSigner) throw new ClientError(ClientErrorCode.PAYER_NOT_SPECIFIED);
  } else if (!signersIds.some((signer) => sameAddress(signer, payerId))) {
    throw new ClientError(ClientErrorCode.PAYER_NOT_SIGNER);
  }
  const { expiration } = moment(seed);
  const paid = order.actions.reduce((sum, { kind }) => {
    const name = COST_OF_KIND[kind];
    return name ? sum + BigInt(payment[name]) : sum;
  }, 0n);
  const actions = order.actions.map(action);
  actions.push({
    kind: ActionKind.TRANSFER_VALUE,
    ...(payerId ? { senderId: payerId } : {}),
    receiverId: payment.receiverAddress,
    value: String(paid),
    ledgerId: payment.tokenAddress,
  });
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
export function deploymentRequest(ledger: ClientDeployment, priority: Priority, { accountId, ...payment }: Paying, seed: number): Unsigned<DeploymentRequest> {
  const { name, symbol, uriPrefix, uriPostfix, schemaId, capabilities, ownerId } = ledger;
  return {
    priority,
    claim: undefined,
    deploy: {
      makerId: accountId,
      ...moment(seed),
      tokenTransferData: { ledgerId: payment.tokenAddress, receiverId: payment.receiverAddress, value: String(payment.assetDeployCost) },
      assetLedgerData: { name, symbol, uriPrefix, uriPostfix, schemaId, capabilities, ownerId },
    },
  };
}

/** The body of POST /approvals without the claim. */
export function approvalRequest(approval: ClientApproval, priority: Priority, { accountId, ...payment }: Paying, seed: number): Unsigned<ApprovalRequest> {
  return { priority, claim: undefined, approval: "spender" in approval ? valueApproval() : assetApproval(approval) };

  function assetApproval({ ledgerId, receiverId, approve }: Exclude<ClientApproval, { spender: string }>): AssetApproval {
    return {
      kind: 7,
      ledgerId,
      owner: accountId,
      operator: receiverId,
      isOperator: approve,
      ...moment(seed),
      tokenTransferData: { ledgerId: payment.tokenAddress, receiverId: payment.receiverAddress, value: String(payment.assetApproveCost) },
    };
  }

  function valueApproval(): ValueApproval {
    const { spender, value } = approval as Extract<ClientApproval, { spender: string }>;
    return {
      kind: 8,
      ledgerId: payment.tokenAddress,
      approver: accountId,
      spender,
      value: units(value, APPROVED_VALUE, "approval.value"),
      ...moment(seed),
      feeValue: String(payment.dappValueApproveCost),
      feeRecipient: payment.receiverAddress,
    };
  }
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
