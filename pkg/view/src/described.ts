// Reads schemas as generators write them, with `anyOf`, `const`, `enum` and references inside the schema, by the rules of `cert batch`. Does not use the DOM.
import { isObject, own } from './json.ts';

/** A single value of a document. */
export type Single = string | number | boolean;

/** The maximum number of schemas that are examined for a value. Beyond it, a schema accepts every value. */
const MAX_EXAMINED = 256;
/** The maximum number of references and branches that are followed to an object or list. */
const MAX_FOLLOWED = 32;

const TYPES: Record<string, (value: Single, byType: boolean) => boolean> = {
  string: (value) => typeof value === 'string',
  boolean: (value) => typeof value === 'boolean',
  number: (value) => typeof value === 'number',
  integer: (value, byType) => typeof value === 'number' && (byType || Number.isInteger(value)),
};

/**
 * Returns true if a schema accepts a text, number or boolean. Reads only the keywords that decide about the type: `type`, `const`, `enum`, `anyOf`,
 * `oneOf`, `allOf` and `$ref`. The validation reads all keywords. With `byType`, a constant accepts every value of its type.
 */
export function accepts(root: unknown, schema: unknown, value: Single, byType: boolean): boolean {
  let left = MAX_EXAMINED;
  const equals = (constant: unknown) => (byType ? typeof constant === typeof value : constant === value);
  const hasType = (node: unknown) => {
    const types = [own(node, 'type') ?? []].flat().filter((type) => typeof type === 'string');
    return types.length === 0 || types.some((type) => Object.hasOwn(TYPES, type) && TYPES[type]?.(value, byType));
  };
  const isAccepted = (node: unknown): boolean => {
    if (left === 0) {
      return true;
    }
    left -= 1;
    if (!isObject(node)) {
      return node !== false;
    }
    const target = targetOf(root, node);
    return (
      hasType(node) &&
      (!Object.hasOwn(node, 'const') || equals(node.const)) &&
      (listOf(node, 'enum')?.some(equals) ?? true) &&
      (listOf(node, 'anyOf')?.some(isAccepted) ?? true) &&
      (listOf(node, 'oneOf')?.some(isAccepted) ?? true) &&
      (listOf(node, 'allOf')?.every(isAccepted) ?? true) &&
      (target === undefined || isAccepted(target))
    );
  };
  return isAccepted(schema);
}

/**
 * Returns the schema of an object's members or a list's items: the schema itself, or the only one to which its references and branches lead.
 * A branch for `null` does not count. Returns the last schema on the way if it describes no object and no list.
 */
export function structureOf(root: unknown, schema: unknown): unknown {
  let at = schema;
  for (let followed = 0; followed < MAX_FOLLOWED; followed += 1) {
    if (own(at, 'properties') !== undefined || own(at, 'items') !== undefined) {
      return at;
    }
    const branches = ['allOf', 'anyOf', 'oneOf'].map((keyword) => (listOf(at, keyword) ?? []).filter((branch) => !isNull(branch)));
    const next = targetOf(root, at) ?? branches.find(({ length }) => length === 1)?.[0];
    if (next === undefined) {
      return at;
    }
    at = next;
  }
  return at;
}

const isNull = (schema: unknown) => own(schema, 'type') === 'null' || own(schema, 'const') === null;

function listOf(node: unknown, keyword: string): unknown[] | undefined {
  const list = own(node, keyword);
  return Array.isArray(list) ? list : undefined;
}

/** Returns the target of `$ref` if it is a JSON Pointer (RFC 6901) inside the schema. */
function targetOf(root: unknown, node: unknown): unknown {
  const reference = own(node, '$ref');
  if (reference === '#') {
    return root;
  }
  if (typeof reference !== 'string' || !reference.startsWith('#/')) {
    return undefined;
  }
  const steps = reference
    .slice(2)
    .split('/')
    .map((step) => step.replaceAll('~1', '/').replaceAll('~0', '~'));
  return steps.reduce<unknown>((at, step) => (Array.isArray(at) && !/^(0|[1-9]\d*)$/.test(step) ? undefined : own(at, step)), root);
}
