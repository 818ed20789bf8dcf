// Reads the events, a page at a time. Does not use the DOM.
import type { Activity, ActivityOptions, Client } from '/client/index.js';

/** The number of events of a page. */
const PAGE = 50;
/** The maximum number of pages that one step reads. With a filter, pages can be empty although the list continues. */
const MAX_PAGES = 5;
/** The maximum number of events in a saved table. */
export const MAX_SAVED = 10_000;
/** The maximum number of steps of a saved table. A filter that matches little needs more steps than there are full pages. */
const MAX_STEPS = 200;

export interface Found {
  readonly events: readonly Activity[];
  /** The cursor of the next page, or null at the end. */
  readonly next: string | null;
}

/** Returns the events after a cursor: the first page that has some. After a few empty pages, there are none, and the person decides whether to go on. */
export async function read(client: Client, options: ActivityOptions, after: string | null, limit = PAGE): Promise<Found> {
  let next = after;
  for (let page = 0; page < MAX_PAGES; page += 1) {
    const { data, meta } = await client.getActivity({ ...options, limit, ...(next === null ? {} : { after: next }) });
    next = meta.next ?? null;
    if (data.length > 0 || next === null) {
      return { events: data, next };
    }
  }
  return { events: [], next };
}

/** Returns the events after a cursor, up to a number of them. Without a cursor, there are none. `isWhole` is false if there are more. */
export async function readAll(client: Client, options: ActivityOptions, after: string | null, most: number): Promise<{ readonly events: readonly Activity[]; readonly isWhole: boolean }> {
  const events: Activity[] = [];
  let next: string | null = after;
  for (let step = 0; step < MAX_STEPS && next !== null && events.length < most; step += 1) {
    const found: Found = await read(client, options, next, 100);
    events.push(...found.events);
    next = found.next;
  }
  return { events: events.slice(0, most), isWhole: next === null && events.length <= most };
}
