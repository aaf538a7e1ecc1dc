import { isUuid } from "@gatehouse/admin";
import {
  type LogColumnName,
  type LogColumns,
  type LogColumnType,
  logColumnList,
  type LogField,
  type LogMembers,
  type LogValues,
  type OptionalLogField,
} from "@gatehouse/gateway-log";

type Value<Field extends LogField> = LogValues[LogColumns[Field]["type"]];
type Always = { readonly [Field in Exclude<LogField, OptionalLogField> as LogColumns[Field]["name"]]: Value<Field> };
type Sometimes = {
  readonly [Field in Exclude<OptionalLogField, "details"> as LogColumns[Field]["name"]]?:
    | Value<Field>
    | null
    | undefined;
};

/** An entry of the gateway log as a message has it; what is absent or null is unknown or not applicable. */
export interface LogEntry extends Always, Sometimes {
  readonly details?: unknown;
}

/** A message of the gateway log, entry by entry. */
export interface ParsedMessage {
  readonly entries: readonly LogEntry[];
  /** Entries that no row can hold; 1 for a message that is no list. */
  readonly refused: number;
}

/** Checks entries of this process, which are what a row can hold; only their uuids are not known to be some. */
export function checkMembers(members: readonly LogMembers[]): ParsedMessage {
  let valid: Uuids = { project_uuid: undefined, endpoint_uuid: undefined };
  const entries = members.filter((entry) => {
    // Entries of a batch share few, and to compare takes less than the check.
    if (entry.project_uuid === valid.project_uuid && entry.endpoint_uuid === valid.endpoint_uuid) return true;
    if (!isAbsentOrUuid(entry.project_uuid) || !isAbsentOrUuid(entry.endpoint_uuid)) return false;
    valid = entry;
    return true;
  });
  return { entries, refused: members.length - entries.length };
}

type Uuids = Pick<LogMembers, "project_uuid" | "endpoint_uuid">;

function isAbsentOrUuid(value: string | undefined): boolean {
  return value === undefined || isUuid(value);
}

/** Reads the body of a message. What Postgres would refuse is left out here, entry by entry, so that it holds up no other. */
export function parseMessage(body: string): ParsedMessage {
  const given = parseList(body);
  if (given === undefined) return { entries: [], refused: 1 };
  const checks = body.includes(escapedNul) ? checksWithNul : checksWithoutNul;
  const entries = given.filter((entry) => isLogEntry(entry, checks));
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

/** Length of a text that is indexed: an index takes no text of any length. Writers cut at 512. */
export const requestIdLengthMax = 600;

/** The check of one column. */
interface Check {
  readonly name: LogColumnName;
  readonly isOptional: boolean;
  readonly isValid: (value: unknown) => boolean;
}

function toChecks(isText: (value: unknown) => value is string): readonly Check[] {
  const checks: { readonly [Type in LogColumnType]: (value: unknown) => boolean } = {
    moment: Number.isFinite,
    text: isText,
    requestId: (value) => isText(value) && value.length <= requestIdLengthMax,
    uuid: (value) => typeof value === "string" && isUuid(value),
    integer: isInteger,
    duration: isInteger,
    micros: Number.isSafeInteger,
    // Any JSON: an array of texts holds it.
    details: () => true,
  };
  return logColumnList.map(({ name, type, isOptional }) => ({ name, isOptional, isValid: checks[type] }));
}

function isLogEntry(value: unknown, checks: readonly Check[]): value is LogEntry {
  if (typeof value !== "object" || value === null) return false;
  const entry = value as Partial<Record<LogColumnName, unknown>>;
  for (const { name, isOptional, isValid } of checks) {
    const given = entry[name];
    if (given === undefined || given === null ? !isOptional : !isValid(given)) return false;
  }
  return true;
}

/** The one form in which JSON holds NUL, which Postgres takes in no text: looked for once a message, since it is never there. */
const escapedNul = "\\u0000";

const checksWithoutNul = toChecks((value) => typeof value === "string");
const checksWithNul = toChecks((value): value is string => typeof value === "string" && !value.includes("\0"));

/** Integers of 32 bits. */
function isInteger(value: unknown): boolean {
  return typeof value === "number" && (value | 0) === value;
}
