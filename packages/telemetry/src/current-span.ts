import { AsyncLocalStorage } from "node:async_hooks";
import { spanIdOf } from "./traceparent.ts";
import type { Span } from "./tracing.ts";

const current = new AsyncLocalStorage<Span>();

/**
 * Runs work whose log lines name the span. Without a trace, or inside an equal span (such as an unrecorded child's), the work
 * runs directly, since a change of the span has a cost.
 */
export function inSpan<Result>(span: Span, work: () => Result): Result {
  const { traceparent } = span;
  if (traceparent === undefined || traceparent === current.getStore()?.traceparent) return work();
  return current.run(span, work);
}

/** `traceparent` of the current span, for outgoing requests; undefined outside of a trace. */
export function currentTraceparent(): string | undefined {
  return current.getStore()?.traceparent;
}

/** Whether current calls belong to a recorded trace. */
export function isInRecordedSpan(): boolean {
  return current.getStore()?.isRecorded === true;
}

/** Runs work outside of all spans, including its timers. */
export function outsideOfSpans<Result>(work: () => Result): Result {
  return current.exit(work);
}

/** Ids of the current span, as OpenTelemetry names them in logs; empty outside of a trace. */
export function spanFields(): Readonly<Record<string, string>> {
  const span = current.getStore();
  if (span?.traceId === undefined || span.traceparent === undefined) return {};
  return { trace_id: span.traceId, span_id: spanIdOf(span.traceparent) };
}
