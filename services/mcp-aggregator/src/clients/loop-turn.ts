/** Time per turn of the event loop for reading the replies of all upstreams, besides each one's first piece. */
const readingMsPerTurnMax = 4;

let turn = 0;
let readingMs = 0;
let isWatched = false;

/** Number of the present turn of the event loop, which ends with its check phase. */
export function currentTurn(): number {
  if (!isWatched) {
    isWatched = true;
    setImmediate(endTurn);
  }
  return turn;
}

/** Whether the reading of replies has used its time of this turn. */
export function isReadingTimeUsed(): boolean {
  return readingMs >= readingMsPerTurnMax;
}

/** Runs a part of reading a reply, and counts its time for this turn. */
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
