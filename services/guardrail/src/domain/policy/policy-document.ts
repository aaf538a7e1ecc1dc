import { GatewayError } from "@gatehouse/errors";
import { secretFormats } from "../secrets/compile-formats.ts";
import { nationalIdCountries, type PiiEntity, piiEntities, piiLabels } from "../pii/entity.ts";

export const piiModes = ["off", "block", "mask", "log"] as const;
export const injectionModes = ["off", "block", "log"] as const;
export const injectionThresholds = ["strict", "default", "quiet"] as const;
export const surfaces = ["chat", "mcp"] as const;
export const unavailableModes = ["closed", "open"] as const;

export type PiiMode = (typeof piiModes)[number];
export type InjectionMode = (typeof injectionModes)[number];
export type InjectionThreshold = (typeof injectionThresholds)[number];
export type Surface = (typeof surfaces)[number];
export type UnavailableMode = (typeof unavailableModes)[number];

export const keywordsMax = 10_000;
export const keywordLengthMax = 200;
export const patternsMax = 100;
export const patternLengthMax = 1000;
export const contentLengthMax = 100_000_000;
/** Code points where a policy names no bound: a million tokens of English, more than the default body size lets through. */
export const contentLengthDefault = 4_000_000;

/** An administrator's own rule: RE2 syntax, matched on the canonical text, blocking under its name as a keyword does. */
export interface PatternDocument {
  readonly name: string;
  readonly pattern: string;
  readonly mode: InjectionMode;
}

export type PiiActions = Readonly<Partial<Record<PiiEntity, PiiMode>>>;

/** What an administrator saves, with the defaults of every check filled in. */
export interface PolicyDocument {
  readonly pii: {
    readonly mode: PiiMode;
    readonly entities: readonly string[];
    /** For these entities in place of the mode. */
    readonly actions?: PiiActions;
  };
  readonly secrets: {
    readonly mode: PiiMode;
    /** Kinds that are not looked for. */
    readonly except: readonly string[];
  };
  readonly prompt_injection: { readonly mode: InjectionMode; readonly threshold: InjectionThreshold };
  readonly keywords: readonly string[];
  readonly patterns: readonly PatternDocument[];
  /** Unicode code points of all texts together; {@link contentLengthDefault} where undefined. */
  readonly max_content_length: number | undefined;
  readonly apply_to_output: boolean;
  /** Whether a caller's system and developer messages are exempt from the injection check; undefined where it is not said. */
  readonly trust_caller_instructions: boolean | undefined;
  /** Undefined where it is not said, which is `closed`. */
  readonly on_unavailable: UnavailableMode | undefined;
  /** The traffic that it covers: `chat` alone where it is not said. */
  readonly surfaces: readonly Surface[];
  /** Of an endpoint's policy: whether it stands in place of its project's instead of adding to it. */
  readonly replace: boolean;
}

/** Names of `pii.entities`: identity numbers are asked for by country, `national_id.us`. */
export const entityNames: readonly string[] = [
  ...piiEntities.filter((entity) => entity !== "national_id"),
  ...nationalIdCountries.map((country) => `national_id.${country}`),
];

/** What `pii.entities` means when it is left out: everything but identity numbers, which are chosen by country. */
export const defaultEntities: readonly string[] = piiEntities.filter((entity) => entity !== "national_id");

/**
 * Checks an untrusted policy and fills in defaults. Throws `invalid_argument` naming the field, with a position where the
 * field is a list. Unknown fields are refused, because a misspelt one would silently switch a check off.
 */
export function parsePolicy(value: unknown): PolicyDocument {
  const fields = record(value, "policy");
  onlyFields(fields, "policy", [
    "pii",
    "secrets",
    "prompt_injection",
    "keywords",
    "patterns",
    "max_content_length",
    "apply_to_output",
    "trust_caller_instructions",
    "on_unavailable",
    "surfaces",
    "replace",
  ]);
  const pii = record(fields.get("pii") ?? { mode: "off" }, "pii");
  onlyFields(pii, "pii", ["mode", "entities", "actions"]);
  const secrets = record(fields.get("secrets") ?? { mode: "off" }, "secrets");
  onlyFields(secrets, "secrets", ["mode", "except"]);
  const injection = record(fields.get("prompt_injection") ?? { mode: "off" }, "prompt_injection");
  onlyFields(injection, "prompt_injection", ["mode", "threshold"]);
  return {
    pii: {
      mode: oneOf(pii.get("mode"), "pii.mode", piiModes),
      entities: parseEntities(pii.get("entities")),
      ...parseActions(pii.get("actions")),
    },
    secrets: {
      mode: oneOf(secrets.get("mode"), "secrets.mode", piiModes),
      except: list(secrets.get("except"), "secrets.except", secretFormats().kinds.length).map((entry, index) =>
        oneOf(entry, `secrets.except[${index}]`, secretFormats().kinds),
      ),
    },
    prompt_injection: {
      mode: oneOf(injection.get("mode"), "prompt_injection.mode", injectionModes),
      threshold: oneOf(injection.get("threshold") ?? "default", "prompt_injection.threshold", injectionThresholds),
    },
    keywords: list(fields.get("keywords"), "keywords", keywordsMax).map((entry, index) =>
      text(entry, `keywords[${index}]`, keywordLengthMax),
    ),
    patterns: list(fields.get("patterns"), "patterns", patternsMax).map(parsePattern),
    max_content_length: parseLength(fields.get("max_content_length")),
    apply_to_output: flag(fields.get("apply_to_output"), "apply_to_output"),
    trust_caller_instructions: isAbsent(fields.get("trust_caller_instructions"))
      ? undefined
      : flag(fields.get("trust_caller_instructions"), "trust_caller_instructions"),
    on_unavailable: isAbsent(fields.get("on_unavailable"))
      ? undefined
      : oneOf(fields.get("on_unavailable"), "on_unavailable", unavailableModes),
    surfaces: parseSurfaces(fields.get("surfaces")),
    replace: flag(fields.get("replace"), "replace"),
  };
}

/** A policy as people read it: what it does not say has its default. */
export function showPolicy(document: PolicyDocument): PolicyDocument {
  return {
    ...document,
    trust_caller_instructions: document.trust_caller_instructions ?? false,
    on_unavailable: document.on_unavailable ?? "closed",
  };
}

function isAbsent(value: unknown): boolean {
  return value === undefined || value === null;
}

/** What a policy does with a kind of personal data. */
export function piiActionOf({ pii }: Pick<PolicyDocument, "pii">, entity: PiiEntity): PiiMode {
  return pii.actions?.[entity] ?? pii.mode;
}

/** The refusal for a policy field. */
export function invalidPolicy(field: string, problem: string): GatewayError {
  return new GatewayError("invalid_argument", `Invalid guardrail policy: ${field} ${problem}`, { details: { field } });
}

function parsePattern(value: unknown, index: number): PatternDocument {
  const field = `patterns[${index}]`;
  const fields = record(value, field);
  onlyFields(fields, field, ["name", "pattern", "mode"]);
  const pattern = text(fields.get("pattern"), `${field}.pattern`, patternLengthMax);
  if (pattern.length === 0) throw invalidPolicy(`${field}.pattern`, "must not be empty.");
  return {
    name: text(fields.get("name") ?? pattern, `${field}.name`, patternLengthMax),
    pattern,
    mode: oneOf(fields.get("mode") ?? "block", `${field}.mode`, injectionModes),
  };
}

function parseEntities(value: unknown): readonly string[] {
  if (value === undefined || value === null) return defaultEntities;
  const named = list(value, "pii.entities", 100).flatMap((entry, index) => {
    const meant = typeof entry === "string" ? entitiesByOtherName.get(toPlainName(entry)) : undefined;
    return meant ?? [oneOf(entry, `pii.entities[${index}]`, entityNames)];
  });
  return [...new Set(named)];
}

function parseActions(value: unknown): { actions?: PiiActions } {
  if (isAbsent(value)) return {};
  const entries = [...record(value, "pii.actions")].map(([name, action]) => {
    const [meant = name] = entitiesByOtherName.get(toPlainName(name)) ?? [];
    const entity = oneOf(meant.replace(/\..*$/u, ""), `pii.actions.${name.slice(0, 50)}`, piiEntities);
    return [entity, oneOf(action, `pii.actions.${entity}`, piiModes)] as const;
  });
  return { actions: Object.fromEntries(entries) };
}

/** What people write besides the names: labels as callers read them, short forms, and `national_id` for every country. */
const entitiesByOtherName: ReadonlyMap<string, readonly string[]> = new Map([
  ...piiEntities.map((entity) => [toPlainName(piiLabels[entity]), namesOf(entity)] as const),
  ...piiEntities.map((entity) => [toPlainName(entity), namesOf(entity)] as const),
  ["phone", ["phone_number"]],
  ["card", ["credit_card"]],
  ["ip", ["ip_address"]],
]);

function namesOf(entity: PiiEntity): readonly string[] {
  return entity === "national_id" ? nationalIdCountries.map((country) => `national_id.${country}`) : [entity];
}

/** Case, spaces and dashes of a name mean nothing; the dot before a country does. */
function toPlainName(name: string): string {
  return name.toLowerCase().replaceAll(/[\s_-]/gu, "");
}

function parseSurfaces(value: unknown): readonly Surface[] {
  if (isAbsent(value)) return ["chat"];
  const named = list(value, "surfaces", 100).map((entry, index) => oneOf(entry, `surfaces[${index}]`, surfaces));
  if (named.length === 0) throw invalidPolicy("surfaces", "must name at least one; leave it out for chat alone.");
  return surfaces.filter((surface) => named.includes(surface));
}

function parseLength(value: unknown): number | undefined {
  if (value === undefined || value === null) return undefined;
  if (typeof value === "number" && Number.isInteger(value) && value >= 1 && value <= contentLengthMax) return value;
  throw invalidPolicy("max_content_length", `must be a whole number from 1 to ${contentLengthMax}.`);
}

function record(value: unknown, field: string): Map<string, unknown> {
  if (typeof value === "object" && value !== null && !Array.isArray(value)) return new Map(Object.entries(value));
  throw invalidPolicy(field, "must be an object.");
}

function onlyFields(fields: ReadonlyMap<string, unknown>, owner: string, allowed: readonly string[]): void {
  for (const name of fields.keys()) {
    if (!allowed.includes(name))
      throw invalidPolicy(owner, `has no field '${name.slice(0, 50)}'. Fields: ${allowed.join(", ")}.`);
  }
}

function list(value: unknown, field: string, max: number): readonly unknown[] {
  if (value === undefined || value === null) return [];
  if (!Array.isArray(value)) throw invalidPolicy(field, "must be a list.");
  if (value.length > max) throw invalidPolicy(field, `has ${value.length} entries; at most ${max} are allowed.`);
  return value;
}

function text(value: unknown, field: string, max: number): string {
  if (typeof value !== "string") throw invalidPolicy(field, "must be a string.");
  if (value.length > max) throw invalidPolicy(field, `is longer than ${max} characters.`);
  return value;
}

function flag(value: unknown, field: string): boolean {
  if (value === undefined || value === null) return false;
  if (typeof value !== "boolean") throw invalidPolicy(field, "must be true or false.");
  return value;
}

function oneOf<Name extends string>(value: unknown, field: string, names: readonly Name[]): Name {
  const found = names.find((name) => name === value);
  if (found !== undefined) return found;
  throw invalidPolicy(field, `must be one of: ${names.join(", ")}.`);
}
