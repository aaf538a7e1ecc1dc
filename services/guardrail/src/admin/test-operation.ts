import {
  array,
  boolean,
  defineOperation,
  exactlyOneOf,
  jsonObject,
  type JsonObject,
  nullable,
  number,
  object,
  oneOf,
  optional,
  readProject,
  reference,
  string,
} from "@gatehouse/admin";
import type { PolicyOwner } from "../domain/policy-owner.ts";
import { checkFindable } from "../domain/policy/check-effective.ts";
import type { CompiledPolicy } from "../domain/policy/compile-policy.ts";
import { toolLengthMax } from "../domain/policy/policy-schema.ts";
import { textRoles } from "../domain/policy/scope.ts";
import { findingsMax } from "../domain/policy/verdict.ts";
import type { Finding, InspectedText, Verdict } from "../domain/policy/verdict.ts";
import type { AdminContext } from "./admin-context.ts";
import { subject, toOwner, withOwner } from "./owner.ts";
import { readPolicyInForce } from "./policy-in-force.ts";

/** Messages of one try. */
const messagesMax = 1_000;
/** Characters of a policy's JSON. */
const policyLengthMax = 4_000_000;
const sides = ["input", "output"] as const;

const message = object({
  role: oneOf("The author of the text.", textRoles),
  content: reference("The text."),
  tool: optional(string({ description: "The tool, for arguments or a result of one.", lengthMax: toolLengthMax })),
});

/** Tries texts against a policy: the one in force, or one that is not saved. */
export const testOperation = defineOperation({
  name: "svc_test_guardrails",
  description:
    "Tries a text (as a user's message) or messages with their roles against the policy in force, or against `policy`, which is " +
    "not saved. All checks of the side run, and all findings are shown with their positions as UTF-16 offsets. Rules apply " +
    "to any call; external guardrails are not asked. Nothing is logged or counted.",
  access: readProject,
  subject,
  input: exactlyOneOf(
    withOwner({
      text: optional(reference("The text to try. Send either this or messages.")),
      messages: optional(array(message, { description: "Messages to try.", min: 1, max: messagesMax })),
      side: optional(oneOf("The side that is judged: a caller's input (the default) or a model's output.", sides)),
      policy: optional(jsonObject("A policy that is not saved, as svc_set_guardrails takes it.", policyLengthMax)),
    }),
    "text",
    "messages",
  ),
  output: object({
    blocked: boolean(),
    message: optional(nullable(string())),
    reason: optional(nullable(string())),
    findings: array(
      object({
        detector: string(),
        label: string(),
        message: optional(number()),
        start: number(),
        end: number(),
        score: optional(number()),
      }),
    ),
    masked_text: optional(string()),
    masked_texts: optional(array(nullable(string()))),
    source: nullable(string()),
  }),
  async run(call, context: AdminContext) {
    const { side = "input", policy: given } = call.input;
    const owned = toOwner(call);
    const texts = textsOf(call.input, side);
    const tried = await policyToTry(context, owned, given);
    if (tried === undefined) return { blocked: false, findings: [], source: null };
    const verdict = await context.judge(
      tried.policy,
      { texts, side, exhaustive: true },
      { project: owned.projectUuid },
    );
    return { ...encodeVerdict(verdict, call.input.messages !== undefined), source: tried.source };
  },
});

interface Given {
  readonly text?: string;
  readonly messages?: readonly { readonly role: string; readonly content: string; readonly tool?: string }[];
}

function textsOf({ text: single = "", messages }: Given, side: "input" | "output"): readonly InspectedText[] {
  if (messages !== undefined) {
    return messages.map(({ role, content, tool }) => ({ role, text: content, ...(tool !== undefined && { tool }) }));
  }
  return [{ role: side === "input" ? "user" : "assistant", text: single }];
}

interface TrialPolicy {
  readonly policy: CompiledPolicy;
  readonly source: string;
}

/** A policy that is not saved is tried as it would be in force: an endpoint's on top of its project's. */
async function policyToTry(
  context: AdminContext,
  owned: PolicyOwner,
  given: JsonObject | undefined,
): Promise<TrialPolicy | undefined> {
  if (given === undefined) return await readPolicyInForce(context, owned);
  const own = await context.compile(given);
  checkFindable(own);
  const { projectUuid, endpointUuid } = owned;
  if (endpointUuid === undefined || own.document.replace) return { policy: own, source: "unsaved" };
  const project = await readPolicyInForce(context, { projectUuid, endpointUuid: undefined });
  const policy = project === undefined ? own : await context.combine(project.policy, own);
  return { policy, source: "unsaved" };
}

function encodeVerdict(verdict: Verdict, isOfMessages: boolean): JsonObject {
  const { blocked, message: words, reason, findings, maskedTexts } = verdict;
  const masked = isOfMessages ? { masked_texts: maskedTexts } : { masked_text: maskedTexts?.[0] };
  return {
    blocked,
    ...(blocked ? { message: words, reason } : {}),
    findings: findings.slice(0, findingsMax).map((finding) => encodeFinding(finding, isOfMessages)),
    ...(maskedTexts === undefined ? {} : masked),
  };
}

function encodeFinding({ detector, label, start, end, score, textIndex }: Finding, isOfMessages: boolean): JsonObject {
  const place = isOfMessages ? { message: textIndex, start, end } : { start, end };
  return { detector, label, ...place, ...(score === undefined ? {} : { score }) };
}
