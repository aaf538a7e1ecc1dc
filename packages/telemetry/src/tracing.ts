import type { Attributes } from "@opentelemetry/api";
import { parseTraceparent } from "./traceparent.ts";

export type SpanKind = "server" | "client" | "internal";

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
  start: (_name, { parent }) => new UntracedSpan(parent),
};

/** A span that is not recorded, and passes its parent on unchanged. */
export class UntracedSpan implements Span {
  readonly traceparent: string | undefined;
  readonly isRecorded = false;

  constructor(parent: string | undefined) {
    this.traceparent = parseTraceparent(parent) === undefined ? undefined : parent;
  }

  get traceId(): string | undefined {
    return this.traceparent?.slice(3, 35);
  }

  set(): void {}

  end(): void {}
}
