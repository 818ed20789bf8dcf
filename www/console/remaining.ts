// Lists the data that this browser keeps after signing out, and removes it. Loaded when the person signs out.
import { allBatches, removeBatch } from '/lib/batches.ts';
import { readEntries, removeBook } from '/lib/book.ts';
import { readNames, removeNames } from '/lib/contacts.ts';
import { countDrafts, removeAllDrafts } from '/lib/drafts.ts';
import { answer, element } from '/lib/page.ts';
import { sentence } from '/lib/sentence.ts';
import type { SignedIn } from '/lib/sign-in.ts';
import { explained } from '/lib/signer.ts';
import { addTexts, say } from '/lib/texts.ts';
import { countKeys, removeKeys } from './book/own-key.ts';

/** A kind of data that stays. */
interface Kind {
  readonly name: 'book' | 'keys' | 'names' | 'lists' | 'drafts';
  readonly count: number;
  readonly remove: () => Promise<unknown>;
}

async function kindsFor({ account, isStaying }: SignedIn): Promise<Kind[]> {
  const [entries, keys, lists, drafts] = await Promise.all([readEntries(), countKeys(), allBatches(), countDrafts(isStaying ? null : account)]);
  const kinds: Kind[] = [
    { name: 'book', count: entries.size, remove: removeBook },
    { name: 'keys', count: keys, remove: removeKeys },
    { name: 'names', count: readNames().size, remove: async () => removeNames() },
    {
      name: 'lists',
      count: lists.length,
      // Each removal looks for lists that share its progress.
      async remove() {
        for (const list of lists) {
          await removeBatch(list);
        }
      },
    },
    { name: 'drafts', count: drafts, remove: removeAllDrafts },
  ];
  return kinds.filter(({ count }) => count > 0);
}

/** Shows what stays in this browser, and removes what the person ticks. Returns false if the person stays signed in. */
export async function askWhatStays(session: SignedIn): Promise<boolean> {
  // A browser that stores nothing keeps nothing.
  const kinds = await kindsFor(session).catch((): Kind[] => []);
  if (kinds.length === 0) {
    return true;
  }
  await addTexts('book');
  const ticks = kinds.map((kind) => ({ kind, tick: element('input', { type: 'checkbox', id: `remove-${kind.name}` }) }));
  const lines = ticks.map(({ kind: { name, count }, tick }) =>
    element('p', {}, element('label', {}, tick, ' ', say(`stays.${name}`, { count })), ' ', element('span', { class: 'hint' }, say(`stays.${name}Hint`))),
  );
  const report = element('p', { class: 'answer', role: 'alert', hidden: true });
  const leave = element('button', { type: 'submit', class: 'primary', id: 'sign-out' }, say('stays.leave'));
  const cancel = element('button', { type: 'button' }, say('signIn.cancel'));
  const form = element('form', {}, ...lines, report, element('p', { class: 'actions' }, leave, ' ', cancel));
  const dialog = element('dialog', { id: 'stays', 'aria-labelledby': 'stays-title' }, element('h2', { id: 'stays-title' }, say('stays.title')), element('p', {}, say('stays.lead')), form);
  document.body.append(dialog);
  return new Promise((resolve) => {
    form.addEventListener('submit', async (event) => {
      event.preventDefault();
      leave.disabled = true;
      try {
        for (const { kind, tick } of ticks) {
          if (tick.checked) {
            await kind.remove();
          }
        }
        resolve(true);
        dialog.close();
      } catch (error) {
        leave.disabled = false;
        report.hidden = false;
        answer(report, 'unchecked', say('common.notPossible'), sentence(explained(error)));
      }
    });
    cancel.addEventListener('click', () => dialog.close());
    dialog.addEventListener('close', () => {
      dialog.remove();
      resolve(false);
    });
    dialog.showModal();
  });
}
