/** Bytes, or units of a text, from which parsing, walking or encoding takes about a millisecond, so that a turn between them is due. */
const largeBytesMin = 64 * 1_024;

/** Whether work on so many bytes is to be done in slices; what is smaller is done at once, which costs no turn of any queue. */
export function isLarge(bytes: number | undefined): boolean {
  return bytes !== undefined && bytes >= largeBytesMin;
}

/** Work that waits for its turn, first come first served. The event loop is one for the whole process, and so is its queue. */
const waiting: (() => void)[] = [];

/**
 * Lets the event loop serve sockets and timers before work goes on. One piece of waiting work goes on in each turn of the loop,
 * however many wait: a newcomer waits for the slice of one other request, not for a slice of each.
 */
export function nextTurn(): Promise<void> {
  return new Promise((resolve) => {
    waiting.push(resolve);
    if (waiting.length === 1) setImmediate(goOn);
  });
}

function goOn(): void {
  const next = waiting.shift();
  if (waiting.length > 0) setImmediate(goOn);
  next?.();
}
