import type { Attributes } from "@opentelemetry/api";
import { isTraceparent, traceIdOf } from "./traceparent.ts";

/** A span's side of a call, as OpenTelemetry has it. */
export type SpanKind = "server" | "client" | "internal";

/** Kind, parent and attributes of a span that begins. */
export interface SpanOptions {
  readonly kind: SpanKind;
  /** The `traceparent` header of the caller; absent or invalid starts a new trace. */
  readonly parent?: string | undefined;
  readonly attributes?: Attributes;
}

/** One request's stay in one service, or one call that a service makes. Ended exactly once. */
export interface Span {
  /** 32 hex digits; undefined where nothing is traced and no caller named a trace. */
  readonly traceId: string | undefined;
  /** The header to send on, so that the receiver's span becomes a child. */
  readonly traceparent: string | undefined;
  /** Whether anything reads its attributes; where they cost work, they are gathered for a recorded span alone. */
  readonly isRecorded: boolean;
  set(attributes: Attributes): void;
  end(err?: unknown): void;
}

/** Starts spans by hand at service boundaries; see ADR 0006 for why nothing is instrumented automatically. */
export interface Tracing {
  start(name: string, options: SpanOptions): Span;
}

/** Tracing that records nothing and passes a caller's `traceparent` on unchanged. */
export const untraced: Tracing = {
  start: (_name, { parent }) => (isTraceparent(parent) ? new UnrecordedSpan(parent) : noSpan),
};

/** A span that is not recorded: a place in a trace, for what is sent on and for the log. */
export class UnrecordedSpan implements Span {
  readonly isRecorded = false;
  readonly traceparent: string;

  /** @param traceparent a valid one */
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
