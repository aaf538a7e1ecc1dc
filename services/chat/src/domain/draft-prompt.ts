import type { ChatMessage } from "@gatehouse/providers";

import type { Asked } from "./outgoing-parameters.ts";

/**
 * The prompt as it would be sent, for the steps that estimate before it is put together. A prompt with a missing variable,
 * which its own step will refuse, is drafted with its template's text.
 */
export function draftPrompt({ request, compiled }: Asked, history: readonly ChatMessage[]): readonly ChatMessage[] {
  const { messages, variables, operation } = request;
  const { renderPrompt, endpoint } = compiled;
  const rendered = operation === "embeddings" ? undefined : renderPrompt?.(variables);
  if (rendered === undefined) return history.length === 0 ? messages : [...history, ...messages];
  const content = rendered.ok ? rendered.text : (endpoint.systemPrompt ?? "");
  return [{ role: "system", content }, ...history, ...messages];
}
