// Side effects of the list of certificates: reads the list, the book and public records, and saves the table.
import { readEntries, factOf } from '/lib/book.ts';
import { readNames } from '/lib/contacts.ts';
import { validityOf } from '/lib/validity.ts';
import { headingOf } from '/view/display.ts';
import { own, shorten, visible } from '/view/json.ts';
import type { OwnLedger } from '/lib/issuing.ts';
import { download } from '/lib/page.ts';
import { part } from '/lib/part.ts';
import type { SignedIn } from '/lib/sign-in.ts';
import { explained } from '/lib/signer.ts';
import { listText, say } from '/lib/texts.ts';
import { readable } from '/lib/titles.ts';
import { type Answer, refusal as refusalOf } from '/components/answer.ts';
import { titleOf } from '/components/ledger-choice.tsx';
import { type Listing, countOf, lookUp, unknownOf, withNumber } from './source.ts';
import { type Action, type Certificate, type Details, type Id, type State, keyOf, knownOf } from './state.ts';

export type Dispatch = (action: Action) => void;

/** The maximum length of a shown name, in characters. */
const MAX_NAME = 120;
/** The maximum number of certificates of a list that are read at once, to save or to tick them. */
const MAX_READ = 100_000;

/** Returns the answer that an action is not possible. */
export const refusal = (error: unknown): Answer => refusalOf(explained(error));

/** Returns an untrusted text as it is shown. */
export const shownText = (text: string): string => visible(shorten(text, MAX_NAME));

export const shortAccount = (account: string): string => `${account.slice(0, 6)}…${account.slice(-4)}`;
export const linkOf = ({ ledgerId, id }: Id): string => `${location.origin}/c/${ledgerId}/${id}`;

/** Reads the next part of a list. A failure ends the list with a refusal. */
export async function readOn(list: object, listing: Listing, dispatch: Dispatch, answered: (answer: Answer) => void): Promise<void> {
  dispatch({ type: 'reading', list });
  try {
    dispatch({ type: 'read', list, ...(await listing.read()) });
  } catch (error) {
    dispatch({ type: 'unread', list });
    answered(refusal(error));
  }
}

/** Reads the book of this browser. */
export async function readBook(dispatch: Dispatch): Promise<void> {
  dispatch({ type: 'bookRead', book: knownOf(await readEntries()) });
}

/** Counts the certificates in force. */
export async function count(session: SignedIn, registers: readonly OwnLedger[], dispatch: Dispatch): Promise<void> {
  dispatch({ type: 'counted', count: await countOf(session, registers) });
}

/** Looks up the certificates that a search found in the book, and the one whose whole number was entered. */
export async function lookUpFound(
  session: SignedIn,
  registers: readonly OwnLedger[],
  wanted: readonly Id[],
  known: ReadonlyMap<string, Certificate>,
  query: string,
  dispatch: Dispatch,
): Promise<void> {
  const ids = unknownOf(wanted, known);
  const found = ids.length === 0 ? [] : await lookUp(session, registers, ids);
  const number = query.replace(/\s/g, '');
  const byNumber = ids.length === 0 && wanted.length === 0 && /^[0-9]{1,78}$/.test(number) ? await withNumber(session, registers, number) : [];
  if (found.length + byNumber.length > 0) {
    dispatch({ type: 'lookedUp', found: [...found, ...byNumber] });
  }
}

/** Reads the public record of a certificate. */
export async function detailsOf({ ledgerId, id }: Id): Promise<Details> {
  try {
    const record = await validityOf({ ledger: ledgerId, asset: id });
    const name = own(record.metadata, 'name') ?? (record.schema === null ? undefined : headingOf(await readable(record.schema)));
    return { name: typeof name === 'string' ? shownText(name) : null, record };
  } catch {
    // The list is useful without it.
    return { name: null, record: null };
  }
}

/** Returns the texts of a certificate: the book's first, then the public record's, then the register's. */
export function textsOf(certificate: Certificate, { book, details }: Pick<State, 'book' | 'details'>, registers: readonly OwnLedger[]) {
  const key = keyOf(certificate);
  const entry = book.get(key)?.entry;
  const register = registers.find(({ id }) => id.toLowerCase() === certificate.ledgerId.toLowerCase());
  const registerName = register === undefined ? shortAccount(certificate.ledgerId) : titleOf(register);
  const title = details.get(key)?.name || shownText(factOf(entry, 'title')) || registerName;
  // The browser may have cached a record from before a withdrawal.
  const status = certificate.status === 'withdrawn' ? certificate.status : (details.get(key)?.record?.status.kind ?? certificate.status);
  return { holder: shownText(factOf(entry, 'holder')), email: shownText(factOf(entry, 'email')), title, registerName, status };
}

export type Texts = ReturnType<typeof textsOf>;

/** The maximum number of certificates that an answer names. */
const MAX_NAMED = 3;

/** Returns the names of certificates for an answer: holder and title, of the first few. */
function namesOf(certificates: readonly Certificate[], state: Pick<State, 'book' | 'details'>, registers: readonly OwnLedger[]): string {
  const names = certificates.slice(0, MAX_NAMED).map((one) => {
    const { holder, title } = textsOf(one, state, registers);
    return `\u2068${[holder, title].filter((text) => text !== '').join(', ')}\u2069`;
  });
  const more = certificates.length - names.length;
  return listText(more > 0 ? [...names, say('certificates.andMore', { count: more })] : names);
}

/** Returns the answer that certificates were withdrawn, with their names. */
function withdrawnText(certificates: readonly Certificate[], state: Pick<State, 'book' | 'details'>, registers: readonly OwnLedger[]): string {
  const [first] = certificates;
  const name = namesOf(certificates, state, registers);
  return first !== undefined && certificates.length === 1
    ? say('certificates.withdrawnOne', { name, number: first.id.slice(-4) })
    : say('certificates.withdrawnMany', { count: certificates.length, names: name });
}

/** Returns the function that shows the answer about a withdrawal of certificates. It names them. After a refusal, it looks whether they were withdrawn elsewhere, so the list shows what they are. */
export function withdrawalAnswered(
  session: SignedIn,
  registers: readonly OwnLedger[],
  state: Pick<State, 'book' | 'details' | 'withdrawing'>,
  dispatch: Dispatch,
  answered: (answer: Answer | null) => void,
): (answer: Answer | null) => void {
  const certificates = state.withdrawing ?? [];
  return (answer) => {
    if (certificates.length === 0 || (answer?.kind !== 'withdrawn' && answer?.kind !== 'unchecked')) {
      answered(answer);
    } else if (answer.kind === 'withdrawn') {
      answered({ ...answer, text: withdrawnText(certificates, state, registers) });
    } else {
      answered(answer);
      lookUp(session, registers, certificates).then(
        (found) => {
          dispatch({ type: 'lookedUp', found });
          const gone = found.filter(({ status }) => status === 'withdrawn');
          if (gone.length > 0) {
            const text = say('certificates.withdrawnBefore', { names: namesOf(gone, state, registers) });
            answered({ ...answer, text: gone.length === certificates.length ? text : `${answer.text} ${text}` });
          }
        },
        // The refusal is shown already.
        () => {},
      );
    }
  };
}

/** Reads the rest of the list. */
async function readRest({ list, isEnd }: Pick<State, 'list' | 'isEnd'>, listing: Listing, dispatch: Dispatch): Promise<void> {
  let isOver = isEnd;
  while (!isOver && listing.all.length < MAX_READ) {
    const read = await listing.read();
    isOver = read.isEnd;
    dispatch({ type: 'read', list, ...read });
    dispatch({ type: 'noted', text: say('certificates.saving', { count: listing.all.length }) });
  }
}

/** Ticks all certificates of the list, after the rest of it was read. */
export async function tickList(state: State, listing: Listing, dispatch: Dispatch): Promise<void> {
  dispatch({ type: 'busy', isBusy: true });
  try {
    await readRest(state, listing, dispatch);
    dispatch({ type: 'listTicked', list: state.list });
  } finally {
    dispatch({ type: 'busy', isBusy: false });
  }
}

/** Saves the shown certificates as a table, after the rest of the list was read. A spreadsheet runs none of its cells. */
export async function saveTable(
  state: State,
  { shown, known, registers, listing, account }: { shown: readonly Certificate[]; known: ReadonlyMap<string, Certificate>; registers: readonly OwnLedger[]; listing: Listing; account: string },
  dispatch: Dispatch,
): Promise<void> {
  const isSearch = state.query.trim() !== '';
  dispatch({ type: 'busy', isBusy: true });
  try {
    if (!isSearch) {
      await readRest(state, listing, dispatch);
    }
    // The list still shows certificates that were withdrawn here since they were read.
    const isWanted = ({ status }: Certificate) => state.filter.status === null || status === state.filter.status;
    const rows = isSearch ? shown : listing.all.map((one) => known.get(keyOf(one)) ?? one).filter(isWanted);
    const { writeTable } = await part(import('/lib/tables.ts'));
    const header = ['number', 'holder', 'email', 'titleColumn', 'register', 'date', 'status', 'by', 'link'].map((name) => say(`certificates.columns.${name}`));
    const lines = rows.map((row) => {
      const { holder, email, title, registerName, status } = textsOf(row, state, registers);
      return [row.id, holder, email, title, registerName, row.date, say(`certificates.statuses.${status}`), byText(row.by, account), linkOf(row)];
    });
    download('certificates.csv', await writeTable([header, ...lines], ','), 'text/csv');
    dispatch({ type: 'noted', text: say('certificates.saved', { count: rows.length }) });
  } finally {
    dispatch({ type: 'busy', isBusy: false });
  }
}

/** Returns the name of an account in this browser or, without one, the beginning and the end of its address. */
export const nameOf = (account: string): string => readNames().get(account.toLowerCase()) ?? shortAccount(account);

/** Returns the account that issued or withdrew, as people read it. */
export function byText(by: string | null, account: string): string {
  if (by === null) {
    return '';
  }
  return by.toLowerCase() === account.toLowerCase() ? say('certificates.you') : nameOf(by);
}

/** Prints certificates, or saves them as PDF. Returns a sentence about what PDFs show differently, or an empty text. */
export async function print(certificates: readonly Certificate[], state: Pick<State, 'book' | 'details'>, registers: readonly OwnLedger[]): Promise<string> {
  const { printItems } = await part(import('../../issued/printing.ts'));
  const kinds = new Map<string, Certificate[]>();
  for (const one of certificates) {
    const schema = registers.find(({ id }) => id.toLowerCase() === one.ledgerId.toLowerCase())?.schemaId ?? '';
    kinds.set(schema, [...(kinds.get(schema) ?? []), one]);
  }
  const notes: string[] = [];
  // Each kind of certificate has a layout of its own, so it is asked for one kind after the other.
  for (const [schema, ones] of kinds) {
    const items = ones.flatMap((one) => {
      const { title } = textsOf(one, state, registers);
      const record = state.details.get(keyOf(one))?.record ?? null;
      const entry = state.book.get(keyOf(one))?.entry;
      // A name that is shown in another way than it was entered could not be proven.
      const known = factOf(entry, 'holder') || null;
      return one.asset === null ? [] : [{ asset: one.asset, known, fileKey: factOf(entry, 'fileKey'), record, name: title, isTicked: true, reason: null }];
    });
    notes.push(await printItems(items, schema));
  }
  return notes.filter((note) => note !== '').join(' ');
}
