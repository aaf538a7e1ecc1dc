import type { JsonObject } from "@gatehouse/json";
import type { ProviderKind } from "./provider.ts";

/**
 * Names under which OpenAI and compatible servers take the longest answer. A budget's limit takes the place of all of them,
 * for a server that reads another one than was set would not keep it.
 */
const limitNames: ReadonlySet<string> = new Set([
  "max_completion_tokens",
  "max_tokens",
  "max_output_tokens",
  "max_new_tokens",
  "max_length",
  "n_predict",
  "num_predict",
]);

/** Names under which servers take how many answers they make, each of which is billed. */
const choiceNames = ["n", "best_of", "num_return_sequences", "candidate_count"] as const;

/** Tokens of one answer that a call asks for; undefined where it sets no limit. Some callers send -1 for none. */
export function askedTokens({ max_completion_tokens: own, max_tokens: old }: JsonObject): number | undefined {
  return toCount(own) ?? toCount(old);
}

/** Answers that a call has made and billed. */
export function askedChoices(parameters: JsonObject): number {
  return Math.max(1, ...choiceNames.map((name) => toCount(parameters[name]) ?? 1));
}

/** Names of counts that are none: a server might read a text as a number. */
export function findBadCount(parameters: JsonObject): string | undefined {
  return choiceNames.find((name) => {
    const value = parameters[name];
    return value !== undefined && value !== null && !Number.isSafeInteger(value);
  });
}

/**
 * The parameters with the longest answer set, and under no other name than the one that the provider reads: OpenAI's own, and
 * `max_tokens` for compatible servers, many of which know no other, unless the endpoint's administrator has named OpenAI's.
 */
export function limitAnswer(parameters: JsonObject, { kind, endpoint, tokensMax }: AnswerLimit): JsonObject {
  const others = Object.entries(parameters).filter(([name]) => !limitNames.has(name));
  const isNamed = Object.hasOwn(endpoint.parameters ?? {}, "max_completion_tokens");
  const name = kind === "openai-compatible" && !isNamed ? "max_tokens" : "max_completion_tokens";
  return { ...Object.fromEntries(others), [name]: tokensMax };
}

/** The most tokens that an answer may have, for the request that says so to the provider. */
export interface AnswerLimit {
  readonly kind: ProviderKind;
  readonly endpoint: { readonly parameters: JsonObject | null };
  /** Of each answer, reasoning included. */
  readonly tokensMax: number;
}

function toCount(value: unknown): number | undefined {
  return typeof value === "number" && value > 0 ? Math.ceil(value) : undefined;
}
