export { createLogger, type Logger, type LoggerOptions, type LogLevel } from "./logger.ts";
export { PairHistogram } from "./pair-histogram.ts";
export { createSilentTelemetry, createTelemetry, type Telemetry } from "./telemetry.ts";
export { type Span, type SpanKind, type SpanOptions, type Tracing, untraced } from "./tracing.ts";
export { currentTraceparent, inSpan, isInRecordedSpan } from "./current-span.ts";
