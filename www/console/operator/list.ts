// A list of `/admin` as a hook: read when its part is opened, and read on by its cursor.
import type { AdminListOptions, AdminLists } from '/client/index.js';
import { explained } from '/lib/signer.ts';
import { refusal } from '/components/answer.ts';
import { useEffect, useReducer, useRef } from 'preact/hooks';
import type { ViewProperties } from '../views.ts';
import { EMPTY, type Listed, reduceList } from './state.ts';

/** The number of items of a page. */
const PAGE = 50;

export interface Reading<Item> extends Listed<Item> {
  readonly more: () => void;
  /** Reads the list again from its start. */
  readonly again: () => void;
  /** Shows what a change made of the items of which `is` is true. Null removes them. */
  readonly replace: (is: (item: Item) => boolean, item: Item | null) => void;
}

/** Returns a list, which is read again when `status` changes. */
export function useList<Name extends keyof AdminLists>({ session, answered }: ViewProperties, name: Name, status: AdminListOptions['status'] | null = null): Reading<AdminLists[Name]> {
  type Item = AdminLists[Name];
  const [list, dispatch] = useReducer(reduceList<Item>, EMPTY);
  const readings = useRef(0);
  const read = async (after: string | null) => {
    readings.current += 1;
    const reading = readings.current;
    const isMore = after !== null;
    dispatch({ type: 'begun', reading, isMore });
    try {
      const { data, meta } = await session.client.getAdminItems(name, { limit: PAGE, ...(status === null ? {} : { status }), ...(isMore ? { after } : {}) });
      dispatch({ type: 'read', reading, items: data, isMore, next: meta.next ?? null });
    } catch (error) {
      answered(refusal(explained(error)));
    }
  };
  useEffect(() => {
    read(null);
  }, [session, status]);
  return {
    ...list,
    more: () => {
      read(list.next);
    },
    again: () => {
      read(null);
    },
    replace: (is, item) => dispatch({ type: 'replaced', is, item }),
  };
}
