// Returns the values of a document that a schema describes, as a tree of nodes to tick. Does not use the DOM.
import { Refusal, isObject, own, shorten, valueText, visible } from '../../pkg/view/src/json.ts';
import type { Path } from '../../pkg/view/src/json.ts';

/** The maximum number of check boxes. */
const MAX_NODES = 5000;
/** Lists with more items than this can only be ticked as a whole. */
const MAX_ITEMS = 200;

/** A value to tick. A node with children or a long list has `key` and `count` instead of `text`. `plain` is true for a single value. */
export interface PlanNode {
  path: Path;
  name: string;
  text?: string;
  key?: string;
  count?: number;
  plain: boolean;
  children: PlanNode[];
}

/**
 * Returns the tree. The caller must have checked data and schema with the library, which limits their depth.
 */
export function lay(schema: unknown, data: unknown): PlanNode[] {
  return childrenOf(schema, data, [], { left: MAX_NODES });
}

/** The number of check boxes that are left. */
interface Budget {
  left: number;
}

function childrenOf(schema: unknown, value: unknown, path: Path, budget: Budget): PlanNode[] {
  if (Array.isArray(value)) {
    const some = value.length > MAX_ITEMS ? [] : value;
    return some.map((item, index) => nodeOf(own(schema, 'items'), item, [...path, index], `[${index}]`, budget));
  }
  const properties = own(schema, 'properties');
  if (!isObject(value) || !isObject(properties)) {
    return [];
  }
  const described = Object.keys(value).filter((key) => Object.hasOwn(properties, key));
  return described.map((key) => nodeOf(properties[key], value[key], [...path, key], visible(key), budget));
}

function nodeOf(schema: unknown, value: unknown, path: Path, name: string, budget: Budget): PlanNode {
  budget.left -= 1;
  if (budget.left < 0) {
    throw new Refusal(`The document has more than ${MAX_NODES} values, too many to tick by hand. Use the npm package for it.`, 'certify.tooMany', { most: MAX_NODES });
  }
  const children = childrenOf(schema, value, path, budget);
  const whole = Array.isArray(value) && value.length > MAX_ITEMS;
  return { path, name, ...textOf(value, children, whole ? value.length : null), plain: children.length === 0 && !whole, children };
}

/** Returns the text of a single value, or the key of a text in pkg/view/texts and its count. `whole` is the length of a list that is ticked as a whole, or null. */
function textOf(value: unknown, children: PlanNode[], whole: number | null) {
  if (whole !== null) {
    return { key: 'certify.itemsWhole', count: whole };
  }
  return children.length > 0 ? { key: Array.isArray(value) ? 'certify.items' : 'certify.fields', count: children.length } : { text: shorten(valueText(value), 120) };
}
