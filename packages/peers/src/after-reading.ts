/**
 * Runs `act` after `ms`, and after what has arrived by then has been read: where this process was busy for so long, the answer that is
 * waited for may be there already, and the peer is not the one that is late. @returns what cancels it
 */
export function afterReading(act: () => void, ms: number): () => void {
  let isOver = false;
  const run = () => {
    if (!isOver) act();
  };
  // Timers come before sockets in a turn of the event loop, and an answer takes a turn or two from its socket to its reader.
  const timer = setTimeout(() => setImmediate(() => setImmediate(run)), ms);
  return () => {
    isOver = true;
    clearTimeout(timer);
  };
}
