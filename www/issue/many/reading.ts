// Side effects before the first table: reading the file, and the lists in this browser.
import { type Batch, allBatches, isSavable, loadBatch, progressId, progressOf, removeBatch, saveBatch, storeOf } from '/lib/batches.ts';
import { Refusal, visible } from '/view/json.ts';
import { download } from '/lib/page.ts';
import { sentence } from '/lib/sentence.ts';
import { MAX_BYTES, readTable } from '/lib/tables.ts';
import { readText } from '/lib/text-file.ts';
import { say } from '/lib/texts.ts';
import { busy, refusal } from '/components/answer.ts';
import type { Action, GivenFile, KeptList, Question, Unfinished } from './state.ts';

export type Dispatch = (action: Action) => void;

/** The ending of the file names of saved lists, and the maximum size of a saved list in bytes. */
const LIST_ENDING = '.assay-list.json';
const MAX_LIST = 200_000_000;

/** Reads a dropped file. */
export async function open(file: File, dispatch: Dispatch): Promise<void> {
  try {
    if (file.size > MAX_BYTES) {
      throw Refusal.of('table.size', { megabytes: (file.size / 1024 / 1024).toFixed(1), most: MAX_BYTES / 1024 / 1024 });
    }
    await read({ name: visible(file.name), bytes: new Uint8Array(await file.arrayBuffer()), choices: { encoding: null, delimiter: null, sheet: null } }, dispatch);
  } catch (error) {
    dispatch({ type: 'unread', file: null, answer: refusal(error instanceof Refusal ? error : Refusal.of('many.unreadable')) });
  }
}

const QUESTIONS: Readonly<Record<string, Question['about']>> = { 'table.encoding': 'encoding', 'table.delimiter': 'delimiter', 'table.sheet': 'sheet' };

/** Reads the table in a file. If its encoding, delimiter or sheet is not certain, asks the person. */
export async function read(file: GivenFile, dispatch: Dispatch): Promise<void> {
  dispatch({ type: 'reading', file, answer: busy(say('many.reading')) });
  try {
    dispatch({ type: 'read', file, table: await readTable(file.bytes, file.choices) });
  } catch (error) {
    const about = error instanceof Refusal ? QUESTIONS[error.key ?? ''] : undefined;
    if (error instanceof Refusal && about !== undefined) {
      const { encoding, names } = error.values;
      const options = (Array.isArray(names) ? names : [encoding]).map(String);
      dispatch({ type: 'asked', file, question: { about, text: sentence(error), options } });
    } else {
      dispatch({ type: 'unread', file, answer: refusal(error) });
    }
  }
}

/** Reads the table of an unfinished list again. */
export async function restore(unfinished: Unfinished, bytes: Uint8Array, dispatch: Dispatch): Promise<void> {
  const file = { name: visible(unfinished.name), bytes, choices: unfinished.choices };
  dispatch({ type: 'restored', unfinished, file });
  await read(file, dispatch);
}

/** Finds the lists that this browser has begun. */
export async function findLists(dispatch: Dispatch): Promise<void> {
  const batches = await allBatches();
  dispatch({ type: 'listsFound', kept: await Promise.all(batches.map(keptList)) });
}

async function keptList(batch: Batch): Promise<KeptList> {
  const progress = progressOf(await storeOf(progressId(batch)).read());
  const { rows } = batch;
  // Several lists can share the progress, so only the rows of this one count.
  const count = rows.length === 0 ? (batch.count ?? progress.assets.size) : rows.length;
  const issued = rows.length === 0 ? count : rows.filter(({ key }) => progress.issued.has(key)).length;
  return { batch, issued, count, isSavable: isSavable(batch, progress) };
}

/** Removes a list, if the person confirms it. */
export async function removeList(batch: Batch, dispatch: Dispatch): Promise<void> {
  if (confirm(say('many.removeSure'))) {
    await removeBatch(batch);
    await findLists(dispatch);
  }
}

/** Returns a batch's name for files, without the ending of the table's name. */
export const stemOf = ({ name }: Batch): string => name.replace(/\.[^.]*$/, '') || 'certificates';

/** Saves a batch to a file, from which another browser can continue the batch. */
export async function saveList(batch: Batch, dispatch: Dispatch): Promise<void> {
  try {
    download(`${stemOf(batch)}${LIST_ENDING}`, await saveBatch(batch), 'application/json');
    dispatch({ type: 'noted', text: say('many.listSaved') });
  } catch (error) {
    dispatch({ type: 'answered', answer: refusal(error) });
  }
}

/** Adds a list from the file of another browser. */
export async function loadList(file: File, dispatch: Dispatch): Promise<void> {
  dispatch({ type: 'answered', answer: null });
  dispatch({ type: 'noted', text: '' });
  try {
    if (file.size > MAX_LIST) {
      throw Refusal.of('many.listWrong');
    }
    await loadBatch(await readText(file, MAX_LIST));
    await findLists(dispatch);
    dispatch({ type: 'focused', focus: { id: 'kept-title', scroll: 'element' } });
  } catch (error) {
    dispatch({ type: 'answered', answer: refusal(error) });
  }
}
