import type { SpanContext } from "@opentelemetry/api";

const ids = "(?!0{32})[0-9a-f]{32}-(?!0{16})[0-9a-f]{16}-[0-9a-f]{2}";
/** Version 00, or the beginning of a later one. */
const form = new RegExp(`^(?:00-${ids}$|(?!00|ff)[0-9a-f]{2}-${ids}(?:-|$))`);
const ownVersion = "00";
const traceIdAt = [3, 35] as const;
const spanIdAt = [36, 52] as const;
const flagsAt = 53;
const sampledFlag = 1;
/** Last digits of flags with the lowest bit set. */
const sampledDigits = "13579bdf";

/**
 * A valid `traceparent` (W3C Trace Context, section 3.2) in version 00; undefined for any other header. A later version may have
 * further fields, which are dropped.
 */
export function readTraceparent(header: string | undefined): string | undefined {
  if (header === undefined || !form.test(header)) return undefined;
  return header.startsWith(ownVersion) ? header : formatTraceparent(toSpanContext(header));
}

/** Span context of a valid `traceparent`. */
export function toSpanContext(traceparent: string): SpanContext {
  const traceFlags = isSampledTraceparent(traceparent) ? sampledFlag : 0;
  return { traceId: traceIdOf(traceparent), spanId: spanIdOf(traceparent), traceFlags, isRemote: true };
}

/** Trace id, 32 hexadecimal digits. @param traceparent a valid one */
export function traceIdOf(traceparent: string): string {
  return traceparent.slice(...traceIdAt);
}

/** Span id of the parent, 16 hexadecimal digits. @param traceparent a valid one */
export function spanIdOf(traceparent: string): string {
  return traceparent.slice(...spanIdAt);
}

/** Whether the caller records the trace. @param traceparent a valid one */
export function isSampledTraceparent(traceparent: string): boolean {
  return sampledDigits.includes(traceparent.charAt(flagsAt + 1));
}

/** A valid traceparent with its sampled flag cleared. */
export function withoutSampling(traceparent: string): string {
  return `${traceparent.slice(0, flagsAt)}00`;
}

/** Header of version 00 (W3C Trace Context, section 3.2). */
export function formatTraceparent({ traceId, spanId, traceFlags }: SpanContext): string {
  return `${ownVersion}-${traceId}-${spanId}-${(traceFlags & sampledFlag).toString(16).padStart(2, "0")}`;
}
