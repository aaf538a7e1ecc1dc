import type { Attributes } from "@opentelemetry/api";
import { readTraceparent, traceIdOf } from "./traceparent.ts";

/** Side of a call that a span records, by OpenTelemetry's SpanKind; `internal` for work without a remote party. */
export type SpanKind = "server" | "client" | "internal";

/** Options of {@link Tracing.start}; `attributes` are those known at the start, others are set on the span. */
export interface SpanOptions {
  readonly kind: SpanKind;
  /** `traceparent` header of the caller; absent or invalid starts a new trace. */
  readonly parent?: string | undefined;
  readonly attributes?: Attributes;
}

/** One request's stay in one service, or one call that a service makes. Ended exactly once. */
export interface Span {
  /** 32 hex digits; undefined where nothing is traced and no caller named a trace. */
  readonly traceId: string | undefined;
  /** Header to send on, so that the receiver's span becomes a child. */
  readonly traceparent: string | undefined;
  /** Whether its attributes are used; expensive ones should be computed for recorded spans only. */
  readonly isRecorded: boolean;
  set(attributes: Attributes): void;
  end(err?: unknown): void;
}

/** Starts spans by hand at service boundaries; see ADR 0006 for why nothing is instrumented automatically. */
export interface Tracing {
  start(name: string, options: SpanOptions): Span;
}

/** Tracing that records nothing and passes on a caller's `traceparent`, unchanged if it is of version 00. */
export const untraced: Tracing = {
  start(_name, { parent }) {
    const known = readTraceparent(parent);
    return known === undefined ? noSpan : new UnrecordedSpan(known);
  },
};

/** An unrecorded span: a place in a trace, for outgoing requests and for the log. */
export class UnrecordedSpan implements Span {
  readonly isRecorded = false;
  readonly traceparent: string;

  constructor(traceparent: string) {
    this.traceparent = traceparent;
  }

  get traceId(): string {
    return traceIdOf(this.traceparent);
  }

  set(): void {}

  end(): void {}
}

const noSpan: Span = { traceId: undefined, traceparent: undefined, isRecorded: false, set() {}, end() {} };
