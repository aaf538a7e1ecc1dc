/**
 * Runs `act` after `ms`, once everything that has arrived by then has been read: if this process was busy, an awaited answer may
 * already be there, and the peer is not late. @returns a function that cancels it
 */
export function afterReading(act: () => void, ms: number): () => void {
  let isOver = false;
  const run = () => {
    if (!isOver) act();
  };
  // Timers run before sockets in a turn of the event loop, and an answer takes a turn or two from its socket to its reader.
  const timer = setTimeout(() => setImmediate(() => setImmediate(run)), ms);
  return () => {
    isOver = true;
    clearTimeout(timer);
  };
}
