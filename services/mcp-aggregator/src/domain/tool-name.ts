const separator = "__";

/** Characters of an upstream's prefix, so that the tool's name keeps room. */
export const prefixLengthMax = 24;

/** With no `__` inside and no `_` at the end a name splits at its first `__` in one way only. */
export const prefixPattern = /^(?!.*__)[A-Za-z0-9_-]*[A-Za-z0-9-]$/;

/** A tool's name as clients see it. */
export function joinToolName(prefix: string, name: string): string {
  return `${prefix}${separator}${name}`;
}

/** Undefined for a name without a prefix, or with nothing behind it. */
export function splitToolName(name: string): { readonly prefix: string; readonly rest: string } | undefined {
  const at = name.indexOf(separator);
  const rest = name.slice(at + separator.length);
  return at <= 0 || rest === "" ? undefined : { prefix: name.slice(0, at), rest };
}
