import type { SpanContext } from "@opentelemetry/api";

const form = /^([0-9a-f]{2})-([0-9a-f]{32})-([0-9a-f]{16})-([0-9a-f]{2})$/;
const headerLengthMax = 55;

/** Reads a `traceparent` header (W3C Trace Context, section 3.2); undefined when it is absent or not valid. */
export function parseTraceparent(header: string | undefined): SpanContext | undefined {
  if (header === undefined || header.length > headerLengthMax) return undefined;
  const [, version, traceId, spanId, flags] = form.exec(header) ?? [];
  if (version === undefined || traceId === undefined || spanId === undefined || flags === undefined) return undefined;
  if (version === "ff" || /^0+$/.test(traceId) || /^0+$/.test(spanId)) return undefined;
  return { traceId, spanId, traceFlags: Number.parseInt(flags, 16) & 1, isRemote: true };
}

export function formatTraceparent({ traceId, spanId, traceFlags }: SpanContext): string {
  return `00-${traceId}-${spanId}-${(traceFlags & 1).toString(16).padStart(2, "0")}`;
}
