import { type Placeholder, placeholderForm } from "@gatehouse/guardrail-client";
import type { ChatMessage } from "@gatehouse/providers";
import { textOf } from "@gatehouse/tokens";

/** Longest placeholder with its brackets, characters. */
const placeholderLengthMax = 62;

/** Index from which a text may become a placeholder with later text; its length where it cannot. */
export function openPlaceholder(text: string): number {
  const open = text.lastIndexOf("[");
  const isOpen = open >= 0 && text.length - open < placeholderLengthMax && !/[\]\n]/u.test(text.slice(open));
  return isOpen ? open : text.length;
}

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
