import { isDeepStrictEqual } from "node:util";
import { type PiiEntity, piiEntities } from "../pii/entity.ts";
import { piiActionOf, type PiiMode, surfaces } from "./policy-document.ts";
import type {
  FindingsKept,
  findingsKept,
  injectionModes,
  injectionThresholds,
  PatternDocument,
  piiModes,
  PolicyDocument,
  ShadowDocument,
} from "./policy-document.ts";

/** Modes from the mildest to the strictest: a stricter mode includes the effect of a milder one. */
const piiOrder = ["off", "log", "mask", "block"] as const satisfies readonly (typeof piiModes)[number][];
const injectionOrder = ["off", "log", "block"] as const satisfies readonly (typeof injectionModes)[number][];
const thresholdOrder = [
  "quiet",
  "default",
  "strict",
] as const satisfies readonly (typeof injectionThresholds)[number][];

/**
 * A project's policy with what one of its endpoints adds: of each check the stricter mode counts, lists are joined, the lower bound
 * of the length holds, and a relaxation holds only where it takes nothing from the project.
 */
export function mergePolicies(project: PolicyDocument, endpoint: PolicyDocument): PolicyDocument {
  return {
    pii: mergePii(project, endpoint),
    secrets: mergeSecrets(project.secrets, endpoint.secrets),
    prompt_injection: mergeInjection(project.prompt_injection, endpoint.prompt_injection),
    keywords: [...new Set([...project.keywords, ...endpoint.keywords])],
    patterns: mergePatterns([...project.patterns, ...endpoint.patterns]),
    external: joinedLists(project.external, endpoint.external),
    max_content_length: lower(project.max_content_length, endpoint.max_content_length),
    apply_to_output: project.apply_to_output || endpoint.apply_to_output,
    rules: joinedLists(project.rules, endpoint.rules),
    reversible_masks: endpoint.reversible_masks ?? project.reversible_masks,
    findings: lessKept(project.findings, endpoint.findings),
    shadow: mergeShadows(project, endpoint),
    trust_caller_instructions: mergeTrust(project, endpoint),
    on_unavailable: project.on_unavailable === "open" && endpoint.on_unavailable !== "closed" ? "open" : "closed",
    surfaces: surfaces.filter((name) => project.surfaces.includes(name) || endpoint.surfaces.includes(name)),
    replace: false,
  };
}

/** Entities of both, each treated as the stricter of the two does. */
function mergePii(project: PolicyDocument, endpoint: PolicyDocument): PolicyDocument["pii"] {
  const both = [project, endpoint];
  const isLooked = (document: PolicyDocument, name: string): boolean => piiActionOf(document, entityOf(name)) !== "off";
  const named = both.flatMap((document) => document.pii.entities.filter((name) => isLooked(document, name)));
  const entities = [...new Set(named)];
  const mode = stricter(piiOrder, project.pii.mode, endpoint.pii.mode);
  const actions = entities.map((name): [PiiEntity, PiiMode] => {
    const entity = entityOf(name);
    return [entity, stricter(piiOrder, piiActionOf(project, entity), piiActionOf(endpoint, entity))];
  });
  const differing = Object.fromEntries(actions.filter(([, action]) => action !== mode));
  return { mode, entities, ...(Object.keys(differing).length > 0 && { actions: differing }) };
}

/** `national_id.us` is a national id. */
function entityOf(name: string): PiiEntity {
  return piiEntities.find((entity) => name === entity || name.startsWith(`${entity}.`)) ?? "national_id";
}

type Secrets = PolicyDocument["secrets"];

/** Exceptions of a check that is off are ignored; of two that are on, only common exceptions hold. */
function mergeSecrets(project: Secrets, endpoint: Secrets): Secrets {
  if (project.mode === "off") return endpoint;
  if (endpoint.mode === "off") return project;
  const except = project.except.filter((kind) => endpoint.except.includes(kind));
  return { mode: stricter(piiOrder, project.mode, endpoint.mode), except };
}

function stricter<Mode extends string>(order: readonly Mode[], left: Mode, right: Mode): Mode {
  return order.indexOf(left) < order.indexOf(right) ? right : left;
}

type Injection = PolicyDocument["prompt_injection"];

/** The threshold of a check that is off says nothing. */
function mergeInjection(project: Injection, endpoint: Injection): Injection {
  if (project.mode === "off") return endpoint;
  if (endpoint.mode === "off") return project;
  return {
    mode: stricter(injectionOrder, project.mode, endpoint.mode),
    threshold: stricter(thresholdOrder, project.threshold, endpoint.threshold),
  };
}

/** A project that checks for injection decides whose instructions it trusts; its endpoints may trust fewer, not more. */
function mergeTrust(project: PolicyDocument, endpoint: PolicyDocument): boolean {
  if (project.prompt_injection.mode === "off") return endpoint.trust_caller_instructions ?? false;
  return project.trust_caller_instructions === true && endpoint.trust_caller_instructions !== false;
}

/** Patterns without repetitions: of equal ones under one name, the one in the stricter mode. */
function mergePatterns(patterns: readonly PatternDocument[]): readonly PatternDocument[] {
  const merged = new Map<string, PatternDocument>();
  for (const entry of patterns) {
    const key = JSON.stringify({ ...entry, mode: undefined });
    const known = merged.get(key);
    merged.set(key, { ...entry, mode: stricter(piiOrder, known?.mode ?? "off", entry.mode) });
  }
  return [...merged.values()];
}

/** Entries of both lists, equal ones once. */
function joinedLists<Entry>(project: readonly Entry[], endpoint: readonly Entry[]): readonly Entry[] {
  return [...project, ...endpoint.filter((entry) => !project.some((known) => isDeepStrictEqual(known, entry)))];
}

const keptOrder = ["off", "plain", "excerpts"] as const satisfies readonly (typeof findingsKept)[number][];

/** Excerpts are kept only where both say so, or one does and the other says nothing. */
function lessKept(project: FindingsKept | undefined, endpoint: FindingsKept | undefined): FindingsKept | undefined {
  if (project === undefined || endpoint === undefined) return project ?? endpoint;
  return keptOrder.indexOf(project) < keptOrder.indexOf(endpoint) ? project : endpoint;
}

/** A policy on trial stands where its owner's would: an endpoint's on top of its project's, a project's below its endpoint's. */
function mergeShadows(project: PolicyDocument, endpoint: PolicyDocument): ShadowDocument | undefined {
  if (project.shadow === undefined && endpoint.shadow === undefined) return undefined;
  const [below, above] = [
    { ...project, shadow: undefined },
    { ...endpoint, shadow: undefined },
  ];
  const tried =
    endpoint.shadow === undefined
      ? mergePolicies({ ...below, ...project.shadow }, above)
      : mergePolicies(below, { ...above, ...endpoint.shadow });
  const { pii, secrets, prompt_injection, keywords, patterns, apply_to_output, rules } = tried;
  return { pii, secrets, prompt_injection, keywords, patterns, apply_to_output, rules };
}

function lower(left: number | undefined, right: number | undefined): number | undefined {
  if (left === undefined || right === undefined) return left ?? right;
  return Math.min(left, right);
}
