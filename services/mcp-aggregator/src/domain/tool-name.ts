const separator = "__";

/** Characters of an upstream's prefix; leaves room for the tool's name. */
export const prefixLengthMax = 24;

/** Without an inner `__` and a trailing `_`, so that a name splits unambiguously at its first `__`. */
export const prefixPattern = /^(?!.*__)[A-Za-z0-9_-]*[A-Za-z0-9-]$/;

/** A tool's name as clients see it. */
export function joinToolName(prefix: string, name: string): string {
  return `${prefix}${separator}${name}`;
}

/** Undefined for a name without a prefix, or with nothing after it. */
export function splitToolName(name: string): { readonly prefix: string; readonly rest: string } | undefined {
  const at = name.indexOf(separator);
  const rest = name.slice(at + separator.length);
  return at <= 0 || rest === "" ? undefined : { prefix: name.slice(0, at), rest };
}
