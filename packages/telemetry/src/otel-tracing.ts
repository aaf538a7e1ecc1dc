import {
  ROOT_CONTEXT,
  type Attributes,
  type Span as OtelSpan,
  SpanKind as OtelSpanKind,
  SpanStatusCode,
  trace,
  type Tracer,
} from "@opentelemetry/api";
import { isGatewayError } from "@gatehouse/errors";
import { formatTraceparent, parseTraceparent } from "./traceparent.ts";
import { type Span, type SpanKind, type Tracing, UntracedSpan } from "./tracing.ts";

const kinds: Readonly<Record<SpanKind, OtelSpanKind>> = {
  server: OtelSpanKind.SERVER,
  client: OtelSpanKind.CLIENT,
  internal: OtelSpanKind.INTERNAL,
};

/**
 * Records spans by an OpenTelemetry tracer. Where the sampler follows the caller's decision, a request that the caller has not
 * sampled costs nothing here but passing its `traceparent` on.
 */
export function createTracing(tracer: Tracer): Tracing {
  const followsCaller = !isSampledAgainst(tracer);
  return {
    start(name, { kind, parent, attributes = {} }) {
      const remote = parseTraceparent(parent);
      if (remote !== undefined && remote.traceFlags === 0 && followsCaller) return new UntracedSpan(parent);
      const context = remote === undefined ? ROOT_CONTEXT : trace.setSpanContext(ROOT_CONTEXT, remote);
      return new TracedSpan(tracer.startSpan(name, { kind: kinds[kind], attributes }, context));
    },
  };
}

/** Every sampler by ratio takes this trace, unless it follows the caller or takes none. */
const firstOfAll = { traceId: `${"0".repeat(31)}1`, spanId: `${"0".repeat(15)}1`, traceFlags: 0, isRemote: true };

function isSampledAgainst(tracer: Tracer): boolean {
  return tracer.startSpan("probe", {}, trace.setSpanContext(ROOT_CONTEXT, firstOfAll)).isRecording();
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

  get isRecorded(): boolean {
    return this.#span.isRecording();
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
