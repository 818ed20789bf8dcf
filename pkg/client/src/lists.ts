// Lists: the query parameters of a page, and iteration over all pages.
import type { PageOptions } from "./inputs.js";
import { named, notAnOption } from "./named.js";
import type { Envelope, PageMeta } from "./types.js";

/** The default number of items on a page (`docs/interface.md`, "Limits"). */
const LIMIT = 25;
/** The number of items on a page when all pages are read: the service's maximum. */
const WHOLE_LIMIT = 100;

/** The parameters of every list. */
const OF_PAGES = ["skip", "limit", "sort", "after"] as const satisfies readonly (keyof PageOptions)[];

/**
 * Returns the query parameters: those with the names `own`, then the page's. Throws for options with other names, and for an invalid date. An absent `skip` or
 * `limit` gets its default. Other absent options are left out, and so is a sort or status of 0.
 */
export function query(options: object | undefined, own: readonly string[]): [string, string][] {
  const names = [...own, ...OF_PAGES];
  const given = named(options, names);
  const parameters: [string, string][] = [];
  for (const name of names) {
    const value = given[name];
    if (name === "skip") parameters.push([name, String(value || 0)]);
    else if (name === "limit") parameters.push([name, String(value || LIMIT)]);
    else if (Array.isArray(value)) parameters.push([name, value.join(",")]);
    else if (value && name.endsWith("Date")) parameters.push([name, date(name, value)]);
    else if (value) parameters.push([name, String(value)]);
  }
  return parameters;
}

function date(name: string, value: unknown): string {
  try {
    return new Date(value as Date).toISOString();
  } catch (error) {
    throw notAnOption(`\`${name}\` must be a valid date`, error);
  }
}

/** Iterates over all items of a list, page by page. */
export async function* eachItem<Item, Options extends PageOptions>(page: (options: Options) => Promise<Envelope<Item[], PageMeta>>, options?: Options): AsyncGenerator<Item, void> {
  let next = { limit: WHOLE_LIMIT, ...options } as Options;
  for (;;) {
    const { data, meta } = await page(next);
    yield* data;
    // Stops if the cursor does not advance, because the loop would never end.
    if (!meta?.next || meta.next === next.after) return;
    // The cursor is already past the skipped items.
    next = { ...next, skip: 0, after: meta.next };
  }
}
