import {
  array,
  boolean,
  createArgumentsCheck,
  httpUrlWithoutFragment,
  id,
  integer,
  matching,
  number,
  object,
  oneOf,
  optional,
  record,
  reference,
  refined,
  type Schema,
  type ValueOf,
  withMessages,
} from "@gatehouse/admin";
import { isContextHeader } from "@gatehouse/guardrail-client";
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
import { parseJsonPath } from "./json-path.ts";
import {
  findingsKept,
  injectionModes,
  injectionThresholds,
  piiModes,
  surfaces,
  unavailableModes,
} from "./policy-document.ts";
import { callSurfaces, textRoles } from "./scope.ts";

/** Most keywords of a policy with its rules and the policy on trial. */
export const keywordsMax = 10_000;
const keywordLengthMax = 200;
const patternsMax = 100;
const patternLengthMax = 1000;
const contentLengthMax = 100_000_000;
const entitiesMax = 100;
const nameLengthMax = 50;
/** Longest name of a tool, characters. */
export const toolLengthMax = 200;
const rulesMax = 16;
const scopeEntriesMax = 100;
const headerLengthMax = 256;
const headerName = /^(?:user-agent|x-[a-z0-9-]{1,60})$/;

/** Text that Postgres keeps: it refuses NUL and half a surrogate pair. */
function storable(description: string, lengthMax: number, lengthMin = 0) {
  const pattern = /^[^\0\p{Cs}]*$/u;
  const problem = "must not have NUL characters or unpaired surrogates.";
  const schema = matching({ description, lengthMin, lengthMax, pattern, problem });
  return withMessages(schema, {
    type: "must be a string.",
    minLength: "must not be empty.",
    maxLength: `is longer than ${lengthMax} characters.`,
  });
}

function choice<const Name extends string>(description: string, names: readonly Name[]) {
  const words = `must be one of: ${names.join(", ")}.`;
  return withMessages(oneOf(description, names), { type: words, enum: words });
}

/** A name of a list that is too long for the schema, or has other spellings. */
function named(description: string, isKnown: (name: string) => boolean, names: readonly string[]) {
  const words = `must be one of: ${names.join(", ")}.`;
  const schema = withMessages(storable(description, nameLengthMax), { type: words, maxLength: words, pattern: words });
  return refined(schema, (name) => (isKnown(name) ? undefined : words));
}

function flagOf(description: string) {
  return optional(withMessages(boolean(description), { type: "must be boolean" }));
}

function listOf<Item extends Schema>(item: Item, description: string, max: number) {
  const tooMany = (given: unknown) => `has ${(given as unknown[]).length} entries; at most ${max} are allowed.`;
  return withMessages(array(item, { description, min: 0, max }), { type: "must be a list.", maxItems: tooMany });
}

/** A check of a policy; on the command line it is JSON, whose shortest form the description shows. */
function checkFor<Own extends Readonly<Record<string, Schema>>>(subject: string, members: Own) {
  return optional(object(members, `Check for ${subject}, such as {"mode":"block"}.`));
}

const entity = named(
  "For example email, credit_card or national_id.us; national_id alone is every country.",
  (name) => findEntities(name) !== undefined,
  entityNames,
);
const actions = refined(
  record(choice("Action on it.", piiModes), piiEntities, "Actions on single entities, by their names."),
  (given) => {
    const unknown = Object.keys(given).find((name) => findEntities(name) === undefined);
    if (unknown === undefined) return undefined;
    return `has no entity ${unknown.slice(0, nameLengthMax)}; the entities are ${piiEntities.join(", ")}.`;
  },
);
const secretKinds = new Set(secretFormats().kinds);
const secretKind = named("A kind, for example github_token.", (kind) => secretKinds.has(kind), secretFormats().kinds);
const toolWords =
  "Looks at arguments and results of this tool; * stands for any letters. A tool of an MCP Gateway has its upstream's prefix: crm__find.";
const jsonPathWords = "must be a JSONPath of members, indexes and *, such as $.customer..iban.";
const pattern = refined(
  object({
    name: optional(storable("Shown to callers in place of the keyword.", patternLengthMax)),
    pattern: optional(
      storable("A regular expression in RE2 syntax that does not match empty text.", patternLengthMax, 1),
    ),
    path: optional(
      refined(
        storable(
          "A JSONPath: looks at these values of texts that are JSON, such as arguments of tools and bodies of an API Gateway.",
          patternLengthMax,
          1,
        ),
        (path) => (parseJsonPath(path) === undefined ? jsonPathWords : undefined),
      ),
    ),
    tool: optional(storable(toolWords, toolLengthMax, 1)),
    mode: optional(choice("Action on a match; block where absent.", piiModes)),
  }),
  problemOfPattern,
);

function problemOfPattern({ pattern: expression, path, tool }: PatternFields): string | undefined {
  if (expression !== undefined || path !== undefined || tool !== undefined) return undefined;
  return "names nothing to look for: send a pattern, a path or a tool.";
}

interface PatternFields {
  readonly pattern?: string;
  readonly path?: string;
  readonly tool?: string;
}

const external = object({
  name: matching({
    description: "Shown to callers where it blocks.",
    lengthMax: bounds.nameLengthMax,
    pattern: /^[a-z][a-z0-9_-]*$/,
    problem: "must be of a-z, 0-9, _ and -, and begin with a letter.",
  }),
  kind: choice("Form of its requests and replies.", externalKinds),
  url: httpUrlWithoutFragment("Address that questions are posted to; a public one, or one that EGRESS_ALLOW names."),
  secret: optional(
    storable(
      "Signs questions of kind http, else sent as a Bearer token. Or where it is kept: env:NAME, file:/path.",
      bounds.secretLengthMax,
      1,
    ),
  ),
  secret_kept: optional(boolean("The secret that was saved under this name and URL stays.")),
  secret_id: optional(reference("Of a saved secret, as it is shown; passed over when it is sent.")),
  sides: optional(
    array(choice("A side.", sides), { description: "Sides that it judges; input where absent.", min: 1, max: 2 }),
  ),
  when: optional(choice("Before the model is asked (the default), or parallel to it.", externalOrders)),
  mode: optional(choice("Effect of its verdict; block where absent.", externalModes)),
  timeout_ms: optional(integer({ description: "Longest wait.", min: bounds.timeoutMsMin, max: bounds.timeoutMsMax })),
  on_failure: optional(
    choice("Whether calls are refused (closed, the default) or go on without it.", unavailableModes),
  ),
  model: optional(storable("Of llama_guard and llm_judge: the model to ask for.", bounds.modelLengthMax, 1)),
  instructions: optional(storable("Of llm_judge: what it is to refuse.", bounds.instructionsLengthMax, 1)),
  language: optional(storable("Of presidio; en where absent.", nameLengthMax, 1)),
  entities: optional(
    array(storable("An entity of Presidio's.", nameLengthMax, 1), {
      description: "Of presidio; all that it knows where absent.",
      min: 1,
      max: bounds.entitiesMax,
    }),
  ),
  score_threshold: optional(number({ description: "Of presidio: the least score of a find.", min: 0, max: 1 })),
  found: optional(choice("Of presidio: what to do about a find; mask where absent.", foundActions)),
});
const lengthWords = `must be a whole number from 1 to ${contentLengthMax}.`;

/** The checks of texts; each check that is not named is off. */
const checkFields = {
  pii: checkFor("personal data", {
    mode: choice("Action on personal data.", piiModes),
    entities: optional(
      listOf(
        entity,
        "Entities to look for; where absent, all but national_id, person_name, postal_address and birth_date.",
        entitiesMax,
      ),
    ),
    actions: optional(actions),
  }),
  secrets: checkFor("credentials", {
    mode: choice("Action on credentials: keys, tokens, passwords.", piiModes),
    except: optional(listOf(secretKind, "Kinds that are not looked for.", secretKinds.size)),
  }),
  prompt_injection: checkFor("prompt injection", {
    mode: choice("Action on prompt injection.", injectionModes),
    threshold: optional(choice("Sensitivity: strict blocks most.", injectionThresholds)),
  }),
  keywords: optional(
    listOf(
      storable("A word or a phrase.", keywordLengthMax),
      "Blocked as whole words, in any case and disguise.",
      keywordsMax,
    ),
  ),
  patterns: optional(listOf(pattern, "Own patterns.", patternsMax)),
  apply_to_output: flagOf("Whether the model's answers are checked as well."),
};

const rule = object({
  name: storable("For findings and for people.", nameLengthMax, 1),
  when: object(
    {
      sides: optional(array(choice("A side.", sides), { description: "Sides; both where absent.", min: 1, max: 2 })),
      roles: optional(
        array(choice("A role.", textRoles), { description: "Roles of texts.", min: 1, max: textRoles.length }),
      ),
      surfaces: optional(
        array(choice("A way in.", callSurfaces), {
          description: "Ways that calls come in.",
          min: 1,
          max: callSurfaces.length,
        }),
      ),
      tokens: optional(array(id("A token's id."), { description: "Access tokens.", min: 1, max: scopeEntriesMax })),
      models: optional(
        array(storable("A model.", bounds.modelLengthMax, 1), {
          description: "Models of which the endpoint may ask one.",
          min: 1,
          max: scopeEntriesMax,
        }),
      ),
      headers: optional(
        refined(
          record(
            array(storable("A whole value.", headerLengthMax), {
              description: "Values.",
              min: 1,
              max: scopeEntriesMax,
            }),
            [],
            "Headers, user-agent or beginning with x-, by their names, and the values of which they have one.",
          ),
          (given) => {
            const names = Object.keys(given).map((name) => name.toLowerCase());
            const other = names.find((name) => !headerName.test(name) || !isContextHeader(name));
            if (other === undefined) return undefined;
            return headerName.test(other)
              ? `may not name ${other}: rules read no credentials and no headers of proxies or the gateway.`
              : "may name only user-agent and headers that begin with x-.";
          },
        ),
      ),
      sample: optional(number({ description: "The share of calls, above 0 and up to 1.", min: 0, max: 1 })),
    },
    "The calls and texts that it is for: everything that is named has to fit.",
  ),
  ...checkFields,
});

/** The fields of a policy, as an administrator says it. */
export const policyFields = {
  ...checkFields,
  rules: optional(listOf(rule, "Further checks of some calls or texts; they add to the policy's.", rulesMax)),
  reversible_masks: flagOf("Numbers masks and puts their values back into answers; on mcp and api, checked ones."),
  findings: optional(choice("Findings that svc_list_findings keeps; plain where absent.", findingsKept)),
  shadow: optional(
    object(
      { ...checkFields, rules: optional(listOf(rule, "Rules of the policy on trial.", rulesMax)) },
      "Checks that are tried beside those in force, and decide nothing; svc_get_guardrail_comparison tells the difference.",
    ),
  ),
  external: optional(listOf(external, "Guardrails elsewhere, asked over HTTP in this order.", bounds.countMax)),
  max_content_length: optional(
    withMessages(
      integer({ description: "Unicode code points of all texts of a request.", min: 1, max: contentLengthMax }),
      {
        type: lengthWords,
        minimum: lengthWords,
        maximum: lengthWords,
      },
    ),
  ),
  trust_caller_instructions: flagOf(
    "Whether callers' system and developer messages are exempt from the injection check; false where absent.",
  ),
  on_unavailable: optional(
    choice("Whether calls are refused (closed, the default) or go on while the guardrails are away.", unavailableModes),
  ),
  surfaces: optional(
    withMessages(
      array(choice("Traffic that the policy covers.", surfaces), {
        description:
          "chat (chat routes, Wrapper and MCP Bridge), mcp (of an MCP Gateway project's policy: calls and results of tools), api (request bodies of an API Gateway). By default that of the project's type.",
        min: 1,
        max: entitiesMax,
      }),
      { type: "must be a list.", minItems: "must name one; leave it out for that of the project's type." },
    ),
  ),
  replace: flagOf("Of an endpoint's policy: whether it stands in place of its project's instead of adding to it."),
};

const policySchema = object(policyFields);

/** A policy as an administrator says it, checked. */
export type PolicyInput = ValueOf<typeof policySchema>;

/** @throws GatewayError `invalid_argument` naming the field and, in lists, the position. */
export const checkPolicy: (given: Readonly<Record<string, unknown>>) => PolicyInput =
  createArgumentsCheck(policySchema);
