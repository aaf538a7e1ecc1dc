/** Whether an error says that its caller gave up (nice-grpc throws `AbortError`, the platform a DOMException of that name). */
export function isAbortError(err: unknown): boolean {
  return err instanceof Error && err.name === "AbortError";
}

/** Milliseconds to a deadline, which is a time of day or already a duration; never negative. */
export function remainingMs(deadline: Date | number): number {
  return Math.max(0, deadline instanceof Date ? deadline.getTime() - Date.now() : deadline);
}
