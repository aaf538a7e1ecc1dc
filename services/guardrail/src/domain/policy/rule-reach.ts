import { isProjectType, type ProjectType, surfaceOfProject } from "@gatehouse/principal";
import type { RuleDocument, Surface } from "./policy-document.ts";
import { type CallSurface, type TextRole, textRoles } from "./scope.ts";
import type { Side } from "./verdict.ts";

/** Texts of a way in, which rules may select. */
interface Way {
  readonly projectType: ProjectType;
  readonly hasHeaders: boolean;
  readonly hasModels: boolean;
  readonly roles: Readonly<Record<Side, readonly TextRole[]>>;
}

const ofModels = { input: textRoles, output: ["assistant"] } as const;
const ofBodies = { input: ["parameter", "user"], output: ["parameter", "user"] } as const;

const ways: Readonly<Record<CallSurface, Way>> = {
  chat: { projectType: "ai_gateway", hasHeaders: true, hasModels: true, roles: ofModels },
  wrapper: { projectType: "ai_wrapper", hasHeaders: true, hasModels: true, roles: ofModels },
  bridge: { projectType: "ai_gateway", hasHeaders: false, hasModels: true, roles: ofModels },
  mcp: {
    projectType: "mcp_gateway",
    hasHeaders: false,
    hasModels: false,
    roles: { input: ["parameter"], output: ["tool"] },
  },
  api: { projectType: "api_gateway", hasHeaders: false, hasModels: false, roles: ofBodies },
};
const wayNames = Object.keys(ways) as readonly CallSurface[];

/** The surface that a policy of a project covers by default, and must cover to check anything; undefined for an unknown type. */
export function surfaceOf(projectType: string): Surface | undefined {
  return isProjectType(projectType) ? surfaceOfProject[projectType] : undefined;
}

/** Calls that a rule is looked at for. */
export interface ReachedCalls {
  /** Surfaces that the policy covers. */
  readonly surfaces: readonly Surface[];
  /** Empty: projects of every type. */
  readonly projectType: string;
}

/** Reason why no text of these calls can fit a rule, and the remedy; undefined if some can. */
export function problemOfReach(rule: RuleDocument, calls: ReachedCalls): string | undefined {
  const { when, apply_to_output: appliesToOutput } = rule;
  const open = wayNames.filter((name) => {
    const { projectType } = ways[name];
    return (
      calls.surfaces.includes(surfaceOfProject[projectType]) &&
      (calls.projectType === "" || calls.projectType === projectType)
    );
  });
  const named = open.filter((name) => when.surfaces?.includes(name) !== false);
  if (named.length === 0) return `names no surface of these calls, which have: ${open.join(", ")}.`;
  const readable = when.headers === undefined ? named : named.filter((name) => ways[name].hasHeaders);
  if (readable.length === 0) return "names headers, which only calls on chat and wrapper have; leave them out.";
  const modelled = when.models === undefined ? readable : readable.filter((name) => ways[name].hasModels);
  if (modelled.length === 0) return "names models, which only calls on chat, wrapper and bridge have; leave them out.";
  if (when.sample === 0) return "takes a share of 0 of the calls; leave the rule out, or sample more.";
  const sides = (["input", "output"] as const).filter(
    (side) => when.sides?.includes(side) !== false && (side === "input" || appliesToOutput),
  );
  if (sides.length === 0) return "is for output alone, so apply_to_output must not be false.";
  const roles = new Set(modelled.flatMap((name) => sides.flatMap((side) => ways[name].roles[side])));
  if (when.roles === undefined || when.roles.some((role) => roles.has(role))) return undefined;
  const hint = sides.includes("output") ? "" : " Results and answers need apply_to_output.";
  return `names none of the roles that its texts have: ${[...roles].join(", ")}.${hint}`;
}
