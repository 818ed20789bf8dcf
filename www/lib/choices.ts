// The values of a holder's certificate as check boxes with titles and readable values.
import { schemaAt } from '../../pkg/view/src/certified.ts';
import { displayOf, nameOf } from '../../pkg/view/src/display.ts';
import { valueAt } from '../../pkg/view/src/json.ts';
import type { Held } from './holder.ts';
import type { PlanNode } from './plan.ts';
import { locale, say } from './texts.ts';
import type { Choice } from './tree.ts';

/** Returns the check boxes of an opened certificate. `titled` is its schema with the titles of the visitor's language. */
export function choicesOf({ nodes, document }: Held, titled: unknown): Choice[] {
  const named = (some: PlanNode[]): Choice[] => some.map((node) => ({ ...node, ...wordsOf(document, titled, node), children: named(node.children) }));
  return named(nodes);
}

function wordsOf(document: unknown, titled: unknown, { path, children }: PlanNode): { name: string; text: string } {
  const step = path.at(-1);
  const name = nameOf(titled, path) ?? `${nameOf(titled, path.slice(0, -1)) ?? ''} ${Number(step) + 1}`.trim();
  const value = valueAt(document, path);
  if (children.length > 0 || Array.isArray(value)) {
    return { name, text: say(Array.isArray(value) ? 'share.items' : 'share.fields', { count: Array.isArray(value) ? value.length : children.length }) };
  }
  const { kind, text } = displayOf(value, { schema: schemaAt(titled, path), key: step, isProven: true, locale });
  return { name, text: kind === 'picture' ? say('certificate.picture') : kind === 'boolean' ? say(value ? 'common.yes' : 'common.no') : text };
}
