// The values that a schema describes in a document, as a tree to tick: nested lists of check boxes, which every keyboard and
// screen reader knows.
import { Refusal, count, isObject, own, valueText, visible } from './json.js';
import { element } from './page.js';

/** More check boxes than anybody ticks. */
const MAX_NODES = 5000;

/** Builds the tree into `list`. Data and schema have to be ones that the library accepts, which bounds how deep they are. */
export function buildTree(list, schema, data) {
  const budget = { left: MAX_NODES };
  const roots = childrenOf(schema, data, [], budget);
  list.replaceChildren(...roots.map((node) => node.item));
  for (const node of roots) {
    link(node, null);
  }
  return {
    size: roots.length,
    /** The ticked paths: one for an object or list that is ticked as a whole. */
    paths: () => roots.flatMap(ticked),
    /** Top-level keys that the schema does not describe. */
    outside: Object.keys(data).filter((key) => !isObject(own(own(schema, 'properties'), key))),
  };
}

function childrenOf(schema, value, path, budget) {
  if (Array.isArray(value)) {
    return value.map((item, index) => nodeOf(own(schema, 'items'), item, [...path, index], `[${index}]`, budget));
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
    throw new Refusal(`The data has more than ${MAX_NODES} values: too many to tick by hand. The npm package certifies them.`);
  }
  const children = childrenOf(schema, value, path, budget);
  const box = element('input', { type: 'checkbox' });
  const text = children.length > 0 ? count(children.length, Array.isArray(value) ? 'item' : 'field') : shorten(valueText(value));
  const label = element('label', {}, box, element('bdi', { class: 'name' }, name), ' ', element('bdi', { class: children.length > 0 ? 'hint' : 'value' }, text));
  const item = element('li', {}, label, ...(children.length > 0 ? [element('ul', { 'aria-label': name }, ...children.map((child) => child.item))] : []));
  return { path, box, item, children };
}

const shorten = (text) => (text.length > 120 ? `${text.slice(0, 120)}…` : text);

/** A tick holds for all below; those above show whether all, some or none below them are ticked. */
function link(node, parent) {
  node.parent = parent;
  node.box.addEventListener('change', () => {
    tickBelow(node, node.box.checked);
    for (let above = node.parent; above; above = above.parent) {
      above.box.checked = above.children.every(({ box }) => box.checked);
      above.box.indeterminate = !above.box.checked && above.children.some(({ box }) => box.checked || box.indeterminate);
    }
  });
  for (const child of node.children) {
    link(child, node);
  }
}

function tickBelow(node, checked) {
  node.box.checked = checked;
  node.box.indeterminate = false;
  for (const child of node.children) {
    tickBelow(child, checked);
  }
}

function ticked(node) {
  return node.box.checked ? [node.path] : node.children.flatMap(ticked);
}
