/** The turns of the event loop since counting began. */
export interface TurnCount {
  readonly turns: number;
  stop(): void;
}

/** Counts the turns of the event loop until it is stopped. */
export function countTurns(): TurnCount {
  let turns = 0;
  const count = (): void => {
    turns += 1;
    next = setImmediate(count);
  };
  let next = setImmediate(count);
  return {
    get turns() {
      return turns;
    },
    stop: () => clearImmediate(next),
  };
}
