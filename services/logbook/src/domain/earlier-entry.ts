import type { ErrorCode } from "@gatehouse/errors";
import type { LogEntry } from "./log-entry.ts";

/** Beginnings of the messages that versions before the column `error_code` sent, of errors that metrics tell apart. */
const beginnings: readonly (readonly [beginning: string, code: ErrorCode])[] = [
  ["Request blocked:", "guardrail_blocked"],
  ["Endpoint monthly budget exhausted:", "budget_exhausted"],
];

/**
 * The code of an entry that a service before the column `error_code` has written: such services run beside this version, and their
 * entries may have waited on a disk for days. Undefined where metrics do not tell it apart.
 */
export function codeOfEarlier({ error }: Pick<LogEntry, "error">): ErrorCode | undefined {
  if (typeof error !== "string") return undefined;
  return beginnings.find(([beginning]) => error.startsWith(beginning))?.[1];
}
