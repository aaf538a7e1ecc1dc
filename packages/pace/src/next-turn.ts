import { performance } from "node:perf_hooks";

/** Bytes, or units of a text, from which parsing, walking or encoding takes about a millisecond, so that a turn between them is due. */
const largeBytesMin = 64 * 1_024;

/** Whether work on so many bytes is to be done in slices; what is smaller is done at once, which costs no turn of any queue. */
export function isLarge(bytes: number | undefined): boolean {
  return bytes !== undefined && bytes >= largeBytesMin;
}

/** Work that waits for its turn, first come first served. The event loop is one for the whole process, and so is its queue. */
const waiting: (() => void)[] = [];

/** Wait of work where others use the loop. Their requests go on in many short steps, which come in meanwhile. */
const restMs = 2;
/** Rests in a row, after which work goes on however busy the loop is: so it has about a fifth of the time at least. */
const restsMax = 2;
/** A turn of a loop in which nothing else happens takes less. */
const idleTurnMs = 0.15;

let rests = 0;
/** Time at which the latest slice ended, or at which the first piece of waiting work came after it. */
let freeSinceMs = 0;
/** Whether the latest piece of work is still in its slice. */
let isSliceOpen = false;
/** Time for which the loop had been busy when the rest began. */
let busyMs = 0;

/**
 * Lets the event loop serve sockets and timers before work goes on. One piece of waiting work goes on in each turn of the loop,
 * however many wait, and only once others leave the loop alone, or after {@link restsMax} rests: a request in many short steps meets
 * a slice of large work about once, not between all of its steps.
 */
export function nextTurn(): Promise<void> {
  return new Promise((resolve) => {
    waiting.push(resolve);
    if (isSliceOpen || waiting.length === 1) freeSinceMs = performance.now();
    isSliceOpen = false;
    if (waiting.length === 1) setImmediate(takeTurn);
  });
}

function takeTurn(): void {
  if (performance.now() - freeSinceMs < idleTurnMs) goOn();
  else rest();
}

function rest(): void {
  rests += 1;
  busyMs = performance.eventLoopUtilization().active;
  setTimeout(endRest, restMs);
}

function endRest(): void {
  if (rests < restsMax && performance.eventLoopUtilization().active - busyMs > idleTurnMs) rest();
  else goOn();
}

function goOn(): void {
  rests = 0;
  const next = waiting.shift();
  isSliceOpen = true;
  // The slice runs in the microtasks of this turn, so it is over when this comes.
  if (waiting.length > 0) setImmediate(takeTurn);
  next?.();
}
