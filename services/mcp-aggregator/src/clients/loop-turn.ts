/** Time that the reading of replies, of all upstreams together, takes of one turn of the event loop beyond each one's first piece. */
const readingMsPerTurnMax = 4;

let turn = 0;
let readingMs = 0;
let isWatched = false;

/** Number of this turn of the event loop, which ends with its check phase. */
export function currentTurn(): number {
  if (!isWatched) {
    isWatched = true;
    setImmediate(endTurn);
  }
  return turn;
}

/** Whether the reading of replies has had its time of this turn. */
export function isReadingTimeUsed(): boolean {
  return readingMs >= readingMsPerTurnMax;
}

/** Runs a piece of the reading of a reply, whose time counts for this turn. */
export function readInTurn<T>(read: () => T): T {
  currentTurn();
  const startedAt = performance.now();
  try {
    return read();
  } finally {
    readingMs += performance.now() - startedAt;
  }
}

function endTurn(): void {
  isWatched = false;
  turn += 1;
  readingMs = 0;
}
