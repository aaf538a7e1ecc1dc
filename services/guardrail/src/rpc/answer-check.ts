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

const ownChecks = new WeakMap<CompiledPolicy, Map<Question["surface"], OutputCheck>>();

/** Output check of a policy without rules, the same for every call; worked out once. */
function ownOutputCheck(policy: CompiledPolicy, surface: Question["surface"]): OutputCheck {
  let bySurface = ownChecks.get(policy);
  if (bySurface === undefined) ownChecks.set(policy, (bySurface = new Map()));
  let check = bySurface.get(surface);
  if (check === undefined) bySurface.set(surface, (check = checkBy(policy, undefined, surface)));
  return check;
}

function checkBy(policy: CompiledPolicy, context: Question["context"], surface: Question["surface"]): OutputCheck {
  return outputCheckOf(policy.document, outputDocuments(policy, context), surface);
}

/** Demands of a policy on the answer to a question. */
export function answerCheckOf(
  policy: CompiledPolicy,
  { surface, context }: Pick<Question, "surface" | "context">,
): AnswerCheck {
  const outputCheck = policy.rules.length === 0 ? ownOutputCheck(policy, surface) : checkBy(policy, context, surface);
  return { outputCheck, hasPlainMasks: surface !== "chat" && outputCheck === "none" };
}
