import { type OutputCheck, outputCheckOf } from "../domain/policy-owner.ts";
import type { CompiledPolicy } from "../domain/policy/compile-policy.ts";
import { outputDocuments } from "../domain/policy/inspect.ts";
import type { Question } from "./question.ts";

/** Judgement of the answer to a question. */
interface AnswerCheck {
  readonly outputCheck: OutputCheck;
  /** Masks have no numbers: outside of chats values come back only where an answer is read for its checks. */
  readonly hasPlainMasks: boolean;
}

/** Demands of a policy on the answer to a question. */
export function answerCheckOf(
  policy: CompiledPolicy,
  { surface, context }: Pick<Question, "surface" | "context">,
): AnswerCheck {
  const outputCheck = outputCheckOf(policy.document, outputDocuments(policy, context), surface);
  return { outputCheck, hasPlainMasks: surface !== "chat" && outputCheck === "none" };
}
