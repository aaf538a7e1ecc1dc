/** Longest wait that is believed, seconds. */
const retryAfterSecondsMax = 3_600;

/** `Retry-After` as whole seconds, 1 to 3,600, from seconds or an HTTP date (RFC 9110, section 10.2.3). */
export function parseRetryAfter(value: string | undefined, nowMs: number): number | undefined {
  const text = value?.trim() ?? "";
  if (text === "") return undefined;
  const seconds = /^\d+(?:\.\d+)?$/.test(text) ? Number(text) : (Date.parse(text) - nowMs) / 1_000;
  if (Number.isNaN(seconds)) return undefined;
  return Math.min(retryAfterSecondsMax, Math.max(1, Math.ceil(seconds)));
}
