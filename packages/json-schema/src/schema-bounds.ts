/** Bounds of a tenant's schema, and of the work of a check. */
export const schemaBounds = {
  jsonLengthMax: 64 * 1024,
  depthMax: 32,
  subschemasMax: 1_000,
  /** A schema of more parts takes over 30 ms to compile, so it is compiled and used on another thread only. */
  inlineSubschemasMax: 100,
  /** Violations named in one message. */
  violationsMax: 20,
  /** Characters of one of them: a pointer is as long as the caller's keys. */
  violationCharsMax: 300,
  /** Errors, those of alternatives that do not fit included, after which no further ones are looked for. */
  errorsMax: 100,
  /** Work on a small value; a schema that needs more of it repeats itself without reading anything. */
  probeWorkMax: 20_000,
  /** Work on the event loop, 0.1 to 2 ms; what needs more goes to another thread. */
  inlineWorkMax: 10_000,
  /** Work on that thread, 0.2 to 4 s. */
  workMax: 20_000_000,
} as const;
