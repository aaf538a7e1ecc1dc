import { type Placeholder, placeholderForm } from "@gatehouse/placeholders";
import type { ChatMessage } from "@gatehouse/providers";
import { textOf } from "@gatehouse/tokens";

/** Earlier part of a conversation: its messages, and the placeholders with their stored values. */
interface Earlier {
  readonly history: readonly ChatMessage[];
  readonly placeholders: readonly Placeholder[];
}

/** The placeholders of a session so far. Those without a stored value have an empty one, so that their numbers are not reused. */
export function knownPlaceholders({ history, placeholders }: Earlier): readonly Placeholder[] {
  const labels = new Set<string>();
  for (const message of history)
    for (const [, label] of wordsOf(message).matchAll(placeholderForm)) labels.add(label ?? "");
  for (const { label } of placeholders) labels.delete(label);
  return [...placeholders, ...[...labels].map((label) => ({ label, value: "" }))];
}

/** All text of a message, the arguments of its tool calls included. */
function wordsOf(message: ChatMessage): string {
  for (const name in message) if (name !== "role" && name !== "content") return JSON.stringify(message);
  return textOf(message.content);
}
