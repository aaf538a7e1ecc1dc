import { flag, integer, list, oneOf, optional, record, text } from "../domain/arguments.ts";

const keywordsMax = 10_000;
const keywordLengthMax = 200;
const patternsMax = 100;
const patternLengthMax = 1_000;
const contentLengthMax = 100_000_000;
const entitiesMax = 100;

const secretKindsMax = 500;

const piiModes = ["off", "block", "mask", "log"] as const;
const piiEntities = ["api_key", "credit_card", "iban", "national_id", "email", "phone_number", "ip_address"] as const;
const injectionModes = ["off", "block", "log"] as const;

/**
 * The fields of a policy as `tools/list` shows them. The guardrail service checks what is sent, so that it alone knows its
 * rules.
 */
export const policyArguments = {
  pii: optional(
    record({
      mode: oneOf("What to do with personal data.", piiModes),
      entities: optional(
        list(
          text({
            description: "For example email, credit_card or national_id.us; national_id alone is every country.",
            lengthMax: 50,
          }),
          {
            description: "What to look for; all but national ids where absent.",
            min: 0,
            max: entitiesMax,
          },
        ),
      ),
      actions: optional(
        record(
          Object.fromEntries(
            piiEntities.map((entity) => [entity, optional(oneOf(`What to do with ${entity}.`, piiModes))]),
          ),
        ),
      ),
    }),
  ),
  secrets: optional(
    record({
      mode: oneOf("What to do with credentials: keys, tokens, passwords.", piiModes),
      except: optional(
        list(text({ description: "A kind, for example github_token.", lengthMax: 50 }), {
          description: "Kinds that are not looked for.",
          min: 0,
          max: secretKindsMax,
        }),
      ),
    }),
  ),
  prompt_injection: optional(
    record({
      mode: oneOf("What to do with prompt injection.", injectionModes),
      threshold: optional(oneOf("How much is blocked: strict blocks most.", ["strict", "default", "quiet"])),
    }),
  ),
  keywords: optional(
    list(text({ description: "A word or a phrase.", lengthMax: keywordLengthMax }), {
      description: "Blocked as whole words, in any case and disguise.",
      min: 0,
      max: keywordsMax,
    }),
  ),
  patterns: optional(
    list(
      record({
        name: optional(text({ description: "Shown to callers in place of the keyword.", lengthMax: patternLengthMax })),
        pattern: text({ description: "A regular expression in RE2 syntax.", lengthMax: patternLengthMax }),
        mode: optional(oneOf("What to do with a match; block where absent.", injectionModes)),
      }),
      { description: "Own patterns.", min: 0, max: patternsMax },
    ),
  ),
  max_content_length: optional(
    integer({ description: "Unicode code points of all texts of a request.", min: 1, max: contentLengthMax }),
  ),
  apply_to_output: optional(flag("Whether the model's answers are checked as well.")),
  trust_caller_instructions: optional(
    flag("Whether callers' system and developer messages are exempt from the injection check; false where absent."),
  ),
  on_unavailable: optional(
    oneOf("Whether calls are refused (closed, the default) or go on while the guardrails are away.", [
      "closed",
      "open",
    ]),
  ),
  surfaces: optional(
    list(oneOf("Traffic that the policy covers.", ["chat", "mcp"]), {
      description:
        "chat (the default: chat routes, Wrapper and MCP Bridge), mcp (of an MCP Gateway project's policy: calls and results of tools).",
      min: 1,
      max: 2,
    }),
  ),
  replace: optional(
    flag("Of an endpoint's policy: whether it stands in place of its project's instead of adding to it."),
  ),
};
