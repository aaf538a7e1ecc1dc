import { GatewayError } from "@gatehouse/errors";
import { excerpt } from "@gatehouse/json-rpc";

const separator = "__";
const prefixLengthMax = 24;
const quotedLengthMax = 100;

/**
 * Checks a prefix (decisions, "MCP route"): with no `__` inside and no `_` at the end a name splits at its first `__` in one way
 * only. @throws GatewayError `invalid_argument` that says the rule.
 */
export function checkPrefix(prefix: string): void {
  if (/^[A-Za-z0-9_-]+$/.test(prefix) && prefix.length <= prefixLengthMax && !/__|_$/.test(prefix)) return;
  throw new GatewayError(
    "invalid_argument",
    `Invalid prefix: ${excerpt(prefix, quotedLengthMax)}. Use 1 to ${prefixLengthMax} letters, digits, "-" and "_", ` +
      'with no "__" inside and no "_" at the end.',
  );
}

export function joinToolName(prefix: string, name: string): string {
  return `${prefix}${separator}${name}`;
}

/** Undefined for a name without a prefix, or with nothing behind it. */
export function splitToolName(name: string): { readonly prefix: string; readonly rest: string } | undefined {
  const at = name.indexOf(separator);
  const rest = name.slice(at + separator.length);
  return at <= 0 || rest === "" ? undefined : { prefix: name.slice(0, at), rest };
}
