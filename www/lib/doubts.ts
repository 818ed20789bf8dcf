// Asks the issuer to confirm values that can hardly be meant, such as those that a spreadsheet destroyed. `lib/tables.ts` finds them. Does not use the DOM.
import { nameOf } from '../../pkg/view/src/display.ts';
import { Refusal, pathText } from '../../pkg/view/src/json.ts';
import type { Path } from '../../pkg/view/src/json.ts';
import type { Say } from '../../pkg/view/src/say.ts';

/** The kinds of doubts, in the order in which they are confirmed. */
const KINDS = ['dates', 'errors', 'shortened', 'equal-rows', 'spaces'];
/** The maximum number of doubts that are listed of each kind. */
const MAX_LISTED = 10;

/** A doubt about a value. `row` is the row of a table, and `first` the earlier row of an equal one. */
export interface Doubt {
  row?: number;
  path: Path;
  kind: string;
  code: string;
  first?: number | null;
}

/** The functions of lib/texts.ts with which doubts are described. */
interface Words {
  say: Say;
  listText(items: Iterable<string>): string;
}

/**
 * Returns a function that refuses doubts, one kind at a time. If it has just refused the same kind for the same `content`, it accepts this kind,
 * because the issuer has pressed the button again.
 */
export function doubtsConfirmation({ say, listText }: Words): (schema: unknown, doubts: Doubt[], content: unknown) => void {
  let confirmed: { content: unknown; kinds: Set<string> } = { content: null, kinds: new Set() };
  return (schema, doubts, content) => {
    if (confirmed.content !== content) {
      confirmed = { content, kinds: new Set() };
    }
    const kind = KINDS.find((kind) => !confirmed.kinds.has(kind) && doubts.some((doubt) => doubt.kind === kind));
    if (kind !== undefined) {
      confirmed.kinds.add(kind);
      throw Refusal.of(`doubt.confirm.${kind}`, {
        list: listed(
          schema,
          doubts.filter((doubt) => doubt.kind === kind),
          { say, listText },
        ),
      });
    }
  };
}

/** Returns a sentence for each of the first doubts, by row, and the number of the others. */
function listed(schema: unknown, doubts: Doubt[], { say, listText }: Words) {
  const byRow = new Map<number | undefined, string[]>();
  for (const doubt of doubts.slice(0, MAX_LISTED)) {
    byRow.set(doubt.row, [...(byRow.get(doubt.row) ?? []), sentenceOf(schema, doubt, say)]);
  }
  const lines = [...byRow].map(([row, sentences]) => (row === undefined ? listText(sentences) : say('doubt.row', { row, list: listText(sentences) })));
  const more = doubts.length - MAX_LISTED;
  return [...lines, ...(more > 0 ? [say('certificate.more', { count: more })] : [])].join('; ');
}

const sentenceOf = (schema: unknown, { path, code, first }: Doubt, say: Say) => say(`doubt.${code}`, { field: `\u2068${nameOf(schema, path) ?? pathText(path)}\u2069`, first });
