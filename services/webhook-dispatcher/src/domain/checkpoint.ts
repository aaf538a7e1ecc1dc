/** Places in a delivery's way at which a test may end the process, or make it wait. */
export type Checkpoint = "claimed" | "started" | "sent" | "recorded";

/** Called at each place, and awaited. */
export type OnCheckpoint = (at: Checkpoint) => Promise<void> | void;
