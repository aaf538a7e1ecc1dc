/** Whether an error says that its caller gave up (nice-grpc throws `AbortError`, the platform a DOMException of that name). */
export function isAbortError(err: unknown): boolean {
  return err instanceof Error && err.name === "AbortError";
}
