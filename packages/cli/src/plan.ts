import type { JsonObject } from "./control-plane.ts";

/** A plan of changes for people: one line each, `+` for what is made and `~` for what is changed. */
export function formatPlan(answer: JsonObject): string {
  const changes = (answer["changes"] ?? []) as readonly JsonObject[];
  if (changes.length === 0) return "Nothing to change.";
  const lines = changes.map(formatChange);
  const made = changes.filter(({ action }) => action === "create").length;
  const changed = changes.length - made;
  const isPlan = answer["dry_run"] === true;
  lines.push(
    "",
    isPlan ? `Plan: ${made} to create, ${changed} to change.` : `Done: ${made} created, ${changed} changed.`,
  );
  return lines.join("\n");
}

/** Lines with the secrets that were made; each can be read this once. */
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
