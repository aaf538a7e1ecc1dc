/** Runs pieces of work one at a time. */
export type Exclusively = <T>(work: () => Promise<T>) => Promise<T>;

/** Pieces of work run in the order they came; one that fails does not keep the next one back. */
export function createSerial(): Exclusively {
  let last: Promise<unknown> = Promise.resolve();
  return async (work) => {
    const result = last.then(work);
    last = result.catch(() => {});
    return await result;
  };
}
