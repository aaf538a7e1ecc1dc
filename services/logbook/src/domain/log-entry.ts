import { isUuid } from "@gatehouse/admin";
import type { WireEntry } from "@gatehouse/gateway-log";

/** An entry of the gateway log as a message carries it; what is absent or null is unknown or not applicable. */
export type LogEntry = Pick<WireEntry, Always> & {
  readonly [Name in Exclude<keyof WireEntry, Always | "details">]?: WireEntry[Name] | null;
} & { readonly details?: unknown };

/** Fields that every entry has. */
type Always = "at_ms" | "request_id" | "route" | "status" | "duration_ms" | "attempts";

/** A message of the gateway log, entry by entry. */
export interface ParsedMessage {
  readonly entries: readonly LogEntry[];
  /** Entries that no row can hold; 1 for a message that is no list. */
  readonly refused: number;
}

/** Reads the body of a message. What Postgres would refuse is left out here, entry by entry, so that it holds up no other. */
export function parseMessage(body: string): ParsedMessage {
  const given = parseList(body);
  if (given === undefined) return { entries: [], refused: 1 };
  const isText = body.includes(escapedNul) ? isTextWithoutNul : isString;
  const entries = given.filter((entry) => isLogEntry(entry, isText));
  return { entries, refused: given.length - entries.length };
}

function parseList(body: string): readonly unknown[] | undefined {
  try {
    const given: unknown = JSON.parse(body);
    return Array.isArray(given) ? given : undefined;
  } catch (err) {
    if (err instanceof SyntaxError) return undefined;
    throw err;
  }
}

/** Length of a request's id: it is indexed, and an index takes no text of any length. Writers cut at 512. */
export const requestIdLengthMax = 600;

function isLogEntry(value: unknown, isText: (value: unknown) => value is string): value is LogEntry {
  if (typeof value !== "object" || value === null) return false;
  const entry = value as Partial<Record<keyof LogEntry, unknown>>;
  return (
    Number.isFinite(entry.at_ms) &&
    isText(entry.request_id) &&
    entry.request_id.length <= requestIdLengthMax &&
    isText(entry.route) &&
    isInteger(entry.status) &&
    isInteger(entry.duration_ms) &&
    isInteger(entry.attempts) &&
    isAbsentOr(isUuidText, entry.project_uuid) &&
    isAbsentOr(isUuidText, entry.endpoint_uuid) &&
    isAbsentOr(isInteger, entry.token_id) &&
    isAbsentOr(isInteger, entry.prompt_tokens) &&
    isAbsentOr(isInteger, entry.completion_tokens) &&
    isAbsentOr(Number.isSafeInteger, entry.cost_micros) &&
    isAbsentOr(isText, entry.trace_id) &&
    isAbsentOr(isText, entry.user_name) &&
    isAbsentOr(isText, entry.error) &&
    isAbsentOr(isText, entry.provider) &&
    isAbsentOr(isText, entry.model)
  );
}

function isAbsentOr(isValid: (value: unknown) => boolean, value: unknown): boolean {
  return value === undefined || value === null || isValid(value);
}

function isString(value: unknown): value is string {
  return typeof value === "string";
}

/** The one form in which JSON holds NUL, which Postgres takes in no text: looked for once a message, since it is never there. */
const escapedNul = "\\u0000";

function isTextWithoutNul(value: unknown): value is string {
  return typeof value === "string" && !value.includes("\0");
}

/** Integers of 32 bits. */
function isInteger(value: unknown): boolean {
  return typeof value === "number" && (value | 0) === value;
}

function isUuidText(value: unknown): boolean {
  return typeof value === "string" && isUuid(value);
}
