import type { GatewayError } from "@gatehouse/errors";
import { type CheckText, type CompiledSchema, violationsOfText } from "@gatehouse/json-schema";
import { nextTurn } from "@gatehouse/pace";
import type { ChatMessage, Completion } from "@gatehouse/providers";
import { textOf } from "@gatehouse/tokens";
import type { Answered } from "../call.ts";
import type { Step, Verdict } from "../pipeline.ts";
import { validationFailed } from "./validation-failed.ts";

/**
 * Validates the text of each choice, parsed as JSON, against the endpoint's output schema (502); a text with the same key
 * twice in one object fails. A reply that passes is encoded from the checked values.
 */
export function createOutputSchemaStep(checkText: CheckText): Step<Answered> {
  return {
    name: "output_schema",
    enter(call) {
      const { outputSchema } = call.compiled;
      const { reply } = call;
      if (outputSchema === undefined || reply.kind !== "complete") return undefined;
      return judgeReply(call, reply.completion, { checkText, outputSchema });
    },
  };
}

const notJson = [{ text: "output is not valid JSON", logged: "output is not valid JSON" }] as const;

interface ChoiceCheck {
  readonly checkText: CheckText;
  readonly outputSchema: CompiledSchema;
}

/** Leaves a copy without the provider's wire text, which may have more than was checked: the earlier of two equal keys. */
async function judgeReply(call: Answered, completion: Completion, check: ChoiceCheck): Promise<Verdict> {
  const problem = await checkChoices(call, completion, check);
  if (problem !== undefined) return problem;
  call.reply = { kind: "complete", completion: { ...completion } };
  return undefined;
}

async function checkChoices(call: Answered, { choices }: Completion, check: ChoiceCheck): Promise<Verdict> {
  for (const { index, message } of choices) {
    // Lets other requests run between the choices.
    if (index > 0) await nextTurn();
    if (isToolCall(message) || isShownRefusal(message, call.surface)) continue;
    const problem = await findProblem(call, textOf(message.content), check);
    if (problem !== undefined) return problem;
  }
  return undefined;
}

/** Whether a choice only calls tools, and so is no output yet. */
function isToolCall({ content, tool_calls: calls }: ChatMessage): boolean {
  return Array.isArray(calls) && calls.length > 0 && textOf(content) === "";
}

/**
 * Whether a choice is only the model's refusal, for a client that reads OpenAI's member for it: under a schema, models refuse in this
 * form. On other surfaces a refusal becomes content, which the schema is for.
 */
function isShownRefusal({ content, refusal }: ChatMessage, surface: Answered["surface"]): boolean {
  return surface === "wrapper.chat" && typeof refusal === "string" && refusal !== "" && textOf(content) === "";
}

async function findProblem(
  call: Answered,
  text: string,
  { outputSchema, checkText }: ChoiceCheck,
): Promise<GatewayError | undefined> {
  const scope = { tenant: call.principal.project.uuid, signal: call.abort.signal };
  const violations = await violationsOfText(outputSchema, text, async (long) => {
    return await checkText(outputSchema, long, scope);
  });
  if (violations?.length === 0) return undefined;
  return validationFailed("output_schema_failed", violations ?? notJson);
}
