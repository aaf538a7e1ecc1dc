import { gatewayLogBounds as bounds } from "./bounds.ts";
import type { LogColumn, LogDetails, LogValues } from "./log-column.ts";

/**
 * The columns of the gateway log by their names in a service, in the order of a message. The types of entries, their messages, the
 * checks of the logbook, its statements, the reply of its operation and exported records are made of this table.
 */
const logColumns = {
  /** Arrival of the request. */
  atMs: {
    name: "at_ms",
    type: "moment",
    isRequired: true,
    shownAs: "at",
    description: "When the request came.",
  },
  requestId: {
    name: "request_id",
    type: "requestId",
    isRequired: true,
    byEntry: "request_ids",
    description: "As in the X-Request-Id header.",
    attribute: "gatehouse.request_id",
  },
  /** 32 hex digits. */
  traceId: {
    name: "trace_id",
    type: "text",
    byEntry: "trace_ids",
    description: "The trace, where there is one.",
  },
  projectUuid: {
    name: "project_uuid",
    type: "uuid",
    byKind: "project_uuids",
    key: "project",
    shownAs: "project",
    description: "The project's uuid; null where the caller was not known.",
    attribute: "gatehouse.project",
  },
  endpointUuid: {
    name: "endpoint_uuid",
    type: "uuid",
    byKind: "endpoint_uuids",
    key: "endpoint",
    shownAs: "endpoint",
    description: "The endpoint's uuid, where one was found.",
    attribute: "gatehouse.endpoint",
  },
  tokenId: {
    name: "token_id",
    type: "integer",
    byKind: "token_ids",
    key: "token",
    description: "The access token's id.",
    attribute: "gatehouse.token_id",
  },
  /** User named by the application. */
  user: {
    name: "user_name",
    type: "text",
    byKind: "user_names",
    key: "user",
    shownAs: "user",
    description: "The person behind the call, as the application names them.",
    attribute: "user.name",
  },
  /** Id of a route in the router's table, such as `chat_direct`; `none` for an unknown path. */
  route: {
    name: "route",
    type: "text",
    isRequired: true,
    byKind: "routes",
    key: "route",
    description: "The kind of route.",
    attribute: "gatehouse.route",
  },
  /** HTTP status sent; 499 where the client disconnected first. */
  status: {
    name: "status",
    type: "integer",
    isRequired: true,
    byKind: "statuses",
    description: "The HTTP status of the reply.",
    attribute: "http.response.status_code",
  },
  /** Message sent to the caller. */
  error: {
    name: "error",
    type: "text",
    byKind: "errors",
    description: "The refusal or failure.",
  },
  /** Kind of the error, a code of the closed list; the message is for people, and may change. */
  errorCode: {
    name: "error_code",
    type: "text",
    byKind: "error_codes",
    description:
      "The error's code, such as rate_limited; null where there was none, and in entries of earlier versions.",
    attribute: "error.type",
  },
  durationMs: {
    name: "duration_ms",
    type: "duration",
    isRequired: true,
    byEntry: "durations_ms",
    description: "Duration.",
    attribute: "gatehouse.duration_ms",
  },
  provider: {
    name: "provider",
    type: "text",
    byKind: "providers",
    key: "provider",
    description: "The provider that was called last.",
    attribute: "gatehouse.provider",
  },
  model: {
    name: "model",
    type: "text",
    byKind: "models",
    key: "model",
    description: "The model that was called last.",
    attribute: "gen_ai.request.model",
  },
  /** Calls to a provider or upstream made for it. */
  attempts: {
    name: "attempts",
    type: "integer",
    fallback: 0,
    byKind: "attempts",
    description: "Calls of providers.",
    attribute: "gatehouse.attempts",
  },
  promptTokens: {
    name: "prompt_tokens",
    type: "integer",
    byEntry: "prompt_tokens",
    description: "Tokens of the prompt.",
    attribute: "gen_ai.usage.input_tokens",
  },
  completionTokens: {
    name: "completion_tokens",
    type: "integer",
    byEntry: "completion_tokens",
    description: "Tokens of the answer.",
    attribute: "gen_ai.usage.output_tokens",
  },
  /** Micro-dollars. */
  costMicros: {
    name: "cost_micros",
    type: "micros",
    byEntry: "costs_micros",
    shownAs: "cost_usd",
    description: "Cost of the call.",
    attribute: "gatehouse.cost_micros",
  },
  details: {
    name: "details",
    type: "details",
    byEntry: "details",
    description: "An object of what only some routes have, such as price_unknown.",
  },
} as const satisfies Readonly<Record<string, LogColumn>>;

/** The table, as types. */
export type LogColumns = typeof logColumns;
/** Name of a column in a service. */
export type LogField = keyof LogColumns;
/** Name of a column in a message. */
export type LogColumnName = LogColumns[LogField]["name"];
/** Columns without a value in some entries. */
export type OptionalLogField = {
  [Field in LogField]: LogColumns[Field] extends { readonly isRequired: true } | { readonly fallback: number }
    ? never
    : Field;
}[LogField];

type ValueOf<Field extends LogField> = LogValues[LogColumns[Field]["type"]];
type RequiredFields = {
  readonly [
    Field in LogField as LogColumns[Field] extends { readonly isRequired: true } ? Field : never
  ]: ValueOf<Field>;
};
type OptionalFields = {
  readonly [Field in Exclude<LogField, keyof RequiredFields>]?: ValueOf<Field> | undefined;
};

/** Outcome of one request, or of one call of the pipeline where a request makes several. Absent means unknown or not applicable. */
export interface GatewayLogEntry extends RequiredFields, OptionalFields {}

/** The members of an entry in a message. */
export type LogMembers = {
  readonly [Field in LogField as LogColumns[Field]["name"]]:
    | ValueOf<Field>
    | (Field extends OptionalLogField ? undefined : never);
};

/**
 * Makes the members of an entry, which are all that a row can hold: texts are cut and repaired, numbers clamped. Written out, since
 * every request pays for it: with a walk through the table an entry takes 1.3 to 1.5 times as long to encode. The compiler refuses a
 * column that is missing here, and one that the table has not.
 */
export function toMembers(entry: GatewayLogEntry): LogMembers {
  return {
    at_ms: toNumber(entry.atMs, momentMax),
    request_id: toText(entry.requestId),
    trace_id: toOptionalText(entry.traceId),
    project_uuid: entry.projectUuid,
    endpoint_uuid: entry.endpointUuid,
    token_id: toOptionalInteger(entry.tokenId),
    user_name: toOptionalText(entry.user),
    route: toText(entry.route),
    status: toInteger(entry.status),
    error: toOptionalText(entry.error),
    error_code: toOptionalText(entry.errorCode),
    duration_ms: Math.max(0, toInteger(entry.durationMs)),
    provider: toOptionalText(entry.provider),
    model: toOptionalText(entry.model),
    attempts: toInteger(entry.attempts ?? logColumns.attempts.fallback),
    prompt_tokens: toOptionalInteger(entry.promptTokens),
    completion_tokens: toOptionalInteger(entry.completionTokens),
    cost_micros: entry.costMicros === undefined ? undefined : toNumber(entry.costMicros, Number.MAX_SAFE_INTEGER),
    details: entry.details === undefined ? undefined : toDetails(entry.details),
  };
}

/** Most bytes of an entry's names, numbers, uuids and punctuation in a message, and of those of a detail. */
const frameBytesMax = 512;
const detailFrameBytesMax = 32;
/** Most bytes of a character in JSON: of a control character, as `\u001f`. */
const characterBytesMax = 6;

/** Upper bound of the bytes of an entry in a message, found without encoding it. */
export function bytesAtMost(members: LogMembers): number {
  const { request_id, trace_id, user_name, route, error, error_code, provider, model, details } = members;
  const characters =
    request_id.length +
    route.length +
    lengthOf(trace_id) +
    lengthOf(user_name) +
    lengthOf(error) +
    lengthOf(error_code) +
    lengthOf(provider) +
    lengthOf(model);
  return frameBytesMax + characterBytesMax * characters + (details === undefined ? 0 : detailsBytesAtMost(details));
}

function detailsBytesAtMost(details: LogDetails): number {
  let bytes = 0;
  for (const name in details) {
    const value = details[name];
    bytes += detailFrameBytesMax + characterBytesMax * (name.length + (typeof value === "string" ? value.length : 0));
  }
  return bytes;
}

function lengthOf(text: string | undefined): number {
  return text === undefined ? 0 : text.length;
}

/** Greatest value of a column of 32 bits. */
const integerMax = 2_147_483_647;
/** Greatest moment of a `Date` (ECMAScript, "Time Values and Time Range"). */
const momentMax = 8_640_000_000_000_000;

function toOptionalInteger(value: number | undefined): number | undefined {
  return value === undefined ? undefined : toInteger(value);
}

function toInteger(value: number): number {
  return (value | 0) === value ? value : toNumber(value, integerMax);
}

/** The nearest integer from `-max` to `max`; 0 for NaN. */
function toNumber(value: number, max: number): number {
  return Number.isNaN(value) ? 0 : Math.min(max, Math.max(-max, Math.round(value)));
}

function toOptionalText(text: string | undefined): string | undefined {
  return text === undefined ? undefined : toText(text);
}

/** Cuts a text, and then repairs it, since a cut may split a pair of surrogates. */
function toText(text: string): string {
  return repair(text.length > bounds.textLengthMax ? `${text.slice(0, bounds.textLengthMax - 1)}…` : text);
}

/** Replaces what Postgres refuses: NUL in a text, and lone surrogates in JSON. Looks first, since nearly no text has any. */
function repair(text: string): string {
  return text.includes("\0") || !text.isWellFormed() ? text.replaceAll("\0", "\ufffd").toWellFormed() : text;
}

/** A caller's text in the details, such as a tool's name, must not prevent the entry from being stored. */
function toDetails(details: LogDetails): LogDetails {
  if (isTooLong(details)) return { details_too_long: true };
  for (const name in details) {
    const value = details[name];
    if (typeof value === "string" && repair(value) !== value) return repairDetails(details);
  }
  return details;
}

function repairDetails(details: LogDetails): LogDetails {
  const values = Object.entries(details);
  return Object.fromEntries(values.map(([name, value]) => [name, typeof value === "string" ? repair(value) : value]));
}

function isTooLong(details: LogDetails): boolean {
  const { detailsLengthMax } = bounds;
  return detailsBytesAtMost(details) > detailsLengthMax && JSON.stringify(details).length > detailsLengthMax;
}

/** A column with its name in a service. */
export interface NamedLogColumn extends LogColumn {
  readonly field: LogField;
  readonly name: LogColumnName;
  /** Whether some entries have no value. */
  readonly isOptional: boolean;
}

const allColumns: Readonly<Record<string, LogColumn>> = logColumns;

/** The columns in the order of a message. */
export const logColumnList: readonly NamedLogColumn[] = Object.entries(allColumns).map(([field, column]) => ({
  ...column,
  field: field as LogField,
  name: column.name as LogColumnName,
  isOptional: column.isRequired === undefined && column.fallback === undefined,
}));
