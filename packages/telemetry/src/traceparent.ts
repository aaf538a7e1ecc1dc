import type { SpanContext } from "@opentelemetry/api";

const form = /^(?!ff)[0-9a-f]{2}-(?!0{32})[0-9a-f]{32}-(?!0{16})[0-9a-f]{16}-[0-9a-f]{2}$/;
const headerLength = 55;
const traceIdAt = [3, 35] as const;
const spanIdAt = [36, 52] as const;
const flagsAt = 53;
const sampledFlag = 1;
/** Last digits of flags with the lowest bit set. */
const sampledDigits = "13579bdf";

/** Whether a header is a valid `traceparent` (W3C Trace Context, section 3.2). */
export function isTraceparent(header: string | undefined): header is string {
  return header?.length === headerLength && form.test(header);
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
  return sampledDigits.includes(traceparent.charAt(headerLength - 1));
}

/** A valid traceparent with its sampled flag cleared. */
export function withoutSampling(traceparent: string): string {
  return `${traceparent.slice(0, flagsAt)}00`;
}

/** Header of version 00 (W3C Trace Context, section 3.2). */
export function formatTraceparent({ traceId, spanId, traceFlags }: SpanContext): string {
  return `00-${traceId}-${spanId}-${(traceFlags & sampledFlag).toString(16).padStart(2, "0")}`;
}
