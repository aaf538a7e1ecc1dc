import type { UpstreamSettings } from "./upstream.ts";

/** Whether a tool may be listed and called; a denied name stays denied even where it is allowed too. */
export function isToolAllowed(name: string, { allowedTools, deniedTools }: UpstreamSettings): boolean {
  if (deniedTools.some((pattern) => matches(pattern, name))) return false;
  return allowedTools === null || allowedTools.some((pattern) => matches(pattern, name));
}

/** A `*` at the end stands for any rest, also an empty one. */
function matches(pattern: string, name: string): boolean {
  return pattern.endsWith("*") ? name.startsWith(pattern.slice(0, -1)) : name === pattern;
}
