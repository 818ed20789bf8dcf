// Returns the values of a document that a schema describes, as a tree of nodes to tick. No DOM here.
import { Refusal, count, isObject, own, shorten, valueText, visible } from './json.js';

/** The maximum number of check boxes. */
const MAX_NODES = 5000;
/** Lists with more items than this can only be ticked as a whole. */
const MAX_ITEMS = 200;

/**
 * Returns the tree: `[{ path, name, text, whole, children }]`. The library must have accepted data and schema, which bounds their depth.
 */
export function lay(schema, data) {
  return childrenOf(schema, data, [], { left: MAX_NODES });
}

function childrenOf(schema, value, path, budget) {
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

function nodeOf(schema, value, path, name, budget) {
  budget.left -= 1;
  if (budget.left < 0) {
    throw new Refusal(`The document has more than ${MAX_NODES} values, too many to tick by hand. Use the npm package for it.`);
  }
  const children = childrenOf(schema, value, path, budget);
  const whole = Array.isArray(value) && value.length > MAX_ITEMS;
  return { path, name, text: textOf(value, children, whole), plain: children.length === 0 && !whole, children };
}

function textOf(value, children, whole) {
  if (whole) {
    return `${count(value.length, 'item')}, as a whole`;
  }
  return children.length > 0 ? count(children.length, Array.isArray(value) ? 'item' : 'field') : shorten(valueText(value), 120);
}
