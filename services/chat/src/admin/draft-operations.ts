import { array, defineOperation, jsonObject, number, object, project, readProject, string } from "@gatehouse/admin";
import { invalidArgument } from "@gatehouse/errors";
import { schemaBounds, tooMuchWork } from "@gatehouse/json-schema";
import { endpointBounds } from "../domain/endpoint-bounds.ts";
import type { AdminContext } from "./admin-context.ts";

/** Characters. */
const sampleLengthMax = 1_000_000;

const countTokens = defineOperation({
  name: "svc_count_tokens",
  description:
    "Counts the tokens of a text, such as a system prompt that is not saved yet, as `max_request_tokens` and estimates of costs " +
    "count them. Providers may count a little differently. Nothing is kept.",
  access: readProject,
  input: object({
    project,
    text: string({
      description: "The text to count.",
      lengthMax: endpointBounds.systemPromptLengthMax,
      multiline: true,
    }),
  }),
  output: object({ tokens: number() }),
  async run({ input, signal }, { countTexts }: AdminContext) {
    const [tokens] = await countTexts([input.text], { tenant: input.project, signal });
    return { tokens: tokens ?? 0 };
  },
});

const checkSample = defineOperation({
  name: "svc_check_sample",
  description:
    "Checks a value against a JSON schema that is not saved yet, as calls would check it: `violations` is empty where the value " +
    "fits. Nothing is kept.",
  access: readProject,
  input: object({
    project,
    schema: jsonObject("The JSON schema, of draft 2020-12 or 7.", schemaBounds.jsonLengthMax),
    // Parsed in the thread of drafts: a megabyte of JSON would delay calls here.
    sample: string({ description: "The value, as JSON text.", lengthMax: sampleLengthMax, multiline: true }),
  }),
  output: object({ violations: array(string()) }),
  async run({ input, signal }, { checkDraft }: AdminContext) {
    const { project: tenant, schema, sample } = input;
    // Refuses an unusable schema with the message that saving it would give.
    const verdict = await checkDraft({ source: schema, field: "schema" }, sample, { tenant, signal });
    if (verdict.kind === "not_json") throw invalidArgument("sample must be JSON");
    const violations = verdict.kind === "checked" ? verdict.violations : tooMuchWork;
    return { violations: violations.map(({ text }) => text) };
  },
});

/** Operations for endpoints that are being written. */
export const draftOperations = [countTokens, checkSample] as const;
