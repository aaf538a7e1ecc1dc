import { isEventKey } from "@gatehouse/audit";
import { GatewayError } from "@gatehouse/errors";

const nameLengthMax = 200;

/** Webhooks of one project. */
export const webhooksPerProjectMax = 100;

/** @throws GatewayError `invalid_argument` naming the field. */
export function checkName(name: string): string {
  if (name.trim() === "") throw invalid("name must not be empty");
  if (name.length > nameLengthMax) throw invalid(`name must have at most ${nameLengthMax} characters`);
  if (/\p{Cc}/u.test(name)) throw invalid("name must not have control characters");
  return name;
}

/** The keys, each once. @throws GatewayError `invalid_argument` naming those that are unknown. */
export function checkEvents(events: readonly string[]): readonly string[] {
  const keys = [...new Set(events)];
  const unknown = keys.filter((key) => !isEventKey(key));
  if (unknown.length > 0) throw invalid(`Unknown event(s): ${listUnknown(unknown)}`);
  if (keys.length === 0) throw invalid("events must have at least one event key");
  return keys;
}

/** Messages have a bound. */
const unknownNamedMax = 8;

function listUnknown(keys: readonly string[]): string {
  const named = keys.slice(0, unknownNamedMax).map(shorten).join(", ");
  return keys.length <= unknownNamedMax ? named : `${named} and ${keys.length - unknownNamedMax} more`;
}

function shorten(key: string): string {
  return key.length <= 100 ? key : `${key.slice(0, 99).toWellFormed()}…`;
}

function invalid(message: string): GatewayError {
  return new GatewayError("invalid_argument", message);
}
