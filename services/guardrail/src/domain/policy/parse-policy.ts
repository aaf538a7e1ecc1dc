import { externalBounds, type ExternalDocument, type ExternalKind, sides } from "../external/external-document.ts";
import { secretProblem, signingKey } from "../external/sign.ts";
import { type PiiEntity, piiEntities } from "../pii/entity.ts";
import { defaultEntities, findEntities } from "./entity-names.ts";
import {
  type CheckDocument,
  invalidPolicy,
  type PiiActions,
  type PolicyDocument,
  type RuleDocument,
  surfaces,
} from "./policy-document.ts";
import { checkPolicy, keywordsMax, type PolicyInput } from "./policy-schema.ts";
import type { ScopeDocument } from "./scope.ts";

/**
 * Checks an untrusted policy and fills in defaults. Throws `invalid_argument` naming the field, with a position where the
 * field is a list. Unknown fields are refused, because a misspelt one would silently switch a check off.
 */
export function parsePolicy(value: unknown): PolicyDocument {
  if (typeof value !== "object" || value === null || Array.isArray(value)) {
    throw invalidPolicy("policy", "must be an object.");
  }
  const given = checkPolicy(value as Readonly<Record<string, unknown>>);
  return toDocument(given);
}

function toDocument(given: PolicyInput): PolicyDocument {
  const { surfaces: covered, rules = [], shadow } = given;
  const keywordCount = [given, ...rules, ...(shadow === undefined ? [] : [shadow, ...(shadow.rules ?? [])])].reduce(
    (total, { keywords = [] }) => total + keywords.length,
    0,
  );
  if (keywordCount > keywordsMax) {
    throw invalidPolicy(
      "rules",
      `and shadow have ${keywordCount} keywords with the policy's own; at most ${keywordsMax} are allowed.`,
    );
  }
  return {
    ...toChecks(given),
    rules: toRules(rules),
    reversible_masks: given.reversible_masks,
    findings: given.findings,
    shadow: shadow === undefined ? undefined : { ...toChecks(shadow), rules: toRules(shadow.rules) },
    external: toExternals(given.external),
    max_content_length: given.max_content_length,
    trust_caller_instructions: given.trust_caller_instructions,
    on_unavailable: given.on_unavailable,
    surfaces: covered === undefined ? ["chat"] : surfaces.filter((surface) => covered.includes(surface)),
    replace: given.replace ?? false,
  };
}

/** The checks that a policy, a rule or a policy on trial names; the others are off. */
type ChecksInput = Pick<
  PolicyInput,
  "pii" | "secrets" | "prompt_injection" | "keywords" | "patterns" | "apply_to_output"
>;

function toChecks(given: ChecksInput): CheckDocument {
  const { pii, secrets, prompt_injection: injection, patterns = [] } = given;
  return {
    pii: { mode: pii?.mode ?? "off", entities: toEntities(pii), ...toActions(pii?.actions) },
    secrets: { mode: secrets?.mode ?? "off", except: secrets?.except ?? [] },
    prompt_injection: { mode: injection?.mode ?? "off", threshold: injection?.threshold ?? "default" },
    keywords: given.keywords ?? [],
    patterns: patterns.map(({ name, mode = "block", ...looksFor }) => {
      const { pattern, path, tool } = looksFor;
      return { name: name ?? pattern ?? path ?? tool ?? "", ...looksFor, mode };
    }),
    apply_to_output: given.apply_to_output ?? false,
  };
}

function toRules(given: PolicyInput["rules"] = []): readonly RuleDocument[] {
  return given.map((rule) => {
    // A rule that names the output side is for answers; without this it would check nothing there.
    const { apply_to_output: appliesToOutput = rule.when.sides?.includes("output") ?? false } = rule;
    return { name: rule.name, when: toScope(rule.when), ...toChecks({ ...rule, apply_to_output: appliesToOutput }) };
  });
}

/** Names of headers are compared in lower case. */
function toScope({ headers, ...when }: NonNullable<PolicyInput["rules"]>[number]["when"]): ScopeDocument {
  if (headers === undefined) return when;
  return {
    ...when,
    headers: Object.fromEntries(Object.entries(headers).map(([name, values]) => [name.toLowerCase(), values])),
  };
}

function toExternals(given: PolicyInput["external"] = []): readonly ExternalDocument[] {
  return given.map((entry, index) => {
    const { sides: asked, when, mode, timeout_ms: timeoutMs, on_failure: onFailure, ...named } = entry;
    const problem = problemOf(entry) ?? (isNamedBefore(given, index) ? "has the name of another one." : undefined);
    if (problem !== undefined) throw invalidPolicy(`external[${index}]`, problem);
    return {
      ...named,
      sides: asked === undefined ? ["input"] : sides.filter((side) => asked.includes(side)),
      when: when ?? "before",
      mode: mode ?? "block",
      timeout_ms: timeoutMs ?? externalBounds.timeoutMsDefault,
      on_failure: onFailure ?? "closed",
    };
  });
}

type External = NonNullable<PolicyInput["external"]>[number];

function isNamedBefore(given: readonly External[], index: number): boolean {
  return given.slice(0, index).some(({ name }) => name === given[index]?.name);
}

/** Fields that say something of some kinds only would be passed over in silence elsewhere. */
const fieldKinds: Readonly<Partial<Record<keyof External, readonly ExternalKind[]>>> = {
  model: ["llama_guard", "llm_judge"],
  instructions: ["llm_judge"],
  language: ["presidio"],
  entities: ["presidio"],
  score_threshold: ["presidio"],
  found: ["presidio"],
};

function problemOf(entry: External): string | undefined {
  for (const [field, kinds] of Object.entries(fieldKinds)) {
    const isGiven = entry[field as keyof External] !== undefined;
    if (isGiven && !kinds.includes(entry.kind)) return `has ${field}, which is for: ${kinds.join(", ")}.`;
  }
  if (entry.kind === "http" && entry.secret !== undefined && signingKey(entry.secret) === undefined) {
    return `has a secret that ${secretProblem}. Copy it whole, or leave whsec_ out if it is another key.`;
  }
  const needsModel = entry.kind === "llama_guard" || entry.kind === "llm_judge";
  if (needsModel && entry.model === undefined) return `needs a model, since its kind is ${entry.kind}.`;
  if (entry.kind === "llm_judge" && entry.instructions === undefined) {
    return "needs instructions: what the model is to refuse.";
  }
  return undefined;
}

type Pii = NonNullable<PolicyInput["pii"]>;

/** The named entities and those of actions: an action for an entity that is not looked for would do nothing. */
function toEntities(given: Pii | undefined): readonly string[] {
  const named = given?.entities?.flatMap((name) => findEntities(name) ?? []) ?? defaultEntities;
  const acted = Object.entries(given?.actions ?? {}).filter(([, mode]) => mode !== "off");
  // An action for identity numbers is for those of the countries that are named, where any is.
  const further = acted.flatMap(([name]) => {
    const meant = findEntities(name) ?? [];
    return meant.some((entity) => named.includes(entity)) ? [] : meant;
  });
  return [...new Set([...named, ...further])];
}

function toActions(given: Pii["actions"]): { actions?: PiiActions } {
  if (given === undefined) return {};
  return { actions: Object.fromEntries(Object.entries(given).map(([name, mode]) => [toEntity(name), mode])) };
}

/** The entity of a checked name; a country's identity number is a national id. */
function toEntity(name: string): PiiEntity {
  const [meant = name] = findEntities(name) ?? [];
  return piiEntities.find((entity) => meant === entity || meant.startsWith(`${entity}.`)) ?? "national_id";
}
