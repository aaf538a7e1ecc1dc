import { isJsonObject, isNestedDeeper, type JsonObject } from "@gatehouse/json-rpc";
import { type Argument, argument, invalid } from "./arguments.ts";

const nestingLevelsMax = 64;
const charactersMax = 256 * 1024;

/**
 * A JSON object of any shape that can be stored: bounded, and without what JSON text allows but Postgres or protocol buffers
 * do not carry (NUL characters, halves of surrogate pairs, numbers beyond a double).
 */
export function jsonObject(description: string): Argument<JsonObject> {
  return argument({ type: "object", description }, (value, field) => {
    if (!isJsonObject(value)) throw invalid(field, "must be object");
    if (isNestedDeeper(value, nestingLevelsMax)) {
      throw invalid(field, `must not be nested more than ${nestingLevelsMax} levels deep`);
    }
    const problem = findUnstorable(value);
    if (problem !== undefined) throw invalid(field, problem);
    if (JSON.stringify(value).length > charactersMax) {
      throw invalid(field, `must have at most ${charactersMax} characters as JSON text`);
    }
    return value;
  });
}

function findUnstorable(value: unknown): string | undefined {
  if (typeof value === "number") return Number.isFinite(value) ? undefined : "must not have numbers beyond 1.8e308";
  if (typeof value === "string") return findUnstorableText(value);
  if (Array.isArray(value)) return findFirst(value, findUnstorable);
  if (!isJsonObject(value)) return undefined;
  return findFirst(Object.entries(value), ([key, member]) => {
    return key === "__proto__"
      ? "must not have a member named __proto__"
      : (findUnstorableText(key) ?? findUnstorable(member));
  });
}

function findUnstorableText(text: string): string | undefined {
  return text.isWellFormed() && !text.includes("\0")
    ? undefined
    : "must not have NUL characters or unpaired surrogates";
}

function findFirst<T, R>(items: readonly T[], find: (item: T) => R | undefined): R | undefined {
  for (const item of items) {
    const found = find(item);
    if (found !== undefined) return found;
  }
  return undefined;
}
