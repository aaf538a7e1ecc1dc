import { codeOf } from "@gatehouse/errors";
import { type DestinationStream, type Logger as PinoLogger, type LoggerOptions as LoggerSettings, pino } from "pino";
import { spanFields } from "./current-span.ts";
import { type FailureFields, RepeatedFailures } from "./repeated-failures.ts";

/** Structured log lines; fields come first, the sentence second. */
export type Logger = PinoLogger;
/** By falling severity; `silent` writes nothing. */
export type LogLevel = "fatal" | "error" | "warn" | "info" | "debug" | "trace" | "silent";

/** Options of {@link createLogger}. */
export interface LoggerOptions {
  /** Service or process, in every line as `service`. */
  readonly service: string;
  readonly level: LogLevel;
  /** Standard output when absent. */
  readonly destination?: DestinationStream;
}

/** Fields that are redacted anywhere in a logged object: a second line of defence behind `Secret`. */
const redactedFields = ["authorization", "cookie", "token", "api_key", "apiKey", "password", "secret", "key"];

/** Lowest level of warnings, by pino's numbers. */
const warnLevel = 40;

/**
 * JSON lines with ISO timestamps, and with `trace_id` and `span_id` in a trace. Errors under `err` are written with their causes;
 * warnings and errors with the same one are written once a second, with their number as `repeated`.
 */
export function createLogger({ service, level, destination }: LoggerOptions): Logger {
  const failures = new RepeatedFailures();
  const options: LoggerSettings = {
    level,
    base: { service },
    timestamp: pino.stdTimeFunctions.isoTime,
    formatters: { level: (label: string) => ({ level: label }) },
    serializers: { err: (err: unknown) => toLoggedError(err) },
    mixin: spanFields,
    hooks: {
      logMethod(args, method, at) {
        const [fields, message] = args as readonly unknown[];
        if (at < warnLevel || !hasError(fields)) return method.apply(this, args);
        const where = `${JSON.stringify(this.bindings())} ${at} ${String(message)}`;
        // A line that is written later keeps the span in which it was logged.
        const inItsSpan = { ...spanFields(), ...fields };
        return failures.log(where, inItsSpan, (written) => method.apply(this, [written, message] as never));
      },
    },
    redact: { paths: redactedFields.flatMap((field) => [field, `*.${field}`, `*.*.${field}`]), censor: "[redacted]" },
  };
  return destination === undefined ? pino(options) : pino(options, destination);
}

function hasError(fields: unknown): fields is FailureFields {
  return typeof fields === "object" && fields !== null && "err" in fields;
}

interface LoggedError {
  readonly type: string;
  readonly message: string;
  readonly code?: string;
  readonly stack?: string;
  readonly cause?: LoggedError;
}

const causesMax = 4;

/**
 * Logged form of an error: kind, message (`loggedMessage` where it has one), code, stack and causes. Nothing else, since
 * libraries attach clients, requests and prompts to their errors.
 */
function toLoggedError(err: unknown, depth = 0): LoggedError {
  if (!(err instanceof Error)) return { type: typeof err, message: "not an error" };
  const code = codeOf(err);
  const message = "loggedMessage" in err && typeof err.loggedMessage === "string" ? err.loggedMessage : err.message;
  // The stack begins with the message.
  const stack = err.stack === undefined ? {} : { stack: err.stack.replace(err.message, () => message) };
  const cause = err.cause === undefined || depth >= causesMax ? {} : { cause: toLoggedError(err.cause, depth + 1) };
  return { type: err.name, message, ...(code === undefined ? {} : { code }), ...stack, ...cause };
}
