/** Every bound of a process's gateway log; docs/logs.md says why each has its value. */
export const gatewayLogBounds = {
  /** Longest stay of an entry before it is published. */
  flushIntervalMs: 250,
  /** Entries in one message. */
  batchEntriesMax: 500,
  /** Size of one message, in characters: a broker takes a mebibyte by default, and a character may be three bytes. */
  batchLengthMax: 256 * 1024,
  /** Messages in one publication. */
  publishBatchesMax: 8,
  /** Entries that wait in memory while the way is blocked; beyond, they go to disk. Twice as many are the end: then newer ones are dropped. */
  entriesInMemoryMax: 20_000,
  /** Bytes that wait on disk; beyond, newer entries are dropped and what is on disk is kept. */
  spillBytesMax: 512 * 1024 * 1024,
  /** Messages of a spill file in one publication. */
  replayBatchesMax: 4,
  /** Waits between attempts while the way is blocked: the first, then twice as long each time, up to the last. */
  retryFirstMs: 250,
  retryLastMs: 5_000,
  /** Longest wait of `stop` for a publication. */
  stopTimeoutMs: 2_000,
  /** Length of a text in an entry. */
  textLengthMax: 512,
  /** Length of an entry's details as JSON; longer ones are left out. */
  detailsLengthMax: 2_048,
} as const;
