import type { CheckDocument, PatternDocument, PolicyDocument, Surface } from "./policy/policy-document.ts";

/** Owner of a policy: the endpoint, or the project where no endpoint is named. */
export interface PolicyOwner {
  readonly projectUuid: string;
  readonly endpointUuid: string | undefined;
}

/** `both` where an endpoint's policy adds to its project's. */
export type PolicySource = "project" | "endpoint" | "both";

/** A policy as it is kept: the document was valid when it was saved. */
export interface SavedPolicy {
  readonly document: unknown;
  readonly updatedAt: Date;
}

/** The uuid that a policy is kept under. */
export function ownerUuidOf({ projectUuid, endpointUuid }: PolicyOwner): string {
  return endpointUuid ?? projectUuid;
}

/**
 * The inspection that a model's answer needs: `before_reply` where it may be blocked or masked, so that none of it is shown
 * earlier; `whole` where a guardrail elsewhere or a pattern of a path or a tool judges it, which know no pieces; `after_reply` where
 * findings are only recorded; `none` where nothing looks at it.
 */
export type OutputCheck = "none" | "before_reply" | "after_reply" | "whole";

/** @param checks those that judge the call's answer. On `mcp` it is the result of a tool, which is judged for injection as well. */
export function outputCheckOf(
  { external }: PolicyDocument,
  checks: readonly CheckDocument[],
  surface: Surface,
): OutputCheck {
  if (external.some(({ mode, sides }) => mode !== "off" && sides.includes("output"))) return "whole";
  if (checks.some(({ patterns }) => patterns.some(needsWhole))) return "whole";
  const modes = checks.flatMap(({ pii, secrets, prompt_injection: injection, keywords, patterns }) => [
    pii.mode,
    ...Object.values(pii.actions ?? {}),
    secrets.mode,
    ...(surface === "mcp" ? [injection.mode] : []),
    ...patterns.map(({ mode }) => mode),
    ...(keywords.length > 0 ? (["block"] as const) : []),
  ]);
  if (modes.includes("block") || modes.includes("mask")) return "before_reply";
  return modes.includes("log") ? "after_reply" : "none";
}

/** A part of a text is no JSON, and the tool's name came before it. */
function needsWhole({ path, tool, mode }: PatternDocument): boolean {
  return (path !== undefined || tool !== undefined) && (mode === "block" || mode === "mask");
}
