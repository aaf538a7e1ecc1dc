import { performance } from "node:perf_hooks";

/** Size from which parsing, walking or encoding takes about a millisecond, bytes or units of a text. */
const largeBytesMin = 64 * 1_024;

/** Whether work of this size should be done in slices; smaller work is done synchronously. */
export function isLarge(bytes: number | undefined): boolean {
  return bytes !== undefined && bytes >= largeBytesMin;
}

/** Work that waits for its turn, in order of arrival. Shared by the process, like the event loop. */
const waiting: (() => void)[] = [];

/** Pause of large work while other requests use the loop, whose many short steps run meanwhile. */
const restMs = 2;
/** Most consecutive pauses, after which work continues on a busy loop: so it gets at least about a fifth of the time. */
const restsMax = 2;
/** Longest turn of an idle loop. */
const idleTurnMs = 0.15;

let rests = 0;
/** End of the latest slice, or arrival of the first waiting work after it. */
let freeSinceMs = 0;
/** Whether the latest slice is still running. */
let isSliceOpen = false;
/** Busy time of the loop when the pause began. */
let busyMs = 0;

/**
 * Lets the event loop serve sockets and timers before large work continues. One waiting piece continues in each turn of the loop,
 * and only once the loop is otherwise idle, or after {@link restsMax} pauses: so a request in many short steps meets about one
 * slice of large work, rather than one between all of its steps.
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
  // The slice runs in the microtasks of this turn, so it has ended when this fires.
  if (waiting.length > 0) setImmediate(takeTurn);
  next?.();
}
