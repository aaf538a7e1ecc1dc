import type { JsonObject } from "@gatehouse/json";
import { namesAnswerCount, namesAnswerLimit } from "./output-names.ts";
import type { ProviderKind } from "./provider.ts";

/** Tokens of one answer that a call asks for; undefined without a limit. Some callers send -1 for none. */
export function askedTokens({ max_completion_tokens: own, max_tokens: old }: JsonObject): number | undefined {
  return toCount(own) ?? toCount(old);
}

/** Tokens of one answer under a cap: those that the call asks for where they are fewer. */
export function cappedTokens(parameters: JsonObject, cap: number): number {
  return Math.min(askedTokens(parameters) ?? cap, cap);
}

/** Answers that a call requests, each of which is billed. */
export function askedChoices(parameters: JsonObject): number {
  const counts = Object.entries(parameters).map(([name, value]) =>
    namesAnswerCount(name) ? toCount(value) : undefined,
  );
  return Math.max(1, ...counts.map((count) => count ?? 1));
}

/** Name of a parameter whose count is not a number: a server might read a text as one. */
export function findBadCount(parameters: JsonObject): string | undefined {
  const isBad = (value: unknown) => value !== undefined && value !== null && !Number.isSafeInteger(value);
  return Object.entries(parameters).find(([name, value]) => namesAnswerCount(name) && isBad(value))?.[0];
}

/**
 * The parameters with the longest answer set, under the name that the provider reads and no other: `max_completion_tokens` for
 * OpenAI, and `max_tokens` for compatible servers, many of which know no other, unless the endpoint's parameters name OpenAI's.
 */
export function limitAnswer(parameters: JsonObject, { kind, endpoint, tokensMax }: AnswerLimit): JsonObject {
  const others = Object.entries(parameters).filter(([name]) => !namesAnswerLimit(name));
  const isNamed = Object.hasOwn(endpoint.parameters ?? {}, "max_completion_tokens");
  const name = kind === "openai-compatible" && !isNamed ? "max_tokens" : "max_completion_tokens";
  return { ...Object.fromEntries(others), [name]: tokensMax };
}

/** Limit of an answer's tokens for {@link limitAnswer}, and the facts that decide the parameter's name. */
export interface AnswerLimit {
  readonly kind: ProviderKind;
  readonly endpoint: { readonly parameters: JsonObject | null };
  /** Most tokens of each answer, reasoning included. */
  readonly tokensMax: number;
}

function toCount(value: unknown): number | undefined {
  return typeof value === "number" && value > 0 ? Math.ceil(value) : undefined;
}
