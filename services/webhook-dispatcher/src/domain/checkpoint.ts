/** Places in a delivery's way at which a test may end the process, or make it wait. */
export type Checkpoint = "claimed" | "started" | "sent" | "recorded";

/** Told of each place, and waited for. */
export type OnCheckpoint = (at: Checkpoint) => Promise<void> | void;
