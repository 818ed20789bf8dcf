// The caller's session: authorization, and the signing of requests.
import { unless } from "./abort.js";
import { checksummed, ready, signerOf } from "./claims.js";
import type { GatewayConfig } from "./claims.js";
import { ClientError, ClientErrorCode } from "./errors.js";
import { Transport } from "./http.js";
import type { Call, CallOptions } from "./http.js";
import type { PageOptions } from "./inputs.js";
import { query } from "./lists.js";
import { callOptions, clientOptions, createOptions, signInOptions } from "./options.js";
import type { ClientOptions, CreateOptions, SignInOptions } from "./options.js";
import { paying } from "./payments.js";
import type { Bill } from "./payments.js";
import { SignMethod, hex, sameAddress, toHex } from "./providers.js";
import type { Provider } from "./providers.js";
import { moment } from "./requests.js";
import type { Asking } from "./requests.js";
import { signInMessage } from "./sign-in.js";
import type { Account, Challenge, Session as EndedSession, Envelope, NewSession, PageMeta, Payment, SignInRequest } from "./types.js";

/** The results of `init`. */
interface Known {
  account: Account;
  payment: Payment;
  gateways: GatewayConfig;
}

/** The last seed of each provider. Two equal requests with the same seed have the same hash and count as one. */
const lastSeeds = new WeakMap<Provider, number>();

/** A provider's session with a service. */
export class Session {
  readonly transport: Transport;
  readonly #options: ReturnType<typeof clientOptions>;
  #known: Known | undefined;
  /** True after `signIn`, until `signOut`. */
  #signedIn = false;

  constructor(options: ClientOptions | undefined) {
    this.#options = clientOptions(options);
    this.transport = new Transport(this.#options.transport);
  }

  /** Signs the Authorization header, unless the client has a session or a key, and reads the account. */
  async open(given?: CallOptions): Promise<void> {
    const call = callOptions(given);
    await this.#opening(call, () => this.#introduced(call));
  }

  /** Signs in, and reads the account. */
  async signIn(given?: SignInOptions): Promise<Envelope<NewSession>> {
    const { cookie, options } = signInOptions(given);
    return this.#opening(options, async () => {
      const session = await this.#startSession(cookie, options);
      return { ...(await this.#introduced(options)), session };
    }).then(({ session }) => session);
  }

  /** Ends the session of this client, which then has to sign in again. */
  async signOut(call?: CallOptions): Promise<Envelope<EndedSession>> {
    const ended = await this.send<EndedSession, object>({ method: "DELETE", path: "/sessions/current" }, call);
    this.#known = undefined;
    this.#signedIn = false;
    this.transport.authorization = undefined;
    return ended;
  }

  /** Stores the results of `open`. If `open` fails, discards the results of earlier calls. */
  async #opening<Opened extends Known>(call: CallOptions, open: () => Promise<Opened>): Promise<Opened> {
    try {
      const opened = await open();
      this.#known = opened;
      return opened;
    } catch (error) {
      this.#known = undefined;
      call.signal?.throwIfAborted();
      throw error instanceof ClientError ? error : ClientError.because(ClientErrorCode.INITIALIZATION_FAILED, error);
    }
  }

  /** Signs a message that this client writes itself, with a nonce of the service, and exchanges the signature for a session. */
  async #startSession(cookie: boolean, call: CallOptions): Promise<Envelope<NewSession>> {
    const { provider } = this;
    await ready();
    const { data } = await this.transport.send<Challenge>({ method: "GET", path: "/sessions/challenge", open: true }, call);
    const message = signInMessage(this.transport.url({ path: "" }), checksummed(provider.accountId), data);
    const signature = await this.signedText(message, call);
    // A message can sign in only once, so it is not sent again after a lost answer.
    const body = { message, signature, cookie } satisfies SignInRequest;
    const session = await this.transport.send<NewSession>({ method: "POST", path: "/sessions", body, open: true, repeatable: false }, call);
    const { token } = session.data;
    if (!cookie && typeof token !== "string") throw new Error("the service gave no token");
    this.transport.authorization = cookie ? undefined : `Bearer ${token}`;
    this.#signedIn = true;
    return session;
  }

  /** Returns the signer. */
  get provider(): Provider {
    const { provider } = this.#options;
    if (!provider) throw new ClientError(ClientErrorCode.NO_PROVIDER);
    return provider;
  }

  async #introduced(call: CallOptions): Promise<Known> {
    const { pinned, provider, token, cookie } = this.#options;
    const bySignature = !this.#signedIn && token === undefined && !cookie;
    if (bySignature) {
      await ready();
      this.transport.authorization = await this.signed(await this.#authorizationMessage(), call);
    } else if (!this.#signedIn && token !== undefined) this.transport.authorization = `Bearer ${token}`;
    // A session needs no signature, so the WebAssembly and the account are loaded at the same time.
    const [{ data: account }] = await Promise.all([this.transport.send<Account>({ method: "GET", path: "/account" }, call), ready()]);
    const payment = paying(account);
    // Recovery always yields an account. A signature of a different text yields an unrelated account.
    if (provider && !sameAddress(account.id, provider.accountId)) {
      if (!bySignature) throw new Error(`the session or key belongs to the account \`${account.id}\`, and the provider to \`${provider.accountId}\``);
      if (await this.#expectsThisText(call)) throw new ClientError(ClientErrorCode.SMART_ACCOUNT);
      throw new Error(`the service recovers \`${account.id}\` instead of \`${provider.accountId}\`, because it expects a signature of another text: set \`serviceName\``);
    }
    const gateways = pinned ?? provider?.gatewayConfig ?? account.gateway;
    if (typeof gateways?.actionsOrderId !== "string" || typeof gateways.assetLedgerDeployOrderId !== "string") {
      throw new ClientError(ClientErrorCode.NO_GATEWAYS);
    }
    return { account, payment, gateways };
  }

  /** Returns true if the service expects a signature of the text that this client signs. If such a service recovers another account, another key made the signature. */
  async #expectsThisText(call: CallOptions): Promise<boolean> {
    try {
      const { data } = await this.transport.send<{ authorizationText?: unknown }>({ method: "GET", path: "/health", open: true }, call);
      return data.authorizationText === this.#options.authorizationText;
    } catch {
      call.signal?.throwIfAborted();
      return false;
    }
  }

  /** Returns the results of `init`. Throws if `init` was not called. */
  known(): Known {
    if (!this.#known) throw new ClientError(this.#hasAccount ? ClientErrorCode.NOT_CONNECTED : ClientErrorCode.NO_PROVIDER);
    return this.#known;
  }

  async get<Data, Info>(path: string, call?: CallOptions): Promise<Envelope<Data, Info>> {
    return this.send({ method: "GET", path }, call);
  }

  /** Fetches a page of a list. `own` are the names of the list's own parameters. */
  async list<Item, Options extends PageOptions>(
    path: string,
    options: Options | undefined,
    own: readonly (keyof Options & string)[],
    call: CallOptions | undefined,
    how: Pick<Call, "open"> = {},
  ): Promise<Envelope<Item[], PageMeta>> {
    this.#allow(how);
    return this.send({ method: "GET", path, query: query(options, own), ...how }, call);
  }

  async send<Data, Info>(request: Call, call?: CallOptions): Promise<Envelope<Data, Info>> {
    this.#allow(request);
    return this.transport.send(request, callOptions(call));
  }

  /** Throws if `init` has to be called first. A client that has neither a provider nor a token nor a cookie can call public routes without `init`. */
  #allow({ open }: Pick<Call, "open">): void {
    if (!open || this.#hasAccount) this.known();
  }

  /** True if the client can have an account. Then `init` must come before other functions. */
  get #hasAccount(): boolean {
    const { provider, token, cookie } = this.#options;
    return provider !== undefined || token !== undefined || cookie;
  }

  /** True if the caller has pinned the gateways, because the caller does not trust the service to choose the signed content. */
  get pinned(): boolean {
    return this.#options.pinned !== undefined;
  }

  /** Returns the context for a request of this account, and the options of its call. */
  asking(call: CreateOptions | undefined): Asking & Known & { options: CallOptions } {
    const known = this.known();
    const { at, options } = createOptions(call);
    const { bounds } = this.#options;
    return { ...known, options, bounds, accountId: this.provider.accountId, moment: at === undefined ? moment(Date.now(), this.#seed()) : moment(Number(at)) };
  }

  /** Returns the current time. If the last seed of this provider is not earlier, returns the last seed plus one. */
  #seed(): number {
    const { provider } = this;
    const seed = Math.max(Date.now(), (lastSeeds.get(provider) ?? 0) + 1);
    lastSeeds.set(provider, seed);
    return seed;
  }

  /** Returns the message that the Authorization header signs. */
  async #authorizationMessage(): Promise<string> {
    const { authorizationText, authorizationEthSign } = this.#options;
    if (this.provider.signMethod === SignMethod.PERSONAL_SIGN) return authorizationText;
    // eth_sign takes bytes.
    if (authorizationEthSign === "text") return toHex(authorizationText);
    return hex(new Uint8Array(await crypto.subtle.digest("SHA-256", new TextEncoder().encode(authorizationText))));
  }

  /** Signs a request's hash after its payment is confirmed. Returns the claim. */
  async claim(hash: string, bill: Bill, call: CallOptions): Promise<string> {
    const { confirmPayment } = this.#options;
    // A payment of zero needs no confirmation.
    if (confirmPayment && BigInt(bill.value) > 0n) await confirmed(() => confirmPayment(bill), call);
    return this.signed(hash, call);
  }

  /** Signs a text by `personal_sign`. Returns `0x` and 130 hexadecimal digits. */
  async signedText(text: string, call: CallOptions): Promise<string> {
    const claim = await this.signed(this.provider.signMethod === SignMethod.ETH_SIGN ? toHex(text) : text, call);
    return claim.slice(claim.indexOf(":") + 1);
  }

  /** Signs lines that name the service. The account's address is written with its checksum. */
  async signedLines(title: string, lines: (account: string) => string[], call: CallOptions): Promise<string> {
    const account = checksummed(this.provider.accountId);
    return this.signedText(this.#linesOf(title, lines(account)), call);
  }

  /** Returns true if an account signed lines that name the service. The service's answer may be anything, so lines that cannot be written are not signed. */
  isSignedBy(account: string, title: string, lines: () => string[], signature: string): boolean {
    try {
      return sameAddress(signerOf(this.#linesOf(title, lines()), signature), account);
    } catch {
      return false;
    }
  }

  #linesOf(title: string, lines: string[]): string {
    return [`${this.#options.serviceName}: ${title}`, ...lines].join("\n");
  }

  /** Asks the provider to sign a message. Returns `{type}:{signature}`. */
  async signed(message: string, { signal }: CallOptions = {}): Promise<string> {
    const { provider } = this;
    if (provider.signMethod !== SignMethod.ETH_SIGN && provider.signMethod !== SignMethod.PERSONAL_SIGN) {
      throw new Error(`the service accepts no signatures of type ${provider.signMethod}: use 0 (ETH_SIGN) or 3 (PERSONAL_SIGN)`);
    }
    signal?.throwIfAborted();
    const signature = await unless(signal, (async () => provider.sign(message))());
    // Smart accounts (ERC-1271, ERC-6492) return longer signatures, which only their own contracts can verify.
    if (typeof signature === "string" && /^0x[0-9a-fA-F]{131,}$/.test(signature)) throw new ClientError(ClientErrorCode.SMART_ACCOUNT);
    if (typeof signature !== "string" || !/^0x[0-9a-fA-F]{130}$/.test(signature)) throw new Error("the provider returned no 65-byte signature in the form `0x` and hex");
    return `${provider.signMethod}:${signature}`;
  }
}

/** Calls `ask`. Rejects with `ClientError` 7000010 unless the result is true. */
export async function confirmed(ask: () => boolean | Promise<boolean>, { signal }: CallOptions): Promise<void> {
  signal?.throwIfAborted();
  if ((await unless(signal, (async () => ask())())) !== true) throw new ClientError(ClientErrorCode.NOT_CONFIRMED);
}
