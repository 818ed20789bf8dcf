// Arranges the fields of a document as a certificate: title, description, picture, and the other fields as a tree. Does not use the DOM.
import { bySchema, difference, displayOf, headingOf, nameOf } from './display.js';
import { schemaAt } from './certified.js';
import { isPointer } from './issue.js';
import { isObject, own, pathText } from './json.js';
import { visible } from './visible.js';

/** The maximum number of fields on a certificate that are not proven. The machine-readable result has all of them. */
const MAX_FIELDS = 500;
/** A list of objects with more keys than this is not shown as a table. */
const MAX_COLUMNS = 4;

/** Top-level keys that are shown apart from the fields. */
const HEAD = ['name', 'description', 'image'];
const TECHNICAL = ['ledgerId', 'assetId'];

/** The marks of fields that differ from the certified values. */
const MARKS = { 'not-proven': 'changed', 'not-covered': 'added' };
/** The reasons of values that the schema does not describe. Such values are not part of the certificate. */
const OUTSIDE = ['not-in-schema', 'not-certified'];

/**
 * Returns the certificate:
 *
 * - `kind`: the schema's title; undefined if it has none.
 * - `isNamed`: true if the evidence proves a value, and so also the schema with its titles.
 * - `title`, `description`, `image`: the values of `name`, `description` and `image`, or null.
 * - `nodes`: the other fields in the schema's order. A node is `{ label, value, mark, certified, alike }` or has children in one of `group`, `list`
 *   and `table`; a table also has `columns`.
 * - `technical`: addresses and ids, with their names.
 * - `outside`: the names of values that the schema does not describe.
 * - `more`: the number of fields that are neither proven nor among the first 500.
 * - `isAlike`: true if values were changed, and all of them look like the certified ones.
 *
 * `fields` are a report's fields: `{ path, value, status, reason, certified }`. Only proven values become links and pictures.
 */
export function certificateOf({ schema, fields, locale }) {
  const outside = fields.filter(({ reason }) => OUTSIDE.includes(reason));
  const within = fields.filter(({ reason }) => !OUTSIDE.includes(reason)).sort(order(schema));
  const shown = within.filter(({ status }, index) => status === 'proven' || index < MAX_FIELDS).map((field) => leafOf(schema, field, locale));
  const head = Object.fromEntries(HEAD.map((key) => [key, shown.find((leaf) => isHead(leaf, key)) ?? null]));
  const isTechnical = ({ path, mark }) => path.length === 1 && mark === null && (isPointer(path[0]) || TECHNICAL.includes(path[0]));
  const heads = Object.values(head);
  const changed = shown.filter(({ mark }) => mark === 'changed');
  return {
    kind: headingOf(schema),
    isNamed: fields.some(({ status }) => status === 'proven'),
    title: head.name,
    description: head.description,
    image: head.image,
    nodes: nodesOf(schema, [], shown.filter((leaf) => !heads.includes(leaf) && !isTechnical(leaf))),
    technical: shown.filter(isTechnical),
    outside: outside.map(({ path }) => visible(pathText(path))),
    more: within.length - shown.length,
    isAlike: changed.length > 0 && changed.every(({ alike }) => Boolean(alike)),
  };
}

function order(schema) {
  const compare = bySchema(schema);
  return (one, other) => compare(one.path, other.path);
}

/** Returns true if a field belongs at the top of the certificate as `key`: a picture for `image`, a single value for the other keys. */
function isHead({ path, value }, key) {
  return path.length === 1 && path[0] === key && (key === 'image' ? value.kind === 'picture' : value.kind !== 'json' && value.kind !== 'picture');
}

function leafOf(schema, { path, value, status, reason, certified }, locale) {
  const at = { schema: schemaAt(schema, path), key: path.at(-1), locale };
  const mark = reason === 'asset-mismatch' ? 'other' : MARKS[status] ?? null;
  const leaf = { path, label: nameOf(schema, path), value: brief(displayOf(value, { ...at, isProven: status === 'proven' })), mark };
  return mark === 'changed' && certified !== undefined ? { ...leaf, ...difference(value, certified, at) } : leaf;
}

/** Folds a long `data:` address, such as an attached file. */
function brief(display) {
  const isData = display.kind === 'text' && /^data:[^\s]{200}/.test(display.text);
  return isData ? { kind: 'json', text: display.text.slice(0, 60), rest: `${display.text.slice(60)}${display.rest}` } : display;
}

/** Returns the nodes below `path`. The leaves are in order, so the leaves of one node are next to each other. */
function nodesOf(schema, path, leaves) {
  const depth = path.length;
  const nodes = [];
  for (let start = 0; start < leaves.length; ) {
    const step = leaves[start].path[depth];
    let end = start + 1;
    while (end < leaves.length && leaves[end].path[depth] === step) {
      end += 1;
    }
    const below = leaves.slice(start, end);
    nodes.push(below[0].path.length === depth + 1 ? below[0] : branchOf(schema, [...path, step], below));
    start = end;
  }
  return nodes;
}

function branchOf(schema, path, leaves) {
  const label = nameOf(schema, path);
  const nodes = nodesOf(schema, path, leaves);
  if (typeof leaves[0].path[path.length] !== 'number') {
    return joined(label, path, nodes);
  }
  const columns = columnsOf(own(schemaAt(schema, path), 'items'), nodes);
  return columns === null ? { label, list: nodes } : { label, columns: columns.map((key) => nameOf(schema, [...path, 0, key])), table: nodes.map(({ group }) => columns.map((key) => cellOf(group, key))) };
}

const cellOf = (group, key) => group.find(({ path }) => path.at(-1) === key) ?? null;

/** Returns a group's label joined with the label of its only field: `Holder` if that field is `name`, otherwise `Holder · Email`. */
function joined(label, path, nodes) {
  const [only] = nodes;
  if (nodes.length !== 1 || only.value === undefined || typeof path.at(-1) === 'number') {
    return { label, group: nodes };
  }
  return { ...only, label: only.path.at(-1) === 'name' ? label : `${label} · ${only.label}` };
}

/** Returns the keys of a table for items that are all groups of single values, or null. */
function columnsOf(items, nodes) {
  const rows = nodes.map(({ group }) => group);
  if (rows.length < 2 || !rows.every((group) => group?.every(({ value, mark }) => value !== undefined && mark === null))) {
    return null;
  }
  const used = new Set(rows.flatMap((group) => group.map(({ path }) => path.at(-1))));
  const columns = isObject(own(items, 'properties')) ? Object.keys(items.properties).filter((key) => used.has(key)) : [];
  return columns.length === used.size && columns.length <= MAX_COLUMNS ? columns : null;
}

/** Returns the values of a document, split as its schema describes, all with the given `status`: before a check, or for the holder of the document. */
export function plainFields(schema, document, status) {
  const fields = [];
  const visit = (at, value, path) => {
    const children = childrenOf(at, value);
    if (children === null) {
      fields.push({ path, value, status, reason: null });
    } else {
      for (const [step, inside, item] of children) {
        visit(inside, item, [...path, step]);
      }
    }
  };
  visit(schema, document, []);
  return fields;
}

/** Returns the children `[step, schema, value]` of a value that the schema splits, or null for a single value. */
function childrenOf(schema, value) {
  const [properties, items] = [own(schema, 'properties'), own(schema, 'items')];
  if (isObject(value) && isObject(properties) && Object.keys(value).length > 0) {
    return Object.entries(value).map(([key, item]) => [key, own(properties, key), item]);
  }
  if (Array.isArray(value) && isObject(items) && value.length > 0) {
    return value.map((item, index) => [index, items, item]).filter(([, , item]) => item !== null);
  }
  return null;
}
