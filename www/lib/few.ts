// Divides work into a few requests at a time, and long lists into several requests. Does not use the DOM.

/** The maximum number of registers that one request for certificates names. */
export const MAX_REGISTERS = 50;

/** Returns the items in groups of at most `size`, in their order. */
export const groupsOf = <Item>(items: readonly Item[], size: number): Item[][] => Array.from({ length: Math.ceil(items.length / size) }, (_, group) => items.slice(group * size, (group + 1) * size));

/** The number of requests that are sent at the same time, because an account can have hundreds of registers. */
const PARALLEL = 6;

/** Returns the result for each item, in the order of the items. */
export async function eachOf<Item, Result>(items: readonly Item[], act: (item: Item) => Promise<Result>): Promise<Result[]> {
  const results = new Map<number, Result>();
  const waiting = items.entries();
  const work = async () => {
    for (const [index, item] of waiting) {
      results.set(index, await act(item));
    }
  };
  await Promise.all(Array.from({ length: PARALLEL }, work));
  return [...results].toSorted(([one], [other]) => one - other).map(([, result]) => result);
}
