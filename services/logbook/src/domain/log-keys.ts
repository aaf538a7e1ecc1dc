import { type LogColumns, logColumnList, type LogField, type LogValues } from "@gatehouse/gateway-log";
import type { LogEntry } from "./log-entry.ts";
import type { StatusRange } from "./log-query.ts";

/** Columns that are searched for a value. */
type KeyedField = {
  [Field in LogField]: LogColumns[Field] extends { readonly key: string } ? Field : never;
}[LogField];

type KeyedName = LogColumns[KeyedField]["name"];
type KeyedFields = {
  readonly [Field in KeyedField]?: LogValues[LogColumns[Field]["type"]] | undefined;
};

/** Fields by which the gateway log is searched. */
export interface SearchedFields extends KeyedFields {
  readonly status?: StatusRange | undefined;
  readonly error?: string | undefined;
}

/** Columns that are searched for a value, in the order of a message. */
export const keyedColumns = logColumnList.flatMap(({ field, name, type, key }) =>
  key === undefined ? [] : [{ field: field as KeyedField, name: name as KeyedName, type, key }],
);

/** An index takes no text of any length; keys with the same beginning cost a search some blocks without a hit, nothing else. */
const keyLengthMax = 200;

const keyOf = (name: string, value: string | number) => `${name}:${value}`.slice(0, keyLengthMax);

/** Key of entries with an error. */
const errorKey = "error";

/** The lowest status of a failure. */
const failureStatusMin = 400;

const classOf = (status: number) => Math.floor(status / 100);

/**
 * Key of a project's failures. A block holds entries of several projects, so that keys of the project and of the class alone send
 * the search for one's failures through every block in which another one's calls fail.
 */
const failureKey = (projectUuid: string, status: number) =>
  `${keyOf("project", projectUuid.toLowerCase())}/${keyOf("class", classOf(status))}`;

/** Texts under which a block is found that holds an entry of this kind. */
export function keysOfEntry(entry: LogEntry): readonly string[] {
  const { project_uuid, status, error } = entry;
  const keys = keysOfValues(({ name }) => entry[name]);
  keys.push(keyOf("status", status), keyOf("class", classOf(status)));
  if (typeof project_uuid === "string" && status >= failureStatusMin) keys.push(failureKey(project_uuid, status));
  if (typeof error === "string") keys.push(errorKey);
  return keys;
}

/** Keys that a block has if an entry in it fits. */
export function keysOfSearch(fields: SearchedFields): readonly string[] {
  const { projectUuid, status, error } = fields;
  const keys = keysOfValues(({ field }) => fields[field]);
  if (status !== undefined)
    keys.push(status.first === status.last ? keyOf("status", status.first) : keyOf("class", classOf(status.first)));
  if (status !== undefined && projectUuid !== undefined && status.first >= failureStatusMin)
    keys.push(failureKey(projectUuid, status.first));
  if (error !== undefined) keys.push(errorKey);
  return keys;
}

type KeyedColumn = (typeof keyedColumns)[number];

function keysOfValues(valueOf: (column: KeyedColumn) => string | number | null | undefined): string[] {
  return keyedColumns.flatMap((column) => {
    const value = valueOf(column);
    if (value === undefined || value === null) return [];
    return [keyOf(column.key, column.type === "uuid" ? String(value).toLowerCase() : value)];
  });
}
