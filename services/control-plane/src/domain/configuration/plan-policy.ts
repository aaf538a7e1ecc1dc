import { isJsonObject, type JsonObject } from "@gatehouse/json-rpc";
import { isSamePolicy } from "./compare.ts";
import { creation, type PlannedChange, type Subject, update } from "./planned-change.ts";

interface PolicyPlace {
  readonly project: string;
  readonly projectType: string;
  readonly subject: Subject;
  /** The owner's policy; undefined: none. */
  readonly current: JsonObject | undefined;
}

/** The change of an owner's guardrail policy, if the document's differs; null removes the policy. */
export function planPolicy(name: string, wanted: JsonObject | null | undefined, place: PolicyPlace): PlannedChange[] {
  const { project, projectType, subject, current } = place;
  if (wanted === null) return current === undefined ? [] : [{ ...removal(name), project, subject }];
  if (wanted === undefined || (current !== undefined && isSamePolicy(wanted, current, projectType))) return [];
  const settings = current === undefined ? wanted : withKeptSecrets(wanted, current);
  const change = creation({ kind: "guardrails", name, operation: "svc_set_guardrails", arguments: settings });
  return [{ ...change, action: current === undefined ? "create" : "update", project, subject }];
}

function removal(name: string): PlannedChange {
  const operation = "svc_set_guardrails";
  return update({ kind: "guardrails", name, fields: ["clear"], operation, arguments: { clear: true } });
}

/** An existing external guardrail keeps its secret, as every item does. */
function withKeptSecrets(wanted: JsonObject, current: JsonObject): JsonObject {
  const present = objectsIn(current["external"]);
  if (present.length === 0) return wanted;
  const external = objectsIn(wanted["external"]).map((entry) => {
    const kept = present.find(({ name, url }) => name === entry["name"] && url === entry["url"]);
    if (kept?.["secret_kept"] !== true || (entry["secret"] ?? null) === null) return entry;
    const { secret: _secret, ...settings } = entry;
    return { ...settings, secret_kept: true };
  });
  return wanted["external"] === undefined ? wanted : { ...wanted, external };
}

function objectsIn(list: unknown): readonly JsonObject[] {
  return Array.isArray(list) ? list.filter(isJsonObject) : [];
}
