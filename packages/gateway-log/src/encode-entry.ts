import { gatewayLogBounds as bounds } from "./bounds.ts";
import { type GatewayLogEntry, type LogMembers, toMembers } from "./log-columns.ts";

/** JSON array of entries from {@link encodeEntry}: the body of one message of the stream `gateway_log`. */
export function toWireBatch(encoded: readonly string[]): string {
  return `[${encoded.join(",")}]`;
}

/** One entry as JSON with bounded texts. Overlong details are replaced by a mark. */
export function encodeEntry(entry: GatewayLogEntry): string {
  const members = toMembers(entry);
  const text = stringify(members);
  if (entry.details === undefined || text.length <= bounds.detailsLengthMax) return text;
  if (JSON.stringify(entry.details).length <= bounds.detailsLengthMax) return text;
  return stringify({ ...members, details: { details_too_long: true } });
}

/** Escapes of NUL and of lone surrogates, as `JSON.stringify` writes them. */
const refusedEscape = /\\u(?:0000|d[89a-f])/;

/** A caller's text, such as a tool's name in the details, must not prevent the entry from being stored. */
function stringify(members: LogMembers): string {
  const text = JSON.stringify(members);
  // Nearly no entry has an escape, and to look for its beginning takes less than an expression does.
  if (!text.includes("\\u") || !refusedEscape.test(text)) return text;
  return JSON.stringify(members, (_name, value: unknown) => (typeof value === "string" ? clean(value) : value));
}

/** Replaces what Postgres refuses: NUL in a text, and lone surrogates in JSON. */
function clean(text: string): string {
  return text.replaceAll("\0", "�").toWellFormed();
}
