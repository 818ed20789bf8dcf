// Arranges the fields of a document as a certificate: title, description, picture, and the other fields as a tree. Does not use the DOM.
import type { Difference } from './alike.ts';
import { schemaAt } from './certified.ts';
import { bySchema, difference, displayOf, headingOf, nameOf } from './display.ts';
import type { Display } from './display.ts';
import type { Field, FieldStatus } from './field.ts';
import { isPointer } from './issue.ts';
import { isObject, own, pathText } from './json.ts';
import type { Path } from './json.ts';
import { visible } from './visible.ts';

/** The mark of a field: changed, added by somebody, or certified for another asset. */
export type Mark = 'changed' | 'added' | 'other';

/** A field with a single value. `certified` is how the certified value is shown, if it differs. */
export interface Leaf {
  path: Path;
  label: string | undefined;
  value: Display;
  mark: Mark | null;
  certified?: Display;
  alike?: Difference[] | null;
  group?: undefined;
  list?: undefined;
  table?: undefined;
}

interface Branch {
  label: string | undefined;
  value?: undefined;
  mark?: undefined;
  group?: TreeNode[] | undefined;
  list?: TreeNode[] | undefined;
  table?: (Leaf | null)[][] | undefined;
  columns?: (string | undefined)[];
}

/** A field, or a part of the certificate with its children in one of `group`, `list` and `table`. A table also has `columns`. */
export type TreeNode = Leaf | Branch;

export interface Certificate {
  /** The schema's title. Undefined if it has none. */
  kind: string | undefined;
  /** True if the evidence proves a value, and so also the schema with its titles. */
  isNamed: boolean;
  title: Leaf | null;
  description: Leaf | null;
  image: Leaf | null;
  /** The other fields in the schema's order. */
  nodes: TreeNode[];
  /** Addresses and ids. */
  technical: Leaf[];
  /** The names of values that the schema does not describe. */
  outside: string[];
  /** The number of fields that are neither proven nor among the first 500. */
  more: number;
  /** True if values were changed, and all of them look like the certified ones. */
  isAlike: boolean;
}

/** The maximum number of fields on a certificate that are not proven. The machine-readable result has all of them. */
const MAX_FIELDS = 500;
/** A list of objects with more keys than this is not shown as a table. */
const MAX_COLUMNS = 4;

/** The top-level keys with the ids of the asset, which are shown apart from the fields. */
const TECHNICAL = ['ledgerId', 'assetId'];

/** The marks of fields that differ from the certified values. */
const MARKS: Partial<Record<FieldStatus, Mark>> = { 'not-proven': 'changed', 'not-covered': 'added' };
/** The reasons of values that the schema does not describe. Such values are not part of the certificate. */
const OUTSIDE = ['not-in-schema', 'not-certified'];

/** Returns the certificate. Only proven values become links and pictures. */
export function certificateOf({ schema, fields, locale }: { schema: unknown; fields: readonly Field[]; locale: string }): Certificate {
  const isOutside = ({ reason }: Field) => typeof reason === 'string' && OUTSIDE.includes(reason);
  const outside = fields.filter(isOutside);
  const within = fields.filter((field) => !isOutside(field)).sort(order(schema));
  const shown = within.filter(({ status }, index) => status === 'proven' || index < MAX_FIELDS).map((field) => leafOf(schema, field, locale));
  const headOf = (key: string) => shown.find((leaf) => isHead(leaf, key)) ?? null;
  const heads = [headOf('name'), headOf('description'), headOf('image')] as const;
  const isTechnical = ({ path: [key], path, mark }: Leaf) => path.length === 1 && mark === null && typeof key === 'string' && (isPointer(key) || TECHNICAL.includes(key));
  const changed = shown.filter(({ mark }) => mark === 'changed');
  return {
    kind: headingOf(schema),
    isNamed: fields.some(({ status }) => status === 'proven'),
    title: heads[0],
    description: heads[1],
    image: heads[2],
    nodes: nodesOf(
      schema,
      [],
      shown.filter((leaf) => !heads.includes(leaf) && !isTechnical(leaf)),
    ),
    technical: shown.filter(isTechnical),
    outside: outside.map(({ path }) => visible(pathText(path))),
    more: within.length - shown.length,
    isAlike: changed.length > 0 && changed.every(({ alike }) => Boolean(alike)),
  };
}

function order(schema: unknown) {
  const compare = bySchema(schema);
  return (one: Field, other: Field) => compare(one.path, other.path);
}

/** Returns true if a field belongs at the top of the certificate as `key`: a picture for `image`, a single value for the other keys. */
function isHead({ path, value }: Leaf, key: string) {
  return path.length === 1 && path[0] === key && (key === 'image' ? value.kind === 'picture' : value.kind !== 'json' && value.kind !== 'picture');
}

function leafOf(schema: unknown, { path, value, status, reason, certified }: Field, locale: string): Leaf {
  const at = { schema: schemaAt(schema, path), key: path.at(-1), locale };
  const mark = reason === 'asset-mismatch' ? 'other' : (MARKS[status] ?? null);
  const leaf = { path, label: nameOf(schema, path), value: brief(displayOf(value, { ...at, isProven: status === 'proven' })), mark };
  return mark === 'changed' && certified !== undefined ? { ...leaf, ...difference(value, certified, at) } : leaf;
}

/** Folds a long `data:` address, such as an attached file. */
function brief(display: Display): Display {
  const isData = display.kind === 'text' && /^data:[^\s]{200}/.test(display.text);
  return isData ? { kind: 'json', text: display.text.slice(0, 60), rest: `${display.text.slice(60)}${display.rest}` } : display;
}

/** Returns the nodes below `path`. The leaves are in order, so the leaves of one node are next to each other. */
function nodesOf(schema: unknown, path: Path, leaves: Leaf[]): TreeNode[] {
  const depth = path.length;
  const nodes: TreeNode[] = [];
  for (let start = 0; start < leaves.length; ) {
    const step = leaves[start]?.path[depth];
    let end = start + 1;
    while (end < leaves.length && leaves[end]?.path[depth] === step) {
      end += 1;
    }
    const below = leaves.slice(start, end);
    const [first] = below;
    // A document without values has one leaf with an empty path, which is no field.
    if (first !== undefined && step !== undefined) {
      nodes.push(first.path.length === depth + 1 ? first : branchOf(schema, [...path, step], below));
    }
    start = end;
  }
  return nodes;
}

function branchOf(schema: unknown, path: Path, leaves: Leaf[]): TreeNode {
  const label = nameOf(schema, path);
  const nodes = nodesOf(schema, path, leaves);
  if (typeof leaves[0]?.path[path.length] !== 'number') {
    return joined(label, path, nodes);
  }
  const columns = columnsOf(own(schemaAt(schema, path), 'items'), nodes);
  return columns === null
    ? { label, list: nodes }
    : { label, columns: columns.map((key) => nameOf(schema, [...path, 0, key])), table: nodes.map(({ group = [] }) => columns.map((key) => cellOf(group, key))) };
}

const isLeaf = (node: TreeNode): node is Leaf => node.value !== undefined;

const cellOf = (group: TreeNode[], key: string) => group.filter(isLeaf).find(({ path }) => path.at(-1) === key) ?? null;

/** Returns a group's label joined with the label of its only field: `Holder` if that field is `name`, otherwise `Holder · Email`. */
function joined(label: string | undefined, path: Path, nodes: TreeNode[]): TreeNode {
  const [only] = nodes;
  if (nodes.length !== 1 || only === undefined || !isLeaf(only) || typeof path.at(-1) === 'number') {
    return { label, group: nodes };
  }
  return { ...only, label: only.path.at(-1) === 'name' ? label : `${label} · ${only.label}` };
}

/** Returns the keys of a table for items that are all groups of single values, or null. */
function columnsOf(items: unknown, nodes: TreeNode[]) {
  const rows = nodes.map(({ group }) => group);
  if (rows.length < 2 || !rows.every((group) => group?.every(({ value, mark }) => value !== undefined && mark === null))) {
    return null;
  }
  const used = new Set(rows.flatMap((group = []) => group.filter(isLeaf).map(({ path }) => path.at(-1))));
  const properties = own(items, 'properties');
  const columns = isObject(properties) ? Object.keys(properties).filter((key) => used.has(key)) : [];
  return columns.length === used.size && columns.length <= MAX_COLUMNS ? columns : null;
}

/** Returns the values of a document, split as its schema describes, all with the given `status`: before a check, or for the holder of the document. */
export function plainFields(schema: unknown, document: unknown, status: FieldStatus): Field[] {
  const fields: Field[] = [];
  const visit = (at: unknown, value: unknown, path: Path) => {
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
function childrenOf(schema: unknown, value: unknown): [step: string | number, schema: unknown, value: unknown][] | null {
  const [properties, items] = [own(schema, 'properties'), own(schema, 'items')];
  if (isObject(value) && isObject(properties) && Object.keys(value).length > 0) {
    return Object.entries(value).map(([key, item]) => [key, own(properties, key), item]);
  }
  if (Array.isArray(value) && isObject(items) && value.length > 0) {
    return value.flatMap((item, index): [number, unknown, unknown][] => (item === null ? [] : [[index, items, item]]));
  }
  return null;
}
