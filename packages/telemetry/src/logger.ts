import { type DestinationStream, type Logger as PinoLogger, pino } from "pino";

export type Logger = PinoLogger;
export type LogLevel = "fatal" | "error" | "warn" | "info" | "debug" | "trace" | "silent";

export interface LoggerOptions {
  /** The service or process that speaks; every line carries it as `service`. */
  readonly service: string;
  readonly level: LogLevel;
  /** Where lines go; standard output when absent. */
  readonly destination?: DestinationStream;
}

/** Fields that are blanked wherever they stand in a logged object: a second line of defence behind `Secret`. */
const redactedFields = ["authorization", "cookie", "token", "api_key", "apiKey", "password", "secret", "key"];

/** JSON lines with ISO timestamps. Errors under `err` are written with their causes. */
export function createLogger({ service, level, destination }: LoggerOptions): Logger {
  const options = {
    level,
    base: { service },
    timestamp: pino.stdTimeFunctions.isoTime,
    formatters: { level: (label: string) => ({ level: label }) },
    serializers: { err: (err: unknown) => toLoggedError(err) },
    redact: { paths: redactedFields.flatMap((field) => [field, `*.${field}`, `*.*.${field}`]), censor: "[redacted]" },
  };
  return destination === undefined ? pino(options) : pino(options, destination);
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
 * The logged form of an error: its kind, message (its `loggedMessage` where it has one), code, stack and causes. Nothing else,
 * because libraries hang whole clients, requests and prompts on their errors.
 */
function toLoggedError(err: unknown, depth = 0): LoggedError {
  if (!(err instanceof Error)) return { type: typeof err, message: "not an error" };
  const code = "code" in err && typeof err.code === "string" ? { code: err.code } : {};
  const message = "loggedMessage" in err && typeof err.loggedMessage === "string" ? err.loggedMessage : err.message;
  // The stack begins with the message.
  const stack = err.stack === undefined ? {} : { stack: err.stack.replace(err.message, () => message) };
  const cause = err.cause === undefined || depth >= causesMax ? {} : { cause: toLoggedError(err.cause, depth + 1) };
  return { type: err.name, message, ...code, ...stack, ...cause };
}
