// Issues many certificates, each exactly once, across crashes. docs/batch.md specifies the state; `cert batch` reads and writes the same lines.
import { sleep } from "./abort.js";
import type { AbortSignal } from "./host.js";
import { ApiError, WaitError } from "./errors.js";
import { randomKey } from "./http.js";
import type { CallOptions } from "./http.js";
import { named, notAnOption } from "./named.js";
import { sameAddress } from "./providers.js";
import { RequestStatus } from "./enumerations.js";
import type { Order, OrderRequest } from "./types.js";

/** The version of the state's lines. */
const VERSION = 1;
/** The maximum number of certificates in an order: an order has at most 100 actions, and the last is the payment. */
const MAX_PER_ORDER = 99;
const MAX_PARALLEL = 16;
/** The maximum time to wait for an order that the service has accepted, in milliseconds. */
const PATIENCE = 600_000;
/** The same for an order that a second account has to sign, which it can for two days, and the pause between looks at such an order. */
const REVIEW_PATIENCE = 2 * 24 * 3_600_000 + PATIENCE;
const REVIEW_PAUSE = 3_000;
/** The pause between looks at another order, in milliseconds. */
const PAUSE = 250;

/** The HTTP status of a request whose idempotency key is in use by an earlier request. The service releases the key of a lost request after a minute. */
const KEY_IN_USE = 409;
const KEY_PAUSE = 2_000;
const KEY_LEASE = 70_000;

/** A store for the state of one batch. Only one run at a time may use it. */
export interface BatchStore {
  /** Returns all complete lines. A last line without a line break was cut off by a crash: the store removes it. */
  read(): string | Promise<string>;
  /** Appends lines. Resolves when the lines would survive a crash. */
  append(lines: string): void | Promise<void>;
}

/** The asset of a row. Its id is random, generated once, and stored before it is used. */
export interface BatchAsset {
  ledgerId: string;
  assetId: string;
}

export interface BatchProgress {
  total: number;
  certified: number;
  issued: number;
}

/** Options of `issueMany`. */
export interface BatchOptions<Row> {
  ledgerId: string;
  /** Returns the identity of a row, which no other row has. A row that was issued under this key is not issued again. */
  key: (row: Row) => string;
  /**
   * Certifies a row as this asset, and returns the imprint. The function is called in every run and must return the same imprint each time,
   * so derive keys from a secret. Store the certificate's files before the function resolves, because the certificate may be issued
   * immediately afterwards.
   */
  certify: (row: Row, asset: BatchAsset) => string | Promise<string>;
  store: BatchStore;
  /** Values that must not change between runs, such as the id of the schema. Compared as JSON. Defaults to `{}`. */
  settings?: object | undefined;
  /** The account that gets the certificates. Defaults to the caller. */
  receiverId?: string | undefined;
  /**
   * An account that has to sign each new order too. All orders are then sent before `issueMany` waits for the second signatures. An order that this account declines
   * fails, and its rows go into a new order in the next run.
   */
  reviewerId?: string | undefined;
  /** Called after all orders are sent, with the keys of the rows that wait for the second signature. Not called without `reviewerId`, or if no row waits. */
  onWaiting?: ((keys: string[]) => void) | undefined;
  /** The maximum number of certificates in an order, 1 to 99. Defaults to 99. */
  perOrder?: number | undefined;
  /** The maximum number of orders in flight, 1 to 16. Defaults to 4. */
  parallel?: number | undefined;
  onProgress?: ((progress: BatchProgress) => void) | undefined;
  signal?: AbortSignal | undefined;
}

/** An issued row. */
export interface IssuedRow<Row> extends BatchAsset {
  row: Row;
  key: string;
  /** 64 hexadecimal digits. */
  imprint: string;
}

/** The batch cannot be issued or continued. `reason` has the kind of failure. If it is `rows` or `changed`, the member `rows` has the indexes of the affected rows. */
export class BatchError extends Error {
  override readonly name = "BatchError";

  constructor(
    readonly reason: "rows" | "state" | "changed" | "failed",
    message: string,
    readonly rows: number[] = [],
    options?: ErrorOptions,
  ) {
    super(message, options);
  }
}

type Line =
  | { kind: "batch"; version: number; service: string; account: string; settings: object }
  | { kind: "deposit"; id: string; cents: number }
  | { kind: "deployment"; id: string; body: object }
  | { kind: "ledger"; ledger: string }
  | { kind: "row"; key: string; asset: string }
  | { kind: "order"; id: string; rows: string[]; body: OrderRequest }
  | { kind: "final"; id: string }
  | { kind: "failed"; id: string; message: string };

type Sent = Extract<Line, { kind: "order" }>;

/** The parts of the client that a batch needs. */
export interface BatchHost {
  /** The service's origin, without a slash at the end. */
  service: string;
  account: string;
  /** Returns the signed body of an order that creates these assets. */
  sign(certificates: { assetId: string; imprint: string }[], options: { ledgerId: string; receiverId: string; reviewerId?: string | undefined }, call: CallOptions): Promise<OrderRequest>;
  /** Sends the body. Returns the order, and rejects as `createOrder` does. */
  send(body: OrderRequest, call: CallOptions): Promise<Order>;
  /** Sends the body and waits for the order. Rejects as `createOrder` and `waitForOrder` do. */
  settle(body: OrderRequest, call: CallOptions, wait: { timeout: number; interval: number }): Promise<unknown>;
  /** Returns an asset's imprint, `withdrawn` if the asset was destroyed, or null if it was never issued. */
  fate(ledgerId: string, assetId: string, call: CallOptions): Promise<string | null>;
}

/** The state of a batch, with its store. */
class State {
  batch: Extract<Line, { kind: "batch" }> | undefined;
  ledger: string | undefined;
  readonly assets = new Map<string, string>();
  readonly open = new Map<string, Sent>();
  /** The imprints of the rows in final and open orders, by key. */
  readonly imprints = new Map<string, string>();
  readonly issued = new Set<string>();
  #deployment: string | undefined;
  #appending: Promise<void> = Promise.resolve();

  private constructor(readonly store: BatchStore) {}

  static async of(store: BatchStore): Promise<State> {
    const state = new State(store);
    const text = await store.read();
    if (text !== "" && !text.endsWith("\n")) throw new BatchError("state", "the state's last line is not complete: the store has to remove it");
    for (const [index, line] of text.split("\n").slice(0, -1).entries()) {
      try {
        state.#apply(JSON.parse(line) as Line);
      } catch (error) {
        throw new BatchError("state", `line ${index + 1} of the state: ${error instanceof Error ? error.message : String(error)}`);
      }
    }
    return state;
  }

  /** Appends lines, one call after another. The state includes a line only after the store has stored the line. */
  append(...lines: Line[]): Promise<void> {
    const append = async () => {
      await this.store.append(lines.map((line) => `${JSON.stringify(line)}\n`).join(""));
      for (const line of lines) this.#apply(line);
    };
    const appended = this.#appending.then(append);
    // A failed write ends the batch, because no line may follow a gap.
    this.#appending = appended;
    appended.catch(() => {});
    return appended;
  }

  #apply(line: Line): void {
    if ((this.batch === undefined) !== (line.kind === "batch")) throw new Error("the first line, and only the first, has to be of the kind `batch`");
    switch (line.kind) {
      case "batch":
        if (line.version !== VERSION) throw new Error(`the version is ${line.version}, and this client knows version ${VERSION}`);
        this.batch = line;
        return;
      case "deposit":
        return;
      case "deployment":
        this.#deployment = line.id;
        return;
      case "ledger":
        if (this.ledger !== undefined) throw new Error("the ledger is named twice");
        this.ledger = line.ledger;
        return;
      case "row":
        if (this.assets.has(line.key)) throw new Error("a row has two asset ids");
        this.assets.set(line.key, line.asset);
        return;
      case "order":
        if (line.rows.some((key) => !this.assets.has(key))) throw new Error("an order has a row without an asset id");
        this.open.set(line.id, line);
        for (const [index, key] of line.rows.entries()) this.imprints.set(key, String(line.body.order.actions[index]?.assetImprint));
        return;
      case "final":
        for (const key of this.#end(line.id)) this.issued.add(key);
        return;
      case "failed":
        if (line.id === this.#deployment) this.#deployment = undefined;
        else for (const key of this.#end(line.id)) this.imprints.delete(key);
        return;
      default:
        throw new Error(`there is no kind \`${(line as { kind: unknown }).kind}\``);
    }
  }

  #end(id: string): string[] {
    const sent = this.open.get(id);
    if (!sent) throw new Error(`no open order has the id \`${id}\``);
    this.open.delete(id);
    return sent.rows;
  }
}

const OPTIONS = ["ledgerId", "key", "certify", "store", "settings", "receiverId", "reviewerId", "onWaiting", "perOrder", "parallel", "onProgress", "signal"];

function checked<Row>(given: BatchOptions<Row>) {
  const options = named(given, OPTIONS) as unknown as BatchOptions<Row>;
  const { perOrder = MAX_PER_ORDER, parallel = 4, settings = {}, store } = options;
  const within = (name: string, value: number, most: number) => {
    if (!(Number.isInteger(value) && value >= 1 && value <= most)) throw notAnOption(`\`${name}\` must be a whole number from 1 to ${most}`);
  };
  within("perOrder", perOrder, MAX_PER_ORDER);
  within("parallel", parallel, MAX_PARALLEL);
  for (const name of ["key", "certify"] as const) if (typeof options[name] !== "function") throw notAnOption(`\`${name}\` must be a function`);
  if (typeof store?.read !== "function" || typeof store.append !== "function") throw notAnOption("`store` must have the functions `read` and `append`");
  if (typeof options.ledgerId !== "string" || !/^0x[0-9a-f]{40}$/i.test(options.ledgerId)) throw notAnOption("`ledgerId` must be the address of a ledger");
  return { ...options, perOrder, parallel, settings };
}

/** Issues the rows that are not issued yet. Returns all rows with their assets. */
export async function issueMany<Row>(host: BatchHost, rows: Iterable<Row>, given: BatchOptions<Row>): Promise<IssuedRow<Row>[]> {
  const options = checked(given);
  const { ledgerId, reviewerId, signal } = options;
  const receiverId = options.receiverId ?? host.account;
  const list = [...rows];
  const keys = keysOf(list, options.key);
  const state = await State.of(options.store);
  await begin(state, host, options);

  const drawn = keys.filter((key) => !state.assets.has(key)).map((key): Line => ({ kind: "row", key, asset: BigInt(`0x${randomKey()}`).toString() }));
  if (drawn.length > 0) await state.append(...drawn);

  let certified = 0;
  const progress = () => options.onProgress?.({ total: list.length, certified, issued: keys.filter((key) => state.issued.has(key)).length });
  const made: IssuedRow<Row>[] = [];
  for (const [index, row] of list.entries()) {
    signal?.throwIfAborted();
    const key = keys[index] as string;
    const assetId = state.assets.get(key) as string;
    const imprint = imprintOf(await options.certify(row, { ledgerId, assetId }), index);
    made.push({ row, key, ledgerId, assetId, imprint });
    certified += 1;
    if (certified % options.perOrder === 0) progress();
  }
  progress();
  const changed = made.flatMap(({ key, imprint }, index) => (state.imprints.has(key) && state.imprints.get(key) !== imprint ? [index] : []));
  if (changed.length > 0) {
    throw new BatchError("changed", "these rows were issued with other content, or with another secret: restore them, or give the new content another key", changed);
  }

  // Rows of open orders wait for these orders to be settled.
  const waiting = made.filter(({ key }) => !state.imprints.has(key));
  const queue: (() => Promise<Sent>)[] = [...state.open.values()].map((sent) => async () => sent);
  for (let start = 0; start < waiting.length; start += options.perOrder) {
    const certificates = waiting.slice(start, start + options.perOrder);
    queue.push(async () => {
      const body = await host.sign(certificates, { ledgerId, receiverId, reviewerId }, { signal });
      const sent: Sent = { kind: "order", id: randomKey(), rows: certificates.map(({ key }) => key), body };
      // The order is stored before it is sent. Otherwise a crash after sending could lose the order, and its rows would be issued twice.
      await state.append(sent);
      return sent;
    });
  }
  if (reviewerId !== undefined) await offer(host, state, queue, keys, options);
  let failure: unknown;
  const work = async () => {
    for (let next = queue.shift(); next && failure === undefined; next = queue.shift()) {
      try {
        signal?.throwIfAborted();
        await settle(host, state, await next(), { ledgerId, isReviewed: reviewerId !== undefined, signal });
        progress();
      } catch (error) {
        failure ??= error;
      }
    }
  };
  await Promise.all(Array.from({ length: options.parallel }, work));
  if (failure !== undefined) throw failure;
  return made;
}

/** Sends all orders of the queue to a second account, which signs them in any order, and replaces the queue by the orders that were sent. */
async function offer<Row>(host: BatchHost, state: State, queue: (() => Promise<Sent>)[], keys: string[], { ledgerId, onWaiting, signal }: BatchOptions<Row>): Promise<void> {
  const orders: Sent[] = [];
  for (const next of queue.splice(0)) {
    signal?.throwIfAborted();
    const order = await next();
    await stored(host, state, order, { ledgerId, signal }, async () => {
      const { ref, status } = await repeated((call) => host.send(order.body, call), { signal, idempotencyKey: order.id });
      if (status === RequestStatus.INITIALIZED && Number(order.body.order.expiration) <= Date.now()) throw new WaitError("failed", `\`${ref}\` was not signed in time`, null);
      return status === RequestStatus.FINALIZED;
    });
    orders.push(order);
  }
  queue.push(...orders.filter(({ id }) => state.open.has(id)).map((order) => async () => order));
  const waiting = keys.filter((key) => !state.issued.has(key));
  if (waiting.length > 0) onWaiting?.(waiting);
}

interface Settling {
  ledgerId: string;
  /** Whether a second account has to sign. */
  isReviewed?: boolean;
  signal: AbortSignal | undefined;
}

/** Sends an order, which may have been sent before, waits for it, and stores its outcome. */
function settle(host: BatchHost, state: State, order: Sent, settling: Settling): Promise<void> {
  const wait = settling.isReviewed ? { timeout: REVIEW_PATIENCE, interval: REVIEW_PAUSE } : { timeout: PATIENCE, interval: PAUSE };
  return stored(host, state, order, settling, async () => {
    await repeated((call) => host.settle(order.body, call, wait), { signal: settling.signal, idempotencyKey: order.id });
    return true;
  });
}

/** Runs a step of an order, which resolves to true if the order is final, and stores the outcome. */
async function stored(host: BatchHost, state: State, { id, rows, body }: Sent, { ledgerId, signal }: Settling, act: () => Promise<boolean>): Promise<void> {
  const fail = async (message: string, cause: unknown) => {
    await state.append({ kind: "failed", id, message });
    throw new BatchError("failed", `an order of ${rows.length} rows failed: ${message}`, [], { cause });
  };
  try {
    if (!(await act())) return;
  } catch (error) {
    if (error instanceof WaitError && error.reason !== "timeout") return fail(error.message, error);
    // The service refuses the order now, but may have accepted an earlier attempt.
    if (!(error instanceof ApiError) || ![400, 404, 422].includes(error.status)) throw error;
    const { assetId, assetImprint } = body.order.actions[0] as { assetId: string; assetImprint: string };
    const fate = await host.fate(ledgerId, assetId, { signal });
    if (fate === null) return fail(error.message, error);
    if (fate !== "withdrawn" && fate !== assetImprint) return fail(`the asset ${assetId} exists with another imprint`, error);
  }
  await state.append({ kind: "final", id });
}

/**
 * Runs a call that sends an order. A killed run may have left the same request in progress. The service releases the idempotency key of
 * such a request after at most a minute. Until then, the function repeats the call.
 */
async function repeated<Result>(act: (call: CallOptions) => Promise<Result>, call: CallOptions): Promise<Result> {
  for (let attempt = 0; ; attempt += 1) {
    try {
      return await act(call);
    } catch (error) {
      if (!(error instanceof ApiError && error.status === KEY_IN_USE) || attempt * KEY_PAUSE > KEY_LEASE) throw error;
      await sleep(KEY_PAUSE, call.signal);
    }
  }
}

/** Writes the first lines of a new batch. For an existing batch, throws if its first lines differ. */
async function begin(state: State, { service, account }: BatchHost, { ledgerId, settings }: { ledgerId: string; settings: object }): Promise<void> {
  const differs = (what: string, known: string, now: string) => new BatchError("state", `the state is of a batch with another ${what}, ${known} instead of ${now}: use another store`);
  const { batch, ledger } = state;
  if (batch === undefined) await state.append({ kind: "batch", version: VERSION, service, account, settings });
  else {
    if (batch.service !== service) throw differs("service", batch.service, service);
    if (!sameAddress(batch.account, account)) throw differs("account", batch.account, account);
    if (ordered(batch.settings) !== ordered(settings)) throw differs("value of `settings`", ordered(batch.settings), ordered(settings));
  }
  if (ledger === undefined) await state.append({ kind: "ledger", ledger: ledgerId });
  else if (!sameAddress(ledger, ledgerId)) throw differs("ledger", ledger, ledgerId);
}

/** Returns JSON with sorted keys, so that equal settings give equal strings. */
function ordered(value: unknown): string {
  const sorted = (_: string, value: unknown) =>
    typeof value === "object" && value !== null && !Array.isArray(value) ? Object.fromEntries(Object.entries(value).sort(([one], [other]) => (one < other ? -1 : 1))) : value;
  return JSON.stringify(value, sorted);
}

/** Returns the rows' keys. Throws if a key is empty, repeated or not a string. */
function keysOf<Row>(rows: Row[], key: (row: Row) => string): string[] {
  const keys = rows.map(key);
  const seen = new Set<string>();
  const wrong = keys.flatMap((key, index) => {
    const fits = typeof key === "string" && key !== "" && !seen.has(key);
    seen.add(key);
    return fits ? [] : [index];
  });
  if (wrong.length > 0) throw new BatchError("rows", "the keys of these rows are empty, not text, or equal to keys of earlier rows", wrong);
  return keys;
}

/** Returns an imprint as ledgers store it, without its prefix. Throws if it is not an imprint. */
function imprintOf(imprint: unknown, index: number): string {
  const digits = typeof imprint === "string" ? imprint.replace(/^(aih2:|0x)/, "") : "";
  if (!/^[0-9a-f]{64}$/.test(digits)) throw new BatchError("rows", "`certify` returned no imprint", [index]);
  return digits;
}
