import { invalidArgument } from "@gatehouse/errors";
import { encodeJson } from "@gatehouse/json";
import {
  type CompiledSchema,
  compileSchema,
  parseText,
  type SavedSchema,
  type SchemaVerdict,
} from "./compile-schema.ts";
import { schemaBounds } from "./schema-bounds.ts";
import { sameForAll, type Violation } from "./violation.ts";

interface CheckScope {
  /** Owner of the value; tenants take turns. */
  readonly tenant: string;
  readonly signal?: AbortSignal;
}

/**
 * Checks JSON text on a worker thread, with a deadline.
 * @throws GatewayError `unavailable` when too much work waits, `cancelled` by the signal.
 */
export type CheckText = (
  schema: SavedSchema,
  text: string,
  scope: CheckScope,
) => Promise<SchemaVerdict | { readonly kind: "not_json" }>;

/** Violations of a value: without a promise where the check is cheap, else on a worker thread. */
export function violationsOf(
  schema: CompiledSchema,
  value: unknown,
  checkText: (text: string) => ReturnType<CheckText>,
): readonly Violation[] | Promise<readonly Violation[]> {
  const verdict = schema.check(value, schemaBounds.inlineWorkMax);
  if (verdict.kind === "checked") return verdict.violations;
  return checkAway(value, checkText);
}

async function checkAway(
  value: unknown,
  checkText: (text: string) => ReturnType<CheckText>,
): Promise<readonly Violation[]> {
  const text = typeof value === "object" && value !== null ? await encodeJson(value) : JSON.stringify(value);
  const late = await checkText(text);
  return late.kind === "checked" ? late.violations : tooMuchWork;
}

/** Longest text that is parsed on this thread, UTF-16 code units. */
const inlineCharsMax = 64 * 1_024;

/** Violations of JSON text, checked like a value; undefined for a text that is not JSON. */
export async function violationsOfText(
  schema: CompiledSchema,
  text: string,
  checkText: (text: string) => ReturnType<CheckText>,
): Promise<readonly Violation[] | undefined> {
  if (text.length > inlineCharsMax) {
    const verdict = await checkText(text);
    if (verdict.kind === "not_json") return undefined;
    return verdict.kind === "checked" ? verdict.violations : tooMuchWork;
  }
  const parsed = parseText(text);
  if (parsed.kind === "not_json") return undefined;
  if (parsed.kind === "checked") return parsed.violations;
  return await violationsOf(schema, parsed.value, checkText);
}

/** Violation for a value whose check exceeds its bounds. */
export const tooMuchWork: readonly Violation[] = [
  sameForAll("/ takes too long to check against the schema of the endpoint; send less, or less deeply nested, data"),
];

/**
 * Checks a schema before it is saved, by compiling it as for calls.
 * @throws GatewayError `invalid_argument` for one that cannot be used.
 */
export async function proveSchema(
  { source, field }: SavedSchema,
  checkText: CheckText,
  scope: CheckScope,
): Promise<void> {
  if (compileSchema(source, field).isInline) return;
  const verdict = await checkText({ source, field }, "null", scope);
  if (verdict.kind === "checked") return;
  throw invalidArgument(`${field} takes too long to compile; send a schema with fewer subschemas`);
}
