// Finds the person and the title in a certificate's document, for the register book. Does not use the DOM.
import { isObject, own } from '../../pkg/view/src/json.ts';
import type { JsonObject } from '../../pkg/view/src/json.ts';
import { isLikeTemplate } from '../../pkg/view/src/templates.ts';
import type { Given } from './book.ts';
import { readFile } from './file.ts';

/** Words in the keys of fields about a person, in the languages of the pages, as in `cert-tables/src/names.rs`. */
const HOLDERS = ['holder', 'recipient', 'titulaire', 'titular', 'inhaber', 'empfänger'];
const NAMES = ['name', 'nom', 'nombre'];
/** The maximum number of values that are looked at, and of levels below the document. */
const MAX_VALUES = 500;
const MAX_DEPTH = 5;
/** The maximum length of a name, in characters. */
const MAX_NAME = 300;
/** A whole text that is an e-mail address. */
const ADDRESS = /^[^\s@<>"(),:;]{1,64}@[^\s@<>"(),:;]{1,190}$/;

export const isAddress = (text: string) => ADDRESS.test(text.trim());

/** A text of a document. `path` are its keys in lower case. */
interface Text {
  readonly path: string;
  readonly key: string;
  readonly text: string;
}

function textsOf(value: unknown, path: string, key: string, found: Text[], depth = 0): Text[] {
  if (typeof value === 'string') {
    found.push({ path, key, text: value });
  } else if ((isObject(value) || Array.isArray(value)) && depth < MAX_DEPTH) {
    for (const [name, inside] of Object.entries(value)) {
      if (found.length >= MAX_VALUES) {
        break;
      }
      textsOf(inside, `${path}/${name.toLowerCase()}`, name.toLowerCase(), found, depth + 1);
    }
  }
  return found;
}

/** Returns what a document says about its holder. `cells` are other values of the same row, of which only an e-mail address is taken. */
export function personIn(document: unknown, schema: unknown, cells: readonly string[] = []): { holder: string; email: string; title: string } {
  const texts = textsOf(document, '', '', []).filter(({ text, key }) => text.trim() !== '' && text.length <= MAX_NAME && !key.startsWith('$'));
  const isNamed = ({ key }: Text) => NAMES.some((word) => key.includes(word));
  const holders = texts.filter(({ path, text }) => HOLDERS.some((word) => path.includes(word)) && !isAddress(text));
  const name = own(document, 'name');
  const heading = own(schema, 'title');
  const title = typeof heading === 'string' ? heading : '';
  const email = [...texts.map(({ text }) => text), ...cells].find(isAddress)?.trim() ?? '';
  const holder = holders.find(isNamed) ?? holders[0];
  if (holder !== undefined) {
    return { holder: holder.text, email, title: typeof name === 'string' && holder.key !== 'name' ? name : title };
  }
  // The name in a template is the certificate's title. In a schema made from a table, it is the person's name.
  if (isLikeTemplate(schema)) {
    return { holder: '', email, title: typeof name === 'string' ? name : title };
  }
  return { holder: texts.find(isNamed)?.text ?? '', email, title };
}

/** Returns the names of fields that can be a holder's, the most likely ones first. */
export function holdersIn(names: readonly string[]): string[] {
  const rank = (name: string) => (HOLDERS.some((word) => name.toLowerCase().includes(word)) ? 0 : NAMES.some((word) => name.toLowerCase().includes(word)) ? 1 : 2);
  return [0, 1].flatMap((wanted) => names.filter((name) => rank(name) === wanted));
}

/** Returns the index of the column with the holders' names, or -1. */
export function holderColumn(columns: readonly string[]): number {
  const names = columns.map((name) => name.toLowerCase());
  const found = names.findIndex((name) => HOLDERS.some((word) => name.includes(word)));
  return found === -1 ? names.findIndex((name) => NAMES.some((word) => name.includes(word))) : found;
}

/** The proof of the evidence that opens the whole document: the token `K` and its key, as base64url. */
const WHOLE = /^S[\w-]{43}$/;

/** Returns the key in a holder's evidence, or an empty text. */
export function keyIn(evidence: unknown): string {
  const proof = own(evidence, 'proof');
  return typeof proof === 'string' && WHOLE.test(proof) ? proof : '';
}

/** Returns what a private file says about its certificate. */
export function givenBy(text: string, cells: readonly string[] = []): Given & { readonly service: string } {
  const { service, ledger, asset, schema, document, evidence } = readFile(text);
  return { service, ...givenOf({ ledger, asset, schema, document, evidence }, cells) };
}

interface Certified {
  readonly ledger: string;
  readonly asset: string;
  readonly schema: unknown;
  readonly document: JsonObject | null;
  readonly evidence: unknown;
}

/** Returns what a holder's document and evidence say about their certificate. */
export function givenOf({ ledger, asset, schema, document, evidence }: Certified, cells: readonly string[] = []): Given {
  const issuedAt = own(document, 'issuedAt');
  return { ledger, asset, ...personIn(document, schema, cells), issuedAt: typeof issuedAt === 'string' ? issuedAt : '', fileKey: keyIn(evidence) };
}
