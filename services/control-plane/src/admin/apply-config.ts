import {
  administerGateway,
  array,
  boolean,
  defineOperation,
  nullable,
  number,
  object,
  record,
  string,
  unknown,
  withDefault,
} from "@gatehouse/admin";
import type { JsonObject } from "@gatehouse/json-rpc";
import { type ConfigurationDocument, documentSchema } from "../domain/configuration/document.ts";
import { planChanges } from "../domain/configuration/plan.ts";
import type { PlannedChange } from "../domain/configuration/planned-change.ts";
import type { AdminContext } from "./admin-context.ts";
import { checkPlan, encodeMissing, missingValues } from "./check-plan.ts";
import { PlanJudge } from "./judge-plan.ts";
import { type Outcome, PlanRun } from "./plan-run.ts";
import { readConfiguration } from "./read-configuration.ts";

const plannedChange = {
  action: string(),
  kind: string(),
  name: string(),
  project: nullable(string()),
  fields: array(string()),
};

/** Plans or makes the changes that turn the present configuration into the document's. */
export const applyConfig = defineOperation({
  name: "svc_apply_config",
  description:
    "Applies a configuration document and lists the changes. Items are found by name (endpoints by slug, upstreams by prefix). " +
    "Items that the document does not name stay unchanged, and nothing is deleted. `dry_run` only shows the plan and the missing " +
    "values. If a value is missing or any change would be refused, nothing is changed. If a change still fails (after a change " +
    "by another caller, or while a service is unavailable), the reply says failed and gives each change its outcome: made, " +
    "refused, unknown (no answer) or not_made. Changes that were made stay, and applying the document again continues from " +
    "there; after a success, it changes nothing. New secrets are shown in this reply only.",
  access: administerGateway,
  input: object({
    document: documentSchema,
    dry_run: withDefault(boolean("Only show what would be changed."), false),
  }),
  output: object({
    dry_run: boolean(),
    changes: array(object({ ...plannedChange, outcome: string() })),
    missing: array(record(unknown())),
    applied: number(),
    secrets: array(object({ kind: string(), name: string(), project: nullable(string()), secret: string() })),
    warnings: array(object({ kind: string(), name: string(), project: nullable(string()), warning: string() })),
    failed: nullable(object({ ...plannedChange, message: string() })),
  }),
  async run({ input: { document, dry_run: isDryRun } }, context: AdminContext) {
    if (isDryRun) return { dry_run: true, ...(await plan(document, context)).show(() => "planned"), ...nothingMade };
    return await context.applyAlone(async () => await apply(document, context));
  },
});

const nothingMade = { applied: 0, secrets: [], warnings: [], failed: null };

/** The changes that the document requires, and the values that they lack. */
async function plan(document: ConfigurationDocument, { operations }: AdminContext) {
  const state = await readConfiguration(operations);
  const changes = planChanges(document, state);
  const missing = await checkPlan(changes, new PlanJudge(document, state, operations), operations);
  const show = (outcomeAt: (index: number) => Outcome) => ({
    changes: changes.map((change, index) => ({ ...encodeChange(change), outcome: outcomeAt(index) })),
    missing: missing.map(encodeMissing),
  });
  return { state, changes, missing, show };
}

async function apply(document: ConfigurationDocument, context: AdminContext) {
  const { state, changes, missing, show } = await plan(document, context);
  if (missing.length > 0) throw missingValues(missing);
  const { count, secrets, warnings, stop } = await new PlanRun(context, document, state).applyAll(changes);
  const outcomeAt = (index: number) =>
    index < count ? "made" : index === count && stop !== undefined ? stop.outcome : "not_made";
  const failed = stop === undefined ? null : { ...encodeChange(stop.change), message: stop.message };
  return { dry_run: false, ...show(outcomeAt), applied: count, secrets, warnings, failed };
}

/** A change without its values, some of which are secret. */
function encodeChange({ action, kind, name, project, fields }: PlannedChange): JsonObject {
  return { action, kind, name, project: project ?? null, fields: fields ?? [] };
}
