import type { TraceSampling } from "@gatehouse/config";
import { isGatewayError } from "@gatehouse/errors";
import {
  type Attributes,
  type Context,
  ROOT_CONTEXT,
  type Span as OtelSpan,
  SpanKind as OtelSpanKind,
  SpanStatusCode,
  trace,
  type Tracer,
} from "@opentelemetry/api";
import type { Resource } from "@opentelemetry/resources";
import { AlwaysOnSampler, BasicTracerProvider, type SpanProcessor } from "@opentelemetry/sdk-trace-base";
import { TraceIds } from "./trace-ids.ts";
import { createSampler } from "./trace-sampler.ts";
import {
  formatTraceparent,
  isSampledTraceparent,
  readTraceparent,
  toSpanContext,
  traceIdOf,
  withoutSampling,
} from "./traceparent.ts";
import { type Span, type SpanKind, type SpanOptions, type Tracing, UnrecordedSpan } from "./tracing.ts";

const kinds: Readonly<Record<SpanKind, OtelSpanKind>> = {
  server: OtelSpanKind.SERVER,
  client: OtelSpanKind.CLIENT,
  internal: OtelSpanKind.INTERNAL,
};

interface ExportedTracing extends Tracing {
  /** Exports the rest; bounded by the exporter's own time-out. */
  shutdown(): Promise<void>;
}

/**
 * Records spans with the OpenTelemetry SDK. Traces that are not sampled bypass it: such a request only costs new ids, where it
 * begins here, and the forwarding of its `traceparent`.
 */
export function createTracing(
  sampling: TraceSampling,
  spanProcessors: SpanProcessor[],
  resource?: Resource,
): ExportedTracing {
  const ids = new TraceIds();
  const isSampled = createSampler(sampling);
  const provider = new BasicTracerProvider({
    spanProcessors,
    ...(resource === undefined ? {} : { resource }),
    idGenerator: ids,
    sampler: new AlwaysOnSampler(),
  });
  const tracer: Tracer = provider.getTracer("gatehouse");
  const record = (name: string, { kind, attributes = {} }: SpanOptions, context: Context) =>
    new TracedSpan(tracer.startSpan(name, { kind: kinds[kind], attributes }, context));
  const startTrace: Tracing["start"] = (name, options) => {
    const traceId = ids.generateTraceId();
    if (!isSampled(traceId, undefined))
      return new UnrecordedSpan(formatTraceparent({ traceId, spanId: ids.generateSpanId(), traceFlags: 0 }));
    ids.decide(traceId);
    return record(name, options, ROOT_CONTEXT);
  };
  return {
    start(name, options) {
      const parent = readTraceparent(options.parent);
      if (parent === undefined) return startTrace(name, options);
      const byCaller = isSampledTraceparent(parent);
      if (!isSampled(traceIdOf(parent), byCaller))
        return new UnrecordedSpan(byCaller ? withoutSampling(parent) : parent);
      return record(name, options, trace.setSpanContext(ROOT_CONTEXT, toSpanContext(parent)));
    },
    shutdown: async () => await provider.shutdown(),
  };
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

  /** Only codes and class names, since a message may quote a caller. */
  #recordError(err: unknown): void {
    const type = isGatewayError(err) ? err.code : err instanceof Error ? err.name : "unknown";
    this.#span.setAttribute("error.type", type);
    this.#span.setStatus({ code: SpanStatusCode.ERROR });
  }
}
