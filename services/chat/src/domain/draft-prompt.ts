import { type Call, required } from "./call.ts";
import type { ChatMessage } from "@gatehouse/providers";

/**
 * The prompt as it would be sent, for the steps that estimate before it is put together. A prompt with a missing variable,
 * which its own step will refuse, is drafted with its template's text.
 */
export function draftPrompt({ request, compiled, history }: Call): readonly ChatMessage[] {
  const { messages, variables, operation } = required(request, "the request");
  const { renderPrompt, endpoint } = required(compiled, "the endpoint");
  const rendered = operation === "embeddings" ? undefined : renderPrompt?.(variables);
  if (rendered === undefined) return history.length === 0 ? messages : [...history, ...messages];
  const content = rendered.ok ? rendered.text : (endpoint.systemPrompt ?? "");
  return [{ role: "system", content }, ...history, ...messages];
}
