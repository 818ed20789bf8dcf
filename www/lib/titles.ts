// The titles of templates in all languages. Registers are found by them, and certificates are shown with the titles in the visitor's language.
import { inLanguage, isLikeTemplate } from '../../pkg/view/src/templates.ts';
import type { JsonObject } from '../../pkg/view/src/json.ts';
import type { Say } from '../../pkg/view/src/say.ts';
import { language, say, saysOf } from './texts.ts';

let loading: ReturnType<typeof saysOf> | undefined;

/** Loads the titles, unless they are loaded already. Another attempt follows a failed one. */
export function loadTitles() {
  loading ??= saysOf('templates').catch((error) => {
    loading = undefined;
    throw error;
  });
  return loading;
}

/** Returns a certificate's schema with the titles in the visitor's language, if it is a template's schema. Otherwise returns the schema itself. */
export async function readable(schema: unknown): Promise<unknown> {
  try {
    return isLikeTemplate(schema) ? inLanguage(schema, language, await loadTitles()) : schema;
  } catch {
    // The certificate is shown with its own titles.
    return schema;
  }
}

/**
 * Returns the schemas that a template has in all languages, by their ids. The schema in the page's language is the first one. A ledger has the id of
 * one of them: that of the language in which the ledger was deployed. `schemaIn(say)` returns the schema in a language, and `identify` its id.
 */
export async function schemasById(schemaIn: (say: Say) => JsonObject, identify: (schema: JsonObject) => Promise<string>): Promise<Map<string, JsonObject>> {
  const says = [say, ...(await loadTitles()).map(([, say]) => say)];
  const found = new Map<string, JsonObject>();
  for (const text of new Set(says.map((say) => JSON.stringify(schemaIn(say))))) {
    const schema = JSON.parse(text);
    found.set(await identify(schema), schema);
  }
  return found;
}
