import { AsyncLocalStorage } from "node:async_hooks";
import type { Span } from "./tracing.ts";

const current = new AsyncLocalStorage<Span>();

/** Runs work whose log lines name the span; work of no trace runs as it is, so that it costs nothing. */
export function inSpan<Result>(span: Span, work: () => Result): Result {
  return span.traceId === undefined ? work() : current.run(span, work);
}

/** The `traceparent` of the span that runs now, for what is sent on its behalf; undefined outside of a trace. */
export function currentTraceparent(): string | undefined {
  return current.getStore()?.traceparent;
}

/** Runs work whose log lines name no span, nor do those of timers that it starts. */
export function outsideOfSpans<Result>(work: () => Result): Result {
  return current.exit(work);
}

/** Places of the span's id in a `traceparent` (W3C Trace Context, section 3.2). */
const spanIdAt = [36, 52] as const;

/** Ids of the span that the line is written in, as OpenTelemetry names them in logs; empty outside of a trace. */
export function spanFields(): Readonly<Record<string, string>> {
  const span = current.getStore();
  if (span?.traceId === undefined || span.traceparent === undefined) return {};
  return { trace_id: span.traceId, span_id: span.traceparent.slice(...spanIdAt) };
}
