import type { GatewayError } from "@gatehouse/errors";
import { type CheckText, type CompiledSchema, violationsOfText } from "@gatehouse/json-schema";
import { nextTurn } from "@gatehouse/pace";
import { unseenCharacters } from "@gatehouse/principal/unseen-characters";
import type { ChatMessage, Completion, CompletionChoice } from "@gatehouse/providers";
import { resolveUsage } from "@gatehouse/spending";
import { textOf } from "@gatehouse/tokens";
import type { Answered } from "../call.ts";
import type { Step, Verdict } from "../pipeline.ts";
import { validationFailed } from "./validation-failed.ts";

/**
 * Validates the text of each choice, parsed as JSON, against the endpoint's output schema (502); a text with the same key
 * twice in one object fails. A reply that passes is encoded from the checked values, and a refusal passes with its words alone.
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
  // Tokens of what is left out of refusals are counted as well.
  await resolveUsage(call);
  const choices = completion.choices.map((choice) => withoutUnchecked(choice, call.surface));
  call.reply = { kind: "complete", completion: { ...completion, choices } };
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

/** The choice itself, or its refusal alone: reasoning, pictures and sound beside one would pass for an answer that was validated. */
function withoutUnchecked(choice: CompletionChoice, surface: Answered["surface"]): CompletionChoice {
  const { index, finish_reason, message } = choice;
  if (isToolCall(message) || !isShownRefusal(message, surface)) return choice;
  const { role, refusal } = message;
  return { index, message: { role, content: null, refusal }, finish_reason };
}

const visible = new RegExp(String.raw`[^\s${unseenCharacters}]`, "u");

/**
 * Whether a choice is only the model's refusal, with words to see, for a client that reads OpenAI's member for it: under a schema,
 * models refuse in this form. On other surfaces a refusal becomes content, which the schema is for.
 */
function isShownRefusal({ content, refusal }: ChatMessage, surface: Answered["surface"]): boolean {
  return surface === "wrapper.chat" && typeof refusal === "string" && visible.test(refusal) && textOf(content) === "";
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
