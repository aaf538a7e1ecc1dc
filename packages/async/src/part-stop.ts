/**
 * Longest wait for others by one part of a stopping service: for the broker, or for the ledger. By then the service's ports are
 * closed, and calls wait 5 s at most for a successor (`peerBounds.waitMs`), which starts when all parts have ended. What is not sent
 * in time is kept, in the database or on disk.
 */
export const partStopMsMax = 1_000;
