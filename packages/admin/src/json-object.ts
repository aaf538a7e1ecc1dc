import type { JsonObject } from "@gatehouse/json";
import { Type } from "typebox";
import { refined } from "./schemas.ts";

const nestingLevelsMax = 64;

/** A JSON object with any members that Postgres can store, bounded in nesting and length. */
export function jsonObject(
  description: string,
  /** UTF-16 code units of the object as JSON text. */
  lengthMax: number,
) {
  const bounds = `At most ${nestingLevelsMax} levels deep and ${lengthMax} characters as JSON text.`;
  const schema = Type.Unsafe<JsonObject>({ type: "object", description: `${description} ${bounds}` });
  return refined(schema, (value) => {
    const problem = findProblem(value, 1);
    if (problem !== undefined || JSON.stringify(value).length <= lengthMax) return problem;
    return `must have at most ${lengthMax} characters as JSON text`;
  });
}

function findProblem(value: unknown, level: number): string | undefined {
  if (typeof value === "number") return Number.isFinite(value) ? undefined : "must not have numbers beyond 1.8e308";
  if (typeof value === "string") return findTextProblem(value);
  if (typeof value !== "object" || value === null) return undefined;
  if (level > nestingLevelsMax) return `must not be nested more than ${nestingLevelsMax} levels deep`;
  for (const [key, member] of Object.entries(value)) {
    const problem = key === "__proto__" ? "must not have a member named __proto__" : findTextProblem(key);
    const found = problem ?? findProblem(member, level + 1);
    if (found !== undefined) return found;
  }
  return undefined;
}

function findTextProblem(text: string): string | undefined {
  if (text.isWellFormed() && !text.includes("\0")) return undefined;
  return "must not have NUL characters or unpaired surrogates";
}
