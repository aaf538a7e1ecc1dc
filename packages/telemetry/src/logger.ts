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
    redact: { paths: redactedFields.flatMap((field) => [field, `*.${field}`, `*.*.${field}`]), censor: "[redacted]" },
  };
  return destination === undefined ? pino(options) : pino(options, destination);
}
