import {
  type Attributes,
  ROOT_CONTEXT,
  type Span as OtelSpan,
  SpanKind as OtelSpanKind,
  SpanStatusCode,
  trace,
  type Tracer,
} from "@opentelemetry/api";
import { isGatewayError } from "@gatehouse/errors";
import { formatTraceparent, parseTraceparent } from "./traceparent.ts";

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
  set(attributes: Attributes): void;
  end(err?: unknown): void;
}

/** Starts spans by hand at service boundaries; see ADR 0006 for why nothing is instrumented automatically. */
export interface Tracing {
  start(name: string, options: SpanOptions): Span;
}

const kinds: Readonly<Record<SpanKind, OtelSpanKind>> = {
  server: OtelSpanKind.SERVER,
  client: OtelSpanKind.CLIENT,
  internal: OtelSpanKind.INTERNAL,
};

/** Tracing that records nothing and passes a caller's `traceparent` on unchanged. */
export const untraced: Tracing = {
  start: (_name, { parent }) => new UntracedSpan(parent),
};

export function createTracing(tracer: Tracer): Tracing {
  return {
    start(name, { kind, parent, attributes = {} }) {
      const remote = parseTraceparent(parent);
      const context = remote === undefined ? ROOT_CONTEXT : trace.setSpanContext(ROOT_CONTEXT, remote);
      return new TracedSpan(tracer.startSpan(name, { kind: kinds[kind], attributes }, context));
    },
  };
}

class UntracedSpan implements Span {
  readonly traceparent: string | undefined;

  constructor(parent: string | undefined) {
    this.traceparent = parseTraceparent(parent) === undefined ? undefined : parent;
  }

  get traceId(): string | undefined {
    return this.traceparent?.slice(3, 35);
  }

  set(): void {}

  end(): void {}
}

class TracedSpan implements Span {
  readonly #span: OtelSpan;
  readonly traceId: string;
  readonly traceparent: string;

  constructor(span: OtelSpan) {
    this.#span = span;
    this.traceId = span.spanContext().traceId;
    this.traceparent = formatTraceparent(span.spanContext());
  }

  set(attributes: Attributes): void {
    this.#span.setAttributes(attributes);
  }

  end(err?: unknown): void {
    if (err !== undefined) this.#recordError(err);
    this.#span.end();
  }

  /** Only codes and class names: a message may quote what a caller sent. */
  #recordError(err: unknown): void {
    const type = isGatewayError(err) ? err.code : err instanceof Error ? err.name : "unknown";
    this.#span.setAttribute("error.type", type);
    this.#span.setStatus({ code: SpanStatusCode.ERROR });
  }
}
