/** Bounds of a tenant's schema (refused beyond them), and of the work of one check of a value. */
export const schemaBounds = {
  jsonLengthMax: 64 * 1024,
  depthMax: 32,
  subschemasMax: 1_000,
  /** Most parts of a schema that is compiled on this thread; more take over 30 ms, and a worker thread. */
  inlineSubschemasMax: 100,
  violationsMax: 20,
  /** Characters of one violation: a pointer is as long as the caller's keys. */
  violationCharsMax: 300,
  /** Errors, including those of rejected alternatives, after which the check stops. */
  errorsMax: 100,
  /** Work on a small value; a schema that needs more recurses without consuming input. */
  probeWorkMax: 20_000,
  /** Work on the event loop, 0.1 to 2 ms; more goes to a worker thread. */
  inlineWorkMax: 10_000,
  /** Work on a worker thread, 0.2 to 4 s. */
  workMax: 20_000_000,
} as const;
