// The account that signs: a wallet that announces itself, or a key in the memory of this page. Does not use the DOM.
import { ApiError, Client, ClientError, ConnectionError, Eip1193Provider, PrivateKeyProvider, WaitError } from '/client/index.js';
import type { Eip1193, Provider } from '/client/index.js';
import { randomHex } from '../../pkg/view/src/issue.ts';
import { Refusal, isCertError, own, visible } from '../../pkg/view/src/json.ts';
import { amountsOf } from './amounts.ts';
import { FeeError } from './fee-error.ts';
import { serviceOf } from './service.ts';

/** The maximum number of wallets, because browser extensions can announce any number. */
const MAX_WALLETS = 10;
/** The maximum length of a wallet's name, and of a message of a wallet or the service, in characters. */
const MAX_NAME = 40;
const MAX_MESSAGE = 300;

/** An account that signs. `keyFile` is the file to save, or null for a wallet. */
export interface Signer {
  provider: Provider;
  account: string;
  keyFile: { name: string; text: string } | null;
}

/** A wallet. The name is null if it did not announce itself. */
export interface Wallet {
  id: string;
  name: string | null;
  connect(): Promise<Signer>;
}

/**
 * Calls `changed` with the wallets: now, and whenever one announces itself (EIP-6963). If no wallet announces itself, the list has one wallet without a name: `window.ethereum`, which may be missing.
 */
export function watchWallets(changed: (wallets: Wallet[]) => void) {
  const found = new Map<string, Wallet>();
  const report = () => {
    const page: Wallet = { id: 'page', name: null, connect: () => signerOf(window.ethereum) };
    changed(found.size > 0 ? [...found.values()] : [page]);
  };
  addEventListener('eip6963:announceProvider', ({ detail }) => {
    const [given, id, provider] = [own(own(detail, 'info'), 'name'), own(own(detail, 'info'), 'uuid'), own(detail, 'provider')];
    const name = typeof given === 'string' ? visible(given.trim().slice(0, MAX_NAME)) : '';
    if (name !== '' && typeof id === 'string' && (found.has(id) || found.size < MAX_WALLETS)) {
      found.set(id, { id, name, connect: () => signerOf(provider) });
      report();
    }
  });
  report();
  dispatchEvent(new Event('eip6963:requestProvider'));
}

/** Returns true for an object with the function of wallets (EIP-1193). It may be a class with methods, so inherited members count. */
const isWallet = (value: unknown): value is Eip1193 => typeof value === 'object' && value !== null && 'request' in value && typeof value.request === 'function';

/** Requests the account of a wallet. */
async function signerOf(wallet: unknown): Promise<Signer> {
  if (!isWallet(wallet)) {
    throw new Refusal('there is no wallet in this browser', 'signer.noWallet');
  }
  const provider = await Eip1193Provider.connect(wallet);
  return { provider, account: provider.accountId, keyFile: null };
}

/** Returns a signer with a new key. `keyFile` is `{ name, text }`, the file to save. */
export const drawKey = () => openKey(randomHex(32));

/** Returns the signer of a key file: 64 hexadecimal digits, as the command-line tool `cert` writes and reads them. */
export async function openKey(text: string): Promise<Signer> {
  const digits = text.trim().replace(/^0x/i, '').toLowerCase();
  if (!/^[0-9a-f]{64}$/.test(digits)) {
    throw Refusal.of('signer.keyFile');
  }
  const provider = await PrivateKeyProvider.from(digits);
  return { provider, account: provider.accountId, keyFile: { name: `${provider.accountId.slice(0, 10)}.key.txt`, text: `${digits}\n` } };
}

/** Statuses with which the service cannot start a session now: an earlier release, a used-up quota, a pause. */
const NO_SESSION = [404, 429, 503];

/**
 * Returns a client of this service for a signer, and a function that ends its session: `{ client, end }`. The client signs in with Ethereum
 * (EIP-4361). If the service cannot start a session now, the client signs the service's own text instead. If `stays` is true, a cookie keeps the
 * session when the user leaves the page.
 */
export async function clientOf({ provider }: Pick<Signer, 'provider'>, { stays = false } = {}): Promise<{ client: Client; end: () => void }> {
  const { name, authorizationText } = await serviceOf();
  const client = new Client({ provider, apiUrl: location.origin, serviceName: name, authorizationText });
  try {
    const { data } = await client.signIn({ cookie: stays });
    return { client, end: stays ? () => endNow(client) : endWithPage(data.token) };
  } catch (error) {
    if (!(error instanceof ClientError && error.original instanceof ApiError && NO_SESSION.includes(error.original.status))) {
      throw error;
    }
    await client.init();
    return { client, end: () => {} };
  }
}

/** Ends the session of a client. A session that cannot be ended expires. */
export const endNow = (client: Client) => {
  client.signOut().catch(() => {});
};

/** Ends a session when the user leaves the page. Returns a function that ends the session earlier. A session that cannot be ended expires. */
function endWithPage(token: string | null) {
  const headers = { authorization: `Bearer ${token}` };
  const end = () => fetch('/sessions/current', { method: 'DELETE', keepalive: true, headers }).catch(() => {});
  // A persisted page may be shown again.
  const leave = ({ persisted }: PageTransitionEvent) => persisted || end();
  addEventListener('pagehide', leave);
  return () => {
    removeEventListener('pagehide', leave);
    end();
  };
}

/** What unlocks signers whose key this page has to ask for. */
const locked = new WeakMap<Provider, () => Promise<unknown>>();

/** Notes a signer that asks for the key at its first signature. `ask` asks at once. */
export const noteLocked = (provider: Provider, ask: () => Promise<unknown>): unknown => locked.set(provider, ask);

/** Asks for the key of a client's signer now, if its first signature would ask for it. Refuses if the person has no key at hand. */
export async function unlock({ provider }: Pick<Client, 'provider'>): Promise<void> {
  await locked.get(provider)?.();
}

/** The code with which wallets say that their owner declined (EIP-1193). */
const DECLINED = 4001;

/** The sentences about some of the service's codes. */
const SENTENCES: Partial<Record<number, string>> = {
  422075: 'signer.balance',
  422079: 'signer.balance',
  403003: 'signer.ability',
  422071: 'signer.ability',
  422076: 'signer.approval',
  422080: 'signer.approval',
  422077: 'signer.mayReplace',
  422082: 'signer.notOwner',
  422930: 'signer.domain',
  429000: 'signer.busy',
  429001: 'signer.busy',
};
/** Returns the key of the sentence about a code of the service. Returns undefined if only the service's own English sentence is known. */
export const sentenceKey = (code: number): string | undefined => SENTENCES[code];

/** The code of a refused deployment. The path of the error shows the reason. */
const NOT_DEPLOYED = 400007;
/** The code while the operator has paused changes. The message is the operator's. */
const PAUSED = 503000;
/** The code for a session that has ended. */
const SESSION_OVER = 401001;
/** The event of the window after the service said that the session has ended. */
export const SESSION_ENDED = 'assay.session-ended';

/** Returns a refusal for an error of the client, a wallet or the network. For a defect of the page, returns a general refusal. */
export function explained(error: unknown): Error {
  const cause = error instanceof ClientError ? (error.original ?? error) : error;
  if (cause instanceof Refusal || isCertError(cause)) {
    return cause;
  }
  if (cause instanceof FeeError) {
    return Refusal.of('signer.firstFee', amountsOf(cause.amounts).shown);
  }
  if (Object(cause).code === DECLINED) {
    return Refusal.of('signer.declined');
  }
  if (cause instanceof ApiError) {
    return refusalOf(cause);
  }
  if (cause instanceof WaitError) {
    return Refusal.of(cause.reason === 'timeout' ? 'signer.slow' : 'signer.failed');
  }
  if (cause instanceof ConnectionError || isNetwork(cause)) {
    return Refusal.of('signer.connection');
  }
  const message = messageOf(cause);
  if (message !== '') {
    return Refusal.of('signer.wallet', { message });
  }
  console.error(error);
  return Refusal.of('signer.broken');
}

/** Returns true if `fetch` failed. Browsers then throw a TypeError. */
const isNetwork = (error: unknown) => error instanceof TypeError && /fetch|network|load failed/i.test(error.message);

/** Returns the message of a wallet's error: wallets reject with objects that have a code. */
function messageOf(error: unknown) {
  const { code, message }: { code?: unknown; message?: unknown } = Object(error);
  return code !== undefined && typeof message === 'string' ? brief(message) : '';
}

function refusalOf({ errors, status }: ApiError) {
  const [first] = errors;
  if (first?.code === NOT_DEPLOYED && first.path === 'deploy.makerId') {
    return Refusal.of('signer.deployer');
  }
  if (first?.code === SESSION_OVER) {
    dispatchEvent(new Event(SESSION_ENDED));
    return Refusal.of('signer.ended');
  }
  if (first?.code === PAUSED) {
    return Refusal.of('signer.paused', { message: brief(first.message) });
  }
  const known = errors.map((one) => SENTENCES[one.code]).find((key) => key !== undefined);
  return known === undefined ? Refusal.of('signer.service', { message: brief(first?.message ?? `status ${status}`) }) : Refusal.of(known);
}

const brief = (message: string) => visible(String(message).slice(0, MAX_MESSAGE)).replace(/\.$/, '');
