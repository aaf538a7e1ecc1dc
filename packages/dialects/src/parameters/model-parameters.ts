import type { JsonObject } from "@gatehouse/json";

/** Two names of one limit; providers refuse a request with both. */
const outputLimits = ["max_tokens", "max_completion_tokens"] as const;

/** One object, so that calls without parameters are recognised by it. */
const noParameters: JsonObject = Object.freeze({});

/** Model parameters of a call: the caller's override the endpoint's. */
export function mergeParameters(defaults: JsonObject | null, own: JsonObject | undefined): JsonObject {
  if (own === undefined) return defaults ?? noParameters;
  if (defaults === null) return own;
  const limitsOutput = outputLimits.some((name) => Object.hasOwn(own, name));
  const entries = Object.entries(defaults).filter(([name]) => !limitsOutput || !isOutputLimit(name));
  return { ...Object.fromEntries(entries), ...own };
}

function isOutputLimit(name: string): boolean {
  return (outputLimits as readonly string[]).includes(name);
}
