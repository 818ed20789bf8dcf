// Passes a certificate from the certify page to the verify page in another tab. The certificate stays in this browser and can be taken only once.
import { own } from '../../pkg/view/src/json.ts';

const KEY = 'assay.handover';
/** The time after which an unclaimed certificate is removed, in milliseconds. The other page normally opens immediately. */
const UNCLAIMED = 30_000;

/** The texts that the verify page shows in its fields. */
export interface Texts {
  metadata: string;
  evidence: string;
  schema: string;
  imprint: string;
}

/** Leaves public texts for the other page. Returns false if the browser cannot store that much. */
export function leave(texts: Texts): boolean {
  try {
    const text = JSON.stringify(texts);
    // Uses `localStorage`, because a page without an opener cannot read this tab's `sessionStorage`.
    localStorage.setItem(KEY, text);
    setTimeout(() => localStorage.getItem(KEY) === text && localStorage.removeItem(KEY), UNCLAIMED);
    return true;
  } catch {
    return false;
  }
}

/** Takes the texts that were left. Returns null if there are none. */
export function take(): Texts | null {
  try {
    const text = localStorage.getItem(KEY);
    localStorage.removeItem(KEY);
    const given: unknown = JSON.parse(text ?? 'null');
    const [metadata, evidence, schema, imprint] = ['metadata', 'evidence', 'schema', 'imprint'].map((name) => own(given, name));
    const areTexts = typeof metadata === 'string' && typeof evidence === 'string' && typeof schema === 'string' && typeof imprint === 'string';
    return areTexts ? { metadata, evidence, schema, imprint } : null;
  } catch {
    return null;
  }
}
