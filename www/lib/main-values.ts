// Chooses the values of a certificate that a person compares with a paper. Does not use the DOM.
import type { Certificate, Leaf, TreeNode } from '../../pkg/view/src/model.ts';

/** The maximum number of values, and of UTF-16 code units in each. People do not compare more. */
const MAX_VALUES = 5;
const MAX_LENGTH = 120;

/** Returns the fields of the certificate's title and of its first short texts, numbers and dates, in the order of the certificate. */
export function mainValues({ title, nodes }: Certificate): Leaf[] {
  const leaves = [...(title === null ? [] : [title]), ...nodes.flatMap(leavesIn)];
  return leaves.filter(({ value: { kind, text, rest } }) => ['text', 'number', 'date'].includes(kind) && text.length <= MAX_LENGTH && rest === '').slice(0, MAX_VALUES);
}

function leavesIn(node: TreeNode): Leaf[] {
  return node.value !== undefined ? [node] : [...(node.group ?? []), ...(node.list ?? [])].flatMap(leavesIn);
}
