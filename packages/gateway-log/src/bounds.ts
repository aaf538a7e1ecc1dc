import { partStopMsMax } from "@gatehouse/async";

/** Bounds of a process's gateway log; docs/logs.md gives the reason for each value. */
export const gatewayLogBounds = {
  /** Longest stay of an entry before it is published. */
  flushIntervalMs: 250,
  batchEntriesMax: 500,
  /** Bytes of one message: a broker accepts a mebibyte by default, headers included. */
  batchBytesMax: 768 * 1024,
  publishBatchesMax: 8,
  /** Entries in memory while publishing is blocked; further ones go to disk. At twice as many, newer ones are dropped. */
  entriesInMemoryMax: 20_000,
  /** Bytes on disk; beyond it, newer entries are dropped. */
  spillBytesMax: 512 * 1024 * 1024,
  /** Messages of a spill file in one publication. */
  replayBatchesMax: 4,
  /** Waits between attempts while publishing is blocked: the first and the last; doubled each time. */
  retryFirstMs: 250,
  retryLastMs: 5_000,
  /** Longest wait of `stop` for a publication. */
  stopTimeoutMs: partStopMsMax,
  /** Length of a text in an entry. */
  textLengthMax: 512,
  /** Length of an entry's details as JSON; longer ones are left out. */
  detailsLengthMax: 2_048,
} as const;
