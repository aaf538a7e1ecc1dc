/** Lets the event loop serve other requests before work goes on. */
export function nextTurn(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}

/** Bytes of a body whose parsing, walking, counting or encoding takes over a millisecond each. */
const largeBodyBytesMin = 128 * 1_024;

/** Whether other requests are to have their turn between two pieces of work on a body. */
export function isLargeBody(bytes: number | undefined): boolean {
  return bytes !== undefined && bytes >= largeBodyBytesMin;
}
