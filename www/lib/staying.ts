// Keeps a session in this browser after the visitor leaves the page (decision 0078). The session is a cookie that scripts cannot read. The key is not
// kept, so the first signature after a reload asks for the key file or the wallet again.
import { ApiError, Client, ClientError, ConnectionError, SignMethod } from '/client/index.js';
import type { Provider } from '/client/index.js';
import { type Kept, keptSession, noteSession } from './kept-session.ts';
import { answer, element } from './page.ts';
import { sentence } from './sentence.ts';
import { serviceOf } from './service.ts';
import { endNow, explained, noteLocked, openKey, watchWallets } from './signer.ts';
import type { Signer } from './signer.ts';
import type { Opened, Staying } from './sign-in.ts';
import { readText } from './text-file.ts';
import { say } from './texts.ts';
import { Refusal } from '../../pkg/view/src/json.ts';

/** The status of an answer to a request without a session. */
const UNAUTHORIZED = 401;
/** The maximum size of a key file, in bytes. */
const MAX_KEY = 1000;

/** The tabs of this browser have the same cookie, so a tab tells the others when the account changes. */
const tabs = new BroadcastChannel('assay.staying');
/** The account of this tab while its session is the one of the cookie, otherwise null. */
let kept: string | null = null;

/** `fetch` sends the requests of a session that is resumed. */
export const stayingWith = (fetch: typeof globalThis.fetch): Staying => ({
  isKept: () => keptSession() !== null,
  async resume() {
    const found = keptSession();
    return found === null ? null : resumed(found, fetch);
  },
  async begun({ isWallet, account }) {
    kept = account;
    tabs.postMessage(account);
    noteSession({ account, isWallet, service: (await serviceOf()).name });
  },
  ended() {
    if (kept !== null) {
      kept = null;
      noteSession(null);
      tabs.postMessage(null);
    }
  },
  watch(act) {
    tabs.addEventListener('message', ({ data }) => {
      if (kept !== null && data !== kept) {
        kept = null;
        act();
      }
    });
  },
});

/** Returns a client with the browser's cookie, or null if its session has ended, or is one of another account. */
async function resumed({ account, isWallet, service }: Kept, fetch: typeof globalThis.fetch): Promise<Opened | null> {
  const client = new Client({ apiUrl: location.origin, serviceName: service, cookie: true, fetch, provider: lockedProvider(account) });
  try {
    await client.init();
  } catch (error) {
    const cause = error instanceof ClientError ? error.original : null;
    if (cause instanceof ConnectionError || (cause instanceof ApiError && cause.status !== UNAUTHORIZED)) {
      throw error;
    }
    // The visitor signs in again.
    noteSession(null);
    return null;
  }
  kept = account;
  return { client, isWallet, keyFile: null, end: () => endNow(client) };
}

/** Returns the signer of an account, which asks for the key or the wallet at the first signature. */
function lockedProvider(accountId: string): Provider {
  let unlocked: Provider | null = null;
  const ask = async () => {
    unlocked ??= await askForSigner(accountId);
    return unlocked;
  };
  const provider: Provider = { accountId, signMethod: SignMethod.PERSONAL_SIGN, sign: async (message) => (await ask()).sign(message) };
  noteLocked(provider, ask);
  return provider;
}

const isSame = (one: string, other: string) => one.toLowerCase() === other.toLowerCase();

/** Asks for the key file or the wallet of an account. Refuses if the visitor closes the dialog, or shows another part of the page. */
function askForSigner(accountId: string): Promise<Provider> {
  const wallets = element('p', { class: 'actions' });
  const keyFile = element('input', { type: 'file', id: 'unlock-file' });
  const report = element('p', { class: 'answer', role: 'alert', hidden: true });
  const cancel = element('button', { type: 'button' }, say('signIn.cancel'));
  const dialog = element(
    'dialog',
    { id: 'unlock', 'aria-labelledby': 'unlock-title' },
    element('h2', { id: 'unlock-title' }, say('console.unlock')),
    element('p', {}, say('console.unlockHint')),
    element('p', {}, element('code', { class: 'long' }, accountId)),
    wallets,
    element('p', { class: 'actions' }, element('label', { class: 'choose' }, element('span', {}, say('signIn.openKey')), keyFile)),
    report,
    element('p', { class: 'actions' }, cancel),
  );
  document.body.append(dialog);
  return new Promise<Provider>((resolve, reject) => {
    const take = async (connect: () => Promise<Signer>) => {
      try {
        const { provider } = await connect();
        if (!isSame(provider.accountId, accountId)) {
          throw Refusal.of('console.otherKey');
        }
        resolve(provider);
        dialog.close();
      } catch (error) {
        report.hidden = false;
        answer(report, 'unchecked', say('common.notPossible'), sentence(explained(error)));
      }
    };
    watchWallets((list) => {
      const buttons = list.map(({ name, connect }) => {
        const button = element('button', { type: 'button', class: 'primary' }, name === null ? say('signIn.anyWallet') : say('signIn.wallet', { name }));
        button.addEventListener('click', () => take(connect));
        return button;
      });
      wallets.replaceChildren(...buttons);
    });
    keyFile.addEventListener('change', () => {
      const [file] = keyFile.files ?? [];
      if (file !== undefined) {
        take(async () => openKey(file.size > MAX_KEY ? '' : await readText(file)));
      }
      keyFile.value = '';
    });
    const close = () => dialog.close();
    cancel.addEventListener('click', close);
    addEventListener('hashchange', close);
    dialog.addEventListener('close', () => {
      removeEventListener('hashchange', close);
      dialog.remove();
      reject(Refusal.of('console.locked'));
    });
    dialog.showModal();
  });
}
