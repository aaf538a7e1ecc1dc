import { quote } from "@gatehouse/admin";
import { type GatewayError, invalidArgument } from "@gatehouse/errors";
import type { JsonObject } from "@gatehouse/json-rpc";
import type { PlannedChange } from "../domain/configuration/planned-change.ts";
import { findReferences, type MissingValue } from "../domain/configuration/secret-references.ts";
import type { OperationRunner } from "../operations/operation-runner.ts";
import type { PlanJudge } from "./judge-plan.ts";

/** Problems in one message; a dry run lists all missing values. */
const namedMax = 50;

/** Values that a change requires and that neither it nor an earlier one provides. */
async function findMissing(change: PlannedChange, runner: OperationRunner): Promise<readonly MissingValue[]> {
  const { operation, arguments: given, subject, made } = change;
  const later = [subject?.argument, made?.argument];
  const absent = (await runner.findMissingArguments(operation, given)).filter((field) => !later.includes(field));
  return [...absent.map((field) => ({ name: undefined, field, change })), ...findReferences(change)];
}

/** Refuses a document that lacks values, and names the first of them. */
export function missingValues(missing: readonly MissingValue[]): GatewayError {
  const named = missing.slice(0, namedMax).map(({ name, field, change }) => {
    const place = `${change.kind} ${quote(placeOf(change))}: ${field}`;
    return name === undefined ? place : `\${${name}} (${place})`;
  });
  if (missing.length > namedMax) named.push(`${missing.length - namedMax} more, which a dry run lists`);
  const message = `Values are missing, so nothing was changed: ${named.join(", ")}. Set them and apply the document again.`;
  return invalidArgument(message);
}

/** A missing value in the answer of a dry run. */
export function encodeMissing({ name, field, change: { kind, name: item, project } }: MissingValue): JsonObject {
  return { name: name ?? null, kind, item, project: project ?? null, field };
}

/** A changed item for people: `project/name`, or a project's name alone. */
export function placeOf({ project, name }: PlannedChange): string {
  return project === undefined || project === name ? name : `${project}/${name}`;
}

/**
 * Judges every change of a plan as its operation will after the earlier changes: unknown settings, wrong types, values out of
 * bounds, rules across fields, references, limits.
 * @returns the missing values
 * @throws GatewayError `invalid_argument` naming the first {@link namedMax} problems; `unavailable` where an owner cannot answer
 */
export async function checkPlan(
  changes: readonly PlannedChange[],
  judge: PlanJudge,
  runner: OperationRunner,
): Promise<readonly MissingValue[]> {
  const problems: string[] = [];
  const missing: MissingValue[] = [];
  for (const change of changes) {
    const values = await findMissing(change, runner);
    missing.push(...values);
    // A change with references to missing values is not judged yet: a reference may stand for a value of any type.
    const isWhole = values.length === 0;
    const formal = (await findUnknown(change, runner)) ?? (await findNull(change, values, runner));
    const problem = formal ?? (isWhole ? await judge.findRefusal(change) : undefined);
    if (problem !== undefined) problems.push(`${change.kind} ${placeOf(change)}: ${problem}`);
    if (problems.length === namedMax) break;
    judge.add(change);
  }
  if (problems.length === 0) return missing;
  throw invalidArgument(`${problems.join("; ")}. Nothing was changed.`);
}

/** Null for a setting that cannot be removed; a required one that is null counts as missing. */
async function findNull(
  { operation, arguments: given }: PlannedChange,
  missing: readonly MissingValue[],
  runner: OperationRunner,
): Promise<string | undefined> {
  const name = await runner.findNullArgument(operation, given);
  if (name === undefined || missing.some(({ field }) => field === name)) return undefined;
  return `${name} cannot be null; give it a value, or leave it out to keep the present one`;
}

async function findUnknown(
  { operation, arguments: given }: PlannedChange,
  runner: OperationRunner,
): Promise<string | undefined> {
  const unknown = await runner.findUnknownArgument(operation, given);
  return unknown === undefined ? undefined : `${unknown} is not a setting; look for a misspelling`;
}
