// Lets the visitor sign in with a wallet or a key file, on pages that issue many certificates or list them.
import { answer, element } from './page.js';
import { sentence } from './sentence.js';
import { clientOf, explained, openKey, watchWallets } from './signer.js';
import { say } from './texts.js';

/** The maximum size of a key file, in bytes. */
const MAX_KEY = 1000;

/**
 * Shows the ways to sign in, and afterwards the account. Calls `changed` with the session `{ client, account, isWallet, costs }`, or with null when
 * the visitor chooses another account. `costs` are the service's with the account's `balance`, or null if nothing has to be paid.
 */
export function offerSignIn(place, changed) {
  const wallets = element('p', { class: 'actions' });
  const keyFile = element('input', { type: 'file' });
  const report = element('p', { class: 'answer', role: 'status', hidden: true });
  const ways = element(
    'div',
    {},
    element('p', {}, say('issue.signHint')),
    wallets,
    element('p', { class: 'actions' }, element('label', { class: 'choose' }, element('span', {}, say('issue.openKey')), keyFile)),
    element('p', { class: 'hint' }, say('issue.keyHint')),
  );
  const account = element('code', { class: 'long' });
  const another = element('button', { type: 'button' }, say('issue.change'));
  const signed = element('p', { hidden: true }, say('issue.signedBy'), ' ', account, ' ', another);
  place.replaceChildren(ways, signed, report);

  async function sign(connect, isWallet) {
    tell(isWallet ? say('issue.inWallet') : say('issue.connecting'));
    try {
      const client = await clientOf(await connect());
      const { data } = await client.getAccount();
      account.textContent = data.id;
      show(true);
      another.focus({ preventScroll: true });
      changed({ client, account: data.id, isWallet, costs: data.isPaymentRequired ? { ...data.payment, balance: data.balance } : null });
    } catch (error) {
      answer(report, 'unchecked', say('common.notPossible'), sentence(explained(error)));
    }
  }

  function tell(text) {
    report.hidden = false;
    report.dataset.kind = 'busy';
    report.textContent = text;
  }

  function show(isSigned) {
    report.hidden = true;
    ways.hidden = isSigned;
    signed.hidden = !isSigned;
  }

  watchWallets((list) => {
    const buttons = list.map(({ name, connect }) => {
      const button = element('button', { type: 'button', class: 'primary' }, name === null ? say('issue.anyWallet') : say('issue.wallet', { name }));
      button.addEventListener('click', () => sign(connect, true));
      return button;
    });
    wallets.replaceChildren(...buttons);
  });
  keyFile.addEventListener('change', () => {
    const [file] = keyFile.files;
    sign(async () => openKey(file.size > MAX_KEY ? '' : await file.text()), false);
    // Allows choosing the same file again.
    keyFile.value = '';
  });
  another.addEventListener('click', () => {
    show(false);
    changed(null);
    wallets.querySelector('button')?.focus();
  });
}
