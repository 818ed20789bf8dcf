// Random schemas, documents and paths, reproducible by seed.
import { randomly } from '../support.mjs';

const NAMES = ['', 'a', 'b', '-', '0', '10', 'é', '😀', '\uff01', '__proto__', 'a.b', '"\\', 'length', '$schema'];
const SCALARS = [null, true, false, 0, -0, 1, -7, 0.1, 5e-324, 1e21, -1.5e-7, 2 ** 53 - 1, '', '1', 'Ada', '\u0000\u2028', '😀', '"\\/'];
const COUNTS = ['6', 7, 8, 20, 4, 0.5, 2 ** 32 - 1];

/** Returns a schema, a document of it, a key, and paths, most of which exist. */
export function randomCase(seed) {
  const below = randomly(seed);
  const pick = (list) => list[below(list.length)];
  const some = (most) => Array.from({ length: below(most + 1) });
  const object = (entries) => Object.fromEntries(entries);

  function schemaOf(levels) {
    const kind = levels === 0 ? 3 : below(5);
    if (kind < 2) {
      return { type: pick(['object', ['null', 'object']]), properties: object(some(6).map(() => [pick(NAMES), schemaOf(levels - 1)])) };
    }
    if (kind === 2) {
      const items = schemaOf(levels - 1);
      return { type: 'array', items: typeof items === 'object' ? items : {}, ...(below(2) ? { maxItems: pick(COUNTS) } : {}) };
    }
    return pick([{}, true, { type: 'string' }, { type: 'object' }, { type: 'array', items: [{}] }]);
  }

  function any(levels) {
    const kind = levels === 0 ? 2 : below(4);
    if (kind === 0) return some(3).map(() => any(levels - 1));
    return kind === 1 ? object(some(3).map(() => [pick(NAMES), any(levels - 1)])) : pick(SCALARS);
  }

  function valueOf(schema) {
    if (below(10) === 0) return pick([null, 1, '0', true]);
    if (schema.properties) {
      const entries = Object.entries(schema.properties).filter(() => below(4) > 0);
      // Rarely, a key that the schema does not have.
      return object([...entries.map(([name, inner]) => [name, valueOf(inner)]), ...(below(60) ? [] : [['other', 1]])]);
    }
    return schema.items && !Array.isArray(schema.items) ? some(6).map(() => valueOf(schema.items)) : any(2);
  }

  function pathIn(schema) {
    const names = Object.keys(schema.properties ?? {});
    if (names.length > 0 && below(5) > 0) {
      const name = pick(names);
      return [name, ...pathIn(schema.properties[name])];
    }
    if (schema.items && !Array.isArray(schema.items) && below(4) > 0) {
      const index = pick([0, 0, 1, 2, 3, 7, '-']);
      return index === '-' ? [index] : [index, ...pathIn(schema.items)];
    }
    // Rarely, a path that leads out of the schema or into a leaf.
    return below(60) ? [] : ['other'];
  }

  const schema = { type: 'object', properties: object(Array.from({ length: 1 + below(6) }, () => [pick(NAMES), schemaOf(3)])) };
  const document = object(
    Object.entries(schema.properties)
      .filter(() => below(5) > 0)
      .map(([name, inner]) => [name, valueOf(inner)]),
  );
  const paths = Array.from({ length: 1 + below(4) }, () => pathIn(schema));
  return { schema, document, key: Uint8Array.from({ length: 32 }, () => below(256)), paths, below, pick };
}
