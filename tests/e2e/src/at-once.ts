import { Semaphore } from "@gatehouse/async";

/** Concurrent calls: enough to keep every process of the product busy. */
const callsMax = 8;

/** Runs an independent call for each item, several concurrently. @returns the results in the order of the items */
export async function callAtOnce<Item, Result>(
  items: readonly Item[],
  run: (item: Item) => Promise<Result>,
): Promise<readonly Result[]> {
  const slots = new Semaphore(callsMax);
  return await Promise.all(items.map(async (item) => await slots.run(async () => await run(item))));
}
