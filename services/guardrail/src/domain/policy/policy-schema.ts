import {
  createArgumentsCheck,
  flag,
  integer,
  list,
  mapOf,
  matching,
  number,
  oneOf,
  optional,
  record,
  reference,
  refined,
  type Schema,
  type ValueOf,
  worded,
} from "@gatehouse/admin";
import {
  externalBounds as bounds,
  externalKinds,
  externalModes,
  externalOrders,
  foundActions,
  sides,
} from "../external/external-document.ts";
import { piiEntities } from "../pii/entity.ts";
import { secretFormats } from "../secrets/compile-formats.ts";
import { findEntities, entityNames } from "./entity-names.ts";
import { injectionModes, injectionThresholds, piiModes, surfaces, unavailableModes } from "./policy-document.ts";

const keywordsMax = 10_000;
const keywordLengthMax = 200;
const patternsMax = 100;
const patternLengthMax = 1000;
const contentLengthMax = 100_000_000;
const entitiesMax = 100;
const nameLengthMax = 50;

/** Text that Postgres keeps: it refuses NUL and half a surrogate pair. */
function storable(description: string, lengthMax: number, lengthMin = 0) {
  const pattern = /^[^\0\p{Cs}]*$/u;
  const problem = "must not have NUL characters or unpaired surrogates.";
  const schema = matching({ description, lengthMin, lengthMax, pattern, problem });
  return worded(schema, {
    type: "must be a string.",
    minLength: "must not be empty.",
    maxLength: `is longer than ${lengthMax} characters.`,
  });
}

function choice<const Name extends string>(description: string, names: readonly Name[]) {
  const words = `must be one of: ${names.join(", ")}.`;
  return worded(oneOf(description, names), { type: words, enum: words });
}

/** A name of a list that is too long for the schema, or has other spellings. */
function named(description: string, isKnown: (name: string) => boolean, names: readonly string[]) {
  const words = `must be one of: ${names.join(", ")}.`;
  const schema = worded(storable(description, nameLengthMax), { type: words, maxLength: words, pattern: words });
  return refined(schema, (name) => (isKnown(name) ? undefined : words));
}

function flagOf(description: string) {
  return optional(worded(flag(description), { type: "must be true or false." }));
}

function listOf<Item extends Schema>(item: Item, description: string, max: number) {
  const tooMany = (given: unknown) => `has ${(given as unknown[]).length} entries; at most ${max} are allowed.`;
  return worded(list(item, { description, min: 0, max }), { type: "must be a list.", maxItems: tooMany });
}

const entity = named(
  "For example email, credit_card or national_id.us; national_id alone is every country.",
  (name) => findEntities(name) !== undefined,
  entityNames,
);
const actions = refined(
  mapOf(choice("What to do with it.", piiModes), piiEntities, "What to do with single entities, by their names."),
  (given) => {
    const unknown = Object.keys(given).find((name) => findEntities(name) === undefined);
    if (unknown === undefined) return undefined;
    return `has no entity ${unknown.slice(0, nameLengthMax)}; the entities are ${piiEntities.join(", ")}.`;
  },
);
const secretKinds = new Set(secretFormats().kinds);
const secretKind = named("A kind, for example github_token.", (kind) => secretKinds.has(kind), secretFormats().kinds);
const pattern = record({
  name: optional(storable("Shown to callers in place of the keyword.", patternLengthMax)),
  pattern: storable("A regular expression in RE2 syntax that does not match empty text.", patternLengthMax, 1),
  mode: optional(choice("What to do with a match; block where absent.", injectionModes)),
});
const external = record({
  name: matching({
    description: "Shown to callers where it blocks.",
    lengthMax: bounds.nameLengthMax,
    pattern: /^[a-z][a-z0-9_-]*$/,
    problem: "must be of a-z, 0-9, _ and -, and begin with a letter.",
  }),
  kind: choice("How it is spoken to.", externalKinds),
  url: matching({
    description: "Where questions are posted to; a public address, or one that EGRESS_ALLOW names.",
    lengthMax: bounds.urlLengthMax,
    pattern: /^[Hh][Tt][Tt][Pp][Ss]?:\/\/[^\s#\p{Cc}\p{Cs}]+$/u,
    problem: "must be an http or https URL without a fragment.",
    format: "uri",
  }),
  secret: optional(
    storable(
      "Signs questions of kind http, else sent as a Bearer token. Or where it is kept: env:NAME, file:/path.",
      bounds.secretLengthMax,
      1,
    ),
  ),
  secret_kept: optional(flag("The secret that was saved under this name and URL stays.")),
  secret_id: optional(reference("Of a saved secret, as it is shown; passed over when it is sent.")),
  sides: optional(
    list(choice("A side.", sides), { description: "What it judges; input where absent.", min: 1, max: 2 }),
  ),
  when: optional(choice("Before the model is asked (the default), or parallel to it.", externalOrders)),
  mode: optional(choice("What to do with its verdict; block where absent.", externalModes)),
  timeout_ms: optional(integer({ description: "Longest wait.", min: bounds.timeoutMsMin, max: bounds.timeoutMsMax })),
  on_failure: optional(
    choice("Whether calls are refused (closed, the default) or go on without it.", unavailableModes),
  ),
  model: optional(storable("Of llama_guard and llm_judge: the model to ask for.", bounds.modelLengthMax, 1)),
  instructions: optional(storable("Of llm_judge: what it is to refuse.", bounds.instructionsLengthMax, 1)),
  language: optional(storable("Of presidio; en where absent.", nameLengthMax, 1)),
  entities: optional(
    list(storable("An entity of Presidio's.", nameLengthMax, 1), {
      description: "Of presidio; all that it knows where absent.",
      min: 1,
      max: bounds.entitiesMax,
    }),
  ),
  score_threshold: optional(number({ description: "Of presidio: the least score of a find.", min: 0, max: 1 })),
  found: optional(choice("Of presidio: what to do about a find; mask where absent.", foundActions)),
});
const lengthWords = `must be a whole number from 1 to ${contentLengthMax}.`;

/** What an administrator says of a policy; each check that is not named is off. */
export const policyFields = {
  pii: optional(
    record({
      mode: choice("What to do with personal data.", piiModes),
      entities: optional(listOf(entity, "What to look for; all but national ids where absent.", entitiesMax)),
      actions: optional(actions),
    }),
  ),
  secrets: optional(
    record({
      mode: choice("What to do with credentials: keys, tokens, passwords.", piiModes),
      except: optional(listOf(secretKind, "Kinds that are not looked for.", secretKinds.size)),
    }),
  ),
  prompt_injection: optional(
    record({
      mode: choice("What to do with prompt injection.", injectionModes),
      threshold: optional(choice("How much is blocked: strict blocks most.", injectionThresholds)),
    }),
  ),
  keywords: optional(
    listOf(
      storable("A word or a phrase.", keywordLengthMax),
      "Blocked as whole words, in any case and disguise.",
      keywordsMax,
    ),
  ),
  patterns: optional(listOf(pattern, "Own patterns.", patternsMax)),
  external: optional(listOf(external, "Guardrails elsewhere, asked over HTTP in this order.", bounds.countMax)),
  max_content_length: optional(
    worded(integer({ description: "Unicode code points of all texts of a request.", min: 1, max: contentLengthMax }), {
      type: lengthWords,
      minimum: lengthWords,
      maximum: lengthWords,
    }),
  ),
  apply_to_output: flagOf("Whether the model's answers are checked as well."),
  trust_caller_instructions: flagOf(
    "Whether callers' system and developer messages are exempt from the injection check; false where absent.",
  ),
  on_unavailable: optional(
    choice("Whether calls are refused (closed, the default) or go on while the guardrails are away.", unavailableModes),
  ),
  surfaces: optional(
    worded(
      list(choice("Traffic that the policy covers.", surfaces), {
        description:
          "chat (the default: chat routes, Wrapper and MCP Bridge), mcp (of an MCP Gateway project's policy: calls and results of tools), api (request bodies of an API Gateway).",
        min: 1,
        max: entitiesMax,
      }),
      { type: "must be a list.", minItems: "must name at least one; leave it out for chat alone." },
    ),
  ),
  replace: flagOf("Of an endpoint's policy: whether it stands in place of its project's instead of adding to it."),
};

const policySchema = record(policyFields);

/** A policy as an administrator says it, checked. */
export type PolicyInput = ValueOf<typeof policySchema>;

/** @throws GatewayError `invalid_argument` naming the field and, in lists, the position. */
export const checkPolicy: (given: Readonly<Record<string, unknown>>) => PolicyInput =
  createArgumentsCheck(policySchema);
