import { gatewayLogBounds as bounds } from "./bounds.ts";
import type { GatewayLogEntry } from "./gateway-log-entry.ts";

export type WireEntry = Readonly<ReturnType<typeof toWire>>;

export function toWireBatch(encoded: readonly string[]): string {
  return `[${encoded.join(",")}]`;
}

/** One entry as JSON with bounded texts. Overlong details are replaced by a mark. */
export function encodeEntry(entry: GatewayLogEntry): string {
  const wire = toWire(entry);
  const text = stringify(wire);
  if (entry.details === undefined || text.length <= bounds.detailsLengthMax) return text;
  if (JSON.stringify(entry.details).length <= bounds.detailsLengthMax) return text;
  return JSON.stringify({ ...wire, details: { details_too_long: true } });
}

/** Names are those of the logbook's view `gateway_log_entries`. */
function toWire(entry: GatewayLogEntry) {
  return {
    at_ms: Math.round(entry.atMs),
    request_id: shorten(entry.requestId),
    trace_id: entry.traceId,
    project_uuid: entry.projectUuid,
    endpoint_uuid: entry.endpointUuid,
    token_id: entry.tokenId,
    user_name: shortenOptional(entry.user),
    route: entry.route,
    status: entry.status,
    error: shortenOptional(entry.error),
    duration_ms: Math.max(0, Math.round(entry.durationMs)),
    provider: shortenOptional(entry.provider),
    model: shortenOptional(entry.model),
    attempts: entry.attempts ?? 0,
    prompt_tokens: entry.promptTokens,
    completion_tokens: entry.completionTokens,
    cost_micros: entry.costMicros === undefined ? undefined : Math.round(entry.costMicros),
    details: entry.details,
  };
}

function shortenOptional(text: string | undefined): string | undefined {
  return text === undefined ? undefined : shorten(text);
}

/** Escapes of NUL and of lone surrogates, as `JSON.stringify` writes them. */
const refusedEscape = /\\u(?:0000|d[89a-f])/;

/** A caller's text in the details, such as a tool's name, must not prevent the entry from being stored. */
function stringify(wire: WireEntry): string {
  const text = JSON.stringify(wire);
  if (!refusedEscape.test(text)) return text;
  return JSON.stringify(wire, (_name, value: unknown) => (typeof value === "string" ? clean(value) : value));
}

function shorten(text: string): string {
  const short = text.length > bounds.textLengthMax ? `${text.slice(0, bounds.textLengthMax - 1)}…` : text;
  return clean(short);
}

/** Replaces what Postgres refuses: NUL in a text, and lone surrogates in JSON. */
function clean(text: string): string {
  const withoutNul = text.includes("\0") ? text.replaceAll("\0", "�") : text;
  return withoutNul.toWellFormed();
}
