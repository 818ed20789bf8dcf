// The view of the register book: what it is, how it is filled, and how it is saved, merged and shared.
import { BOOK_ENDING, type Entry, factOf, idOf, keepEntries, readEntries, removeBook, writeBook } from '/lib/book.ts';
import { hasLeft } from '/lib/issuing.ts';
import { download } from '/lib/page.ts';
import { sentence } from '/lib/sentence.ts';
import { explained } from '/lib/signer.ts';
import { say } from '/lib/texts.ts';
import { visible } from '/view/json.ts';
import { refusal } from '/components/answer.ts';
import { useDrop } from '/components/drop.ts';
import { FileField } from '/components/file-field.tsx';
import { usePart } from '/components/part.ts';
import { useEffect, useReducer } from 'preact/hooks';
import type { ViewProperties } from '../views.ts';
import { foundIn } from './filling.ts';
import { type Action, START, type State, reduce } from './state.ts';

type Dispatch = (action: Action) => void;

/** The maximum number of unread files that are named. */
const MAX_NAMED = 5;

export function View({ session, registers: known, answered }: ViewProperties) {
  // Without a role, nobody reads or writes the shared book of a register.
  const registers = known.filter((one) => !hasLeft(one));
  const [state, dispatch] = useReducer(reduce, START);
  const refuse = (error: unknown) => answered(refusal(explained(error)));
  useEffect(() => {
    measure(dispatch).catch(refuse);
  }, []);
  const take = (files: readonly File[]) => {
    answered(null);
    fill(state, files, session.account, dispatch).catch(refuse);
  };
  // Its encryption is as large as the rest of the view.
  const sharing = usePart(registers.length > 0, () => import('./sharing.tsx'), refuse);
  const isOver = useDrop(take);
  const { size, reading, note } = state;
  const isBusy = reading !== null;
  return (
    <div id="book">
      <p class="lead">{say('book.lead')}</p>
      <p id="book-size" role="status">
        {size !== null && (size.entries === 0 ? say('book.empty') : say('book.size', { count: size.entries, named: size.named }))}
      </p>
      <div class={`drop${isOver ? ' over' : ''}`} id="book-drop">
        <p>
          <b>{say('book.drop')}</b>
        </p>
        <p class="hint">{say('book.dropHint')}</p>
        <p class="actions">
          <FileField id="book-files" accept=".zip,.json,.pdf,.html,.csv,.tsv,.xlsx,.ods,.age" label={say('book.choose')} isMultiple chosen={(...files) => take(files)} />
        </p>
      </div>
      <p class="note" id="book-note" role="status">
        {note}
      </p>
      {sharing !== null && <sharing.Sharing session={session} registers={registers} answered={answered} changed={() => measure(dispatch).catch(refuse)} />}
      <h3>{say('book.keepTitle')}</h3>
      <p>{say('book.keep')}</p>
      <p class="actions">
        <button type="button" id="book-save" disabled={isBusy || size === null || size.entries === 0} onClick={() => save(dispatch).catch(refuse)}>
          {say('book.save')}
        </button>{' '}
        <button type="button" id="book-remove" disabled={isBusy || size === null || size.entries === 0} onClick={() => remove(dispatch).catch(refuse)}>
          {say('book.remove')}
        </button>
      </p>
    </div>
  );
}

async function measure(dispatch: Dispatch): Promise<void> {
  const entries = await readEntries();
  const named = [...entries.values()].filter((entry) => factOf(entry, 'holder') !== '').length;
  dispatch({ type: 'sized', size: { entries: entries.size, named } });
}

/** Enters what the files say. A file that cannot be read does not keep the others from being read. */
async function fill({ reading }: State, files: readonly File[], account: string, dispatch: Dispatch): Promise<void> {
  if (reading !== null) {
    return;
  }
  dispatch({ type: 'reading', files });
  const [now, sentences] = [Date.now(), [] as string[]];
  const known = (await readEntries()).size;
  let [entries, foreign, unread, refused]: [Entry[], number, number, number] = [[], 0, 0, 0];
  for (const file of files) {
    try {
      const found = await foundIn(file, { account, now }, (count) => dispatch({ type: 'progressed', files, text: say('book.reading', { name: visible(file.name), count }) }));
      entries = [...entries, ...found.entries];
      foreign += found.foreign;
      unread += found.unread;
    } catch (error) {
      refused += 1;
      if (refused <= MAX_NAMED) {
        sentences.push(`${visible(file.name)}: ${sentence(explained(error))}`);
      }
    }
  }
  try {
    await keepEntries(entries);
    const added = (await readEntries()).size - known;
    // An archive has a private file and a row of the result table for each certificate.
    const count = new Set(entries.map(idOf)).size;
    const said = [
      ...(count > 0 ? [say('book.added', { count, added })] : []),
      ...(foreign > 0 ? [say('book.foreign', { count: foreign })] : []),
      ...(unread > 0 ? [say('book.unread', { count: unread })] : []),
      ...sentences,
    ];
    dispatch({ type: 'ended', files, text: said.join(' ') });
  } catch (error) {
    dispatch({ type: 'ended', files, text: sentence(explained(error)) });
  }
  await measure(dispatch);
}

async function save(dispatch: Dispatch): Promise<void> {
  const entries = [...(await readEntries()).values()];
  download(`register-${new Date().toISOString().slice(0, 10)}${BOOK_ENDING}`, writeBook(entries, location.origin), 'application/json');
  dispatch({ type: 'noted', text: say('book.saved') });
}

async function remove(dispatch: Dispatch): Promise<void> {
  if (confirm(say('book.removeSure'))) {
    await removeBook();
    await measure(dispatch);
    dispatch({ type: 'noted', text: say('book.removed') });
  }
}
