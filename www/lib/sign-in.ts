// Lets the visitor sign in with a wallet or a key file, on pages that issue or list certificates.
import type { Account, Client, Payment } from '/client/index.js';
import { costsOf } from './balance.ts';
import { answer, download, element } from './page.ts';
import { sentence } from './sentence.ts';
import { SESSION_ENDED, clientOf, drawKey, explained, openKey, watchWallets } from './signer.ts';
import type { Signer } from './signer.ts';
import { readText } from './text-file.ts';
import { say } from './texts.ts';

/** The maximum size of a key file, in bytes. */
const MAX_KEY = 1000;

/** The service's costs, the account's balance, and the amount that the service may take for fees, in base units of the platform token. */
export type Costs = Payment & Pick<Account, 'balance' | 'feeAllowance'>;

/** The session of an account. `costs` is null if nothing has to be paid. `isUnsaved` is true until the file of a new key is saved. */
export interface SignedIn {
  client: Client;
  account: string;
  isWallet: boolean;
  isUnsaved: boolean;
  /** Whether the person stays signed in on this device. */
  isStaying: boolean;
  /** Whether the service has ended the session. What the person has begun stays. */
  hasExpired: boolean;
  costs: Costs | null;
  /** Whether the account may deploy ledgers. */
  mayDeploy: boolean;
}

/** A client that is signed in. `keyFile` is the file of a new or opened key. */
export interface Opened {
  client: Client;
  end: () => void;
  isWallet: boolean;
  keyFile: Signer['keyFile'];
}

/** Keeps sessions after the visitor leaves the page (lib/staying.ts). */
export interface Staying {
  /** Whether this browser notes a session, which may have ended. */
  isKept(): boolean;
  /** Returns the session that this browser keeps, or null. */
  resume(): Promise<Opened | null>;
  /** Notes that this browser keeps a session. */
  begun(session: SignedIn): void;
  ended(): void;
  /** Calls `act` when another tab of this browser ends or replaces the session. */
  watch(act: () => void): void;
}

interface SignInOptions {
  /** Whether the visitor can make a new key. */
  readonly canDraw?: boolean;
  /** Lets the visitor stay signed in. */
  readonly staying?: Staying | null;
  /** Called before the visitor leaves a session. Returns false to stay. */
  readonly leaving?: (session: SignedIn) => Promise<boolean>;
}

/**
 * Shows the ways to sign in, and afterwards the account. Calls `changed` with the session, or with null when the visitor chooses another
 * account.
 */
export function offerSignIn(place: HTMLElement, changed: (session: SignedIn | null) => void, { canDraw = false, staying = null, leaving = async () => true }: SignInOptions = {}) {
  const wallets = element('p', { class: 'actions' });
  const keyFile = element('input', { type: 'file' });
  const draw = element('button', { type: 'button' }, say('signIn.drawKey'));
  const report = element('p', { class: 'answer', role: 'status', hidden: true });
  const stay = element('input', { type: 'checkbox', id: 'stay' });
  const stayLine = () => [element('p', {}, element('label', { for: 'stay' }, stay, ' ', say('console.stay'))), element('p', { class: 'hint' }, say('console.stayHint'))];
  const ways = element(
    'div',
    {},
    element('p', {}, say('signIn.signHint')),
    wallets,
    element('p', { class: 'actions' }, element('label', { class: 'choose' }, element('span', {}, say('signIn.openKey')), keyFile), ...(canDraw ? [draw] : [])),
    element('p', { class: 'hint' }, say('signIn.keyHint')),
    ...(staying === null ? [] : stayLine()),
  );
  const account = element('code', { class: 'long' });
  const another = element('button', { type: 'button' }, say('signIn.change'));
  const signed = element('p', { hidden: true }, say('signIn.signedBy'), ' ', account, ' ', another);
  const save = element('button', { type: 'button' }, say('signIn.saveKey'));
  const saved = element('p', { class: 'note', role: 'status' });
  const newKey = element('div', { class: 'field', hidden: true }, element('p', {}, say('signIn.newKey')), element('p', { class: 'actions' }, save));
  place.replaceChildren(ways, signed, newKey, saved, report);

  let endSession = () => {};
  let current: SignedIn | null = null;

  async function sign(connect: () => Promise<Signer>, { isWallet = false, isNew = false } = {}) {
    const stays = staying !== null && stay.checked;
    const session = await open(
      async () => {
        const signer = await connect();
        return { ...(await clientOf(signer, { stays })), isWallet, keyFile: signer.keyFile };
      },
      { isWallet, isNew, isStaying: stays },
    );
    if (session !== null && stays) {
      staying.begun(session);
    }
  }

  /** Shows the account of a client. Returns its session, or null if there is none. */
  async function open(connect: () => Promise<Opened | null>, { isWallet = false, isNew = false, isStaying = false } = {}): Promise<SignedIn | null> {
    announce(isWallet ? say('signIn.inWallet') : say('signIn.connecting'));
    try {
      const opened = await connect();
      if (opened === null) {
        report.hidden = true;
        return null;
      }
      const { client, end, isWallet, keyFile } = opened;
      const data = client.knownAccount;
      const session: SignedIn = {
        client,
        account: data.id,
        isWallet,
        isUnsaved: isNew,
        isStaying,
        hasExpired: false,
        mayDeploy: data.mayDeploy,
        costs: costsOf(data),
      };
      account.textContent = data.id;
      endSession = end;
      current = session;
      show(true);
      newKey.hidden = !isNew;
      saved.textContent = '';
      save.onclick = () => {
        if (keyFile !== null) {
          download(keyFile.name, keyFile.text, 'text/plain');
        }
        session.isUnsaved = false;
        newKey.hidden = true;
        saved.textContent = say('signIn.keySaved');
        another.focus({ preventScroll: true });
      };
      another.focus({ preventScroll: true });
      changed(session);
      return session;
    } catch (error) {
      report.setAttribute('role', 'alert');
      answer(report, 'unchecked', say('common.notPossible'), sentence(explained(error)));
      report.scrollIntoView({ block: 'nearest' });
      return null;
    }
  }

  /** Shows the ways to sign in again. */
  function leave() {
    endSession = () => {};
    current = null;
    show(false);
    newKey.hidden = true;
    saved.textContent = '';
    save.onclick = null;
    changed(null);
  }

  function announce(text: string) {
    report.hidden = false;
    report.setAttribute('role', 'status');
    report.dataset.kind = 'busy';
    report.textContent = text;
  }

  function show(isSigned: boolean) {
    report.hidden = true;
    ways.hidden = isSigned;
    signed.hidden = !isSigned;
  }

  watchWallets((list) => {
    const buttons = list.map(({ name, connect }) => {
      const button = element('button', { type: 'button', class: 'primary' }, name === null ? say('signIn.anyWallet') : say('signIn.wallet', { name }));
      button.addEventListener('click', () => sign(connect, { isWallet: true }));
      return button;
    });
    wallets.replaceChildren(...buttons);
  });
  keyFile.addEventListener('change', () => {
    const [file] = keyFile.files ?? [];
    if (file !== undefined) {
      sign(async () => openKey(file.size > MAX_KEY ? '' : await readText(file)));
    }
    // Allows choosing the same file again.
    keyFile.value = '';
  });
  draw.addEventListener('click', () => sign(drawKey, { isNew: true }));
  another.addEventListener('click', async () => {
    const left = current;
    if (left === null || !(await leaving(left)) || left !== current) {
      return;
    }
    endSession();
    staying?.ended();
    leave();
    wallets.querySelector('button')?.focus();
  });
  // The page shows the refusal of its request, which says that the session has ended.
  addEventListener(SESSION_ENDED, () => {
    if (current !== null) {
      current.hasExpired = true;
      staying?.ended();
      leave();
    }
  });
  if (staying !== null) {
    open(() => staying.resume(), { isStaying: true });
    staying.watch(leave);
  }
}
