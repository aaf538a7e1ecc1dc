import { externalBounds, type ExternalDocument, type ExternalKind, sides } from "../external/external-document.ts";
import { type PiiEntity, piiEntities } from "../pii/entity.ts";
import { defaultEntities, findEntities } from "./entity-names.ts";
import { invalidPolicy, type PiiActions, type PolicyDocument, surfaces } from "./policy-document.ts";
import { checkPolicy, type PolicyInput } from "./policy-schema.ts";

/**
 * Checks an untrusted policy and fills in defaults. Throws `invalid_argument` naming the field, with a position where the
 * field is a list. Unknown fields are refused, because a misspelt one would silently switch a check off.
 */
export function parsePolicy(value: unknown): PolicyDocument {
  if (typeof value !== "object" || value === null || Array.isArray(value)) {
    throw invalidPolicy("policy", "must be an object.");
  }
  const given = checkPolicy(value as Readonly<Record<string, unknown>>);
  const { pii, secrets, prompt_injection: injection, patterns = [], surfaces: covered } = given;
  return {
    pii: { mode: pii?.mode ?? "off", entities: toEntities(pii?.entities), ...toActions(pii?.actions) },
    secrets: { mode: secrets?.mode ?? "off", except: secrets?.except ?? [] },
    prompt_injection: { mode: injection?.mode ?? "off", threshold: injection?.threshold ?? "default" },
    keywords: given.keywords ?? [],
    patterns: patterns.map(({ name, pattern, mode = "block" }) => ({ name: name ?? pattern, pattern, mode })),
    external: toExternals(given.external),
    max_content_length: given.max_content_length,
    apply_to_output: given.apply_to_output ?? false,
    trust_caller_instructions: given.trust_caller_instructions,
    on_unavailable: given.on_unavailable,
    surfaces: covered === undefined ? ["chat"] : surfaces.filter((surface) => covered.includes(surface)),
    replace: given.replace ?? false,
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
  const needsModel = entry.kind === "llama_guard" || entry.kind === "llm_judge";
  if (needsModel && entry.model === undefined) return `needs a model, since its kind is ${entry.kind}.`;
  if (entry.kind === "llm_judge" && entry.instructions === undefined) {
    return "needs instructions: what the model is to refuse.";
  }
  return undefined;
}

type Pii = NonNullable<PolicyInput["pii"]>;

function toEntities(given: Pii["entities"]): readonly string[] {
  return given === undefined ? defaultEntities : [...new Set(given.flatMap((name) => findEntities(name) ?? []))];
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
