// The values that marketplaces for tokens show besides name, description and picture: a link, and the public fields as traits. Does not use the DOM.
import { schemaAt } from './certified.ts';
import { isAssetKey, isPointer } from './issue.ts';
import { isObject, own, setOwn, valueAt } from './json.ts';
import type { JsonObject, Path } from './json.ts';
import type { Say } from './say.ts';

/** The member of a property's schema that says what fills the property in when a certificate is issued. */
const FILLED = 'x-assay-fill';

/** The fields that marketplaces show by themselves. */
const SHOWN: unknown[] = ['name', 'description', 'image'];

/** Returns the fields of a schema for marketplaces, with their titles. */
export const marketFields = (say: Say): Record<string, JsonObject> => ({
  external_url: { title: say('template.market.link'), type: 'string', [FILLED]: 'link' },
  attributes: {
    title: say('template.market.traits'),
    type: 'array',
    items: { type: 'object', properties: { trait_type: { title: say('template.market.trait'), type: 'string' }, value: { title: say('template.market.value'), type: 'string' } } },
    [FILLED]: 'traits',
  },
});

/** Returns true if a property is filled in when a certificate is issued. */
export const isFilled = (property: unknown) => typeof own(property, FILLED) === 'string';

/** Returns a schema without the properties that are filled in. */
export function withoutFilled(schema: JsonObject): JsonObject {
  const properties = own(schema, 'properties');
  return isObject(properties) ? { ...schema, properties: Object.fromEntries(Object.entries(properties).filter(([, property]) => !isFilled(property))) } : schema;
}

/** Returns the keys of a schema's properties that are filled in with a link or with traits. */
function keysOf(schema: unknown, kind: 'link' | 'traits') {
  const properties = own(schema, 'properties');
  return Object.entries(isObject(properties) ? properties : {}).flatMap(([key, property]) => (own(property, FILLED) === kind ? [key] : []));
}

/**
 * Returns a document with the values for marketplaces that its schema asks for, and the paths to show with these values. `link` is the certificate's address. The traits are the
 * texts, numbers and truth values at `paths`.
 */
export function withMarket({ schema, document, paths }: { schema: unknown; document: JsonObject; paths: readonly Path[] }, link: string): { document: JsonObject; paths: Path[] } {
  const [links, lists] = [keysOf(schema, 'link'), keysOf(schema, 'traits')];
  const filled: unknown[] = [...links, ...lists];
  const others = paths.filter(([key]) => !filled.includes(key));
  const isTrait = ([key]: Path) => !SHOWN.includes(key) && !isAssetKey(key) && !isPointer(key);
  const copy = { ...document };
  for (const key of links) {
    setOwn(copy, key, link);
  }
  for (const key of lists) {
    setOwn(
      copy,
      key,
      others.filter(isTrait).flatMap((path) => traitAt(schema, document, path)),
    );
  }
  return { document: copy, paths: [...others, ...[...links, ...lists].map((key) => [key])] };
}

function traitAt(schema: unknown, document: unknown, path: Path) {
  const value = valueAt(document, path);
  if (typeof value !== 'string' && typeof value !== 'number' && typeof value !== 'boolean') {
    return [];
  }
  const title = own(schemaAt(schema, path), 'title');
  return [{ trait_type: typeof title === 'string' ? title : String(path.at(-1)), value: String(value) }];
}
