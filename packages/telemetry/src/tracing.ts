import {
  type Attributes,
  ROOT_CONTEXT,
  type Span,
  SpanKind,
  SpanStatusCode,
  trace,
  type Tracer,
} from "@opentelemetry/api";
import { isGatewayError } from "@gatehouse/errors";
import { formatTraceparent, parseTraceparent } from "./traceparent.ts";

export type HopKind = "server" | "client" | "internal";

export interface HopOptions {
  readonly kind: HopKind;
  /** The `traceparent` header of whoever called; absent or invalid starts a new trace. */
  readonly parent?: string | undefined;
  readonly attributes?: Attributes;
}

/** One request's stay in one service, or one call that a service makes. Ended exactly once. */
export interface Hop {
  /** 32 hex digits; undefined where nothing is traced and no caller named a trace. */
  readonly traceId: string | undefined;
  /** The header to send on, so that the next hop becomes a child of this one. */
  readonly traceparent: string | undefined;
  set(attributes: Attributes): void;
  end(err?: unknown): void;
}

/** Starts spans by hand at hop boundaries; see ADR 0006 for why nothing is instrumented automatically. */
export interface Tracing {
  start(name: string, options: HopOptions): Hop;
}

const kinds: Readonly<Record<HopKind, SpanKind>> = {
  server: SpanKind.SERVER,
  client: SpanKind.CLIENT,
  internal: SpanKind.INTERNAL,
};

/** Tracing that records nothing and passes a caller's `traceparent` on unchanged. */
export const untraced: Tracing = {
  start: (_name, { parent }) => new UntracedHop(parent),
};

export function createTracing(tracer: Tracer): Tracing {
  return {
    start(name, { kind, parent, attributes = {} }) {
      const remote = parseTraceparent(parent);
      const context = remote === undefined ? ROOT_CONTEXT : trace.setSpanContext(ROOT_CONTEXT, remote);
      return new TracedHop(tracer.startSpan(name, { kind: kinds[kind], attributes }, context));
    },
  };
}

class UntracedHop implements Hop {
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

class TracedHop implements Hop {
  readonly #span: Span;
  readonly traceId: string;
  readonly traceparent: string;

  constructor(span: Span) {
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
