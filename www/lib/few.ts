// Sends several requests at a time, but not too many. Does not use the DOM.

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
