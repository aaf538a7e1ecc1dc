import { isJsonObject, type JsonObject } from "@gatehouse/json";

/** A plan of changes for people: one line each, `+` for a new resource and `~` for a changed one. */
export function formatPlan(answer: JsonObject): string {
  const planned = (answer["changes"] ?? []) as readonly JsonObject[];
  if (planned.length === 0) return "Nothing to change.";
  const { failed } = answer;
  const changes = isJsonObject(failed) ? planned.slice(0, Number(answer["applied"])) : planned;
  const lines = changes.map(formatChange);
  const made = changes.filter(({ action }) => action === "create").length;
  const changed = changes.length - made;
  const isPlan = answer["dry_run"] === true;
  lines.push(
    "",
    isPlan ? `Plan: ${made} to create, ${changed} to change.` : `Done: ${made} created, ${changed} changed.`,
  );
  const warnings = (answer["warnings"] ?? []) as readonly JsonObject[];
  lines.push(
    ...warnings.map(
      ({ kind, name, project, warning }) => `Warning: ${String(kind)} ${place(project, name)}: ${String(warning)}`,
    ),
  );
  return lines.join("\n");
}

/** Problem that keeps the document from being applied as a whole; undefined where there is none. */
export function findPlanProblem(answer: JsonObject): string | undefined {
  const { failed, applied } = answer;
  if (isJsonObject(failed)) {
    const changes = (answer["changes"] ?? []) as readonly JsonObject[];
    const left = changes.slice(Number(applied) + 1).map((change) => `  ${formatChange(change)}`);
    return [
      String(failed["message"]),
      `${String(applied)} of ${changes.length} changes were made, and stay. Fix this one and apply the same document again: it goes on from there.`,
      ...(left.length === 0 ? [] : ["Not made:", ...left]),
    ].join("\n");
  }
  const missing = (answer["missing"] ?? []) as readonly JsonObject[];
  if (missing.length === 0) return undefined;
  const lines = missing.map(({ name, kind, item, project, field }) => {
    const where = `${String(kind)} ${place(project, item)}: ${String(field)}`;
    return typeof name === "string" ? `  ${name}  (${where})` : `  ${where}`;
  });
  return ["These values are missing; set them in the environment before it is applied:", ...lines].join("\n");
}

/** Lines with newly created secrets, which can be read only once. */
export function formatSecrets(answer: JsonObject): readonly string[] {
  const secrets = (answer["secrets"] ?? []) as readonly JsonObject[];
  if (secrets.length === 0) return [];
  const lines = secrets.map(
    ({ kind, name, project, secret }) => `  ${place(project, name)} (${String(kind)})  ${String(secret)}`,
  );
  return ["", "Shown once; keep them:", ...lines];
}

function formatChange({ action, kind, name, project, fields }: JsonObject): string {
  const named = (fields ?? []) as readonly string[];
  const what = named.length === 0 ? "" : `: ${named.join(", ")}`;
  return `${action === "create" ? "+" : "~"} ${String(kind)} ${place(project, name)}${what}`;
}

function place(project: unknown, name: unknown): string {
  return typeof project !== "string" || project === name ? String(name) : `${project}/${String(name)}`;
}
