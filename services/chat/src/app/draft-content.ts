import type { SentContent } from "@gatehouse/content";
import { outgoingParameters } from "@gatehouse/dialects";
import type { ChatMessage } from "@gatehouse/providers";
import type { Admitted } from "./call.ts";

/** The content as it would be sent, for the steps that estimate before the prompt is put together. */
export function draftContent(call: Admitted): SentContent {
  return { messages: draftPrompt(call), parameters: outgoingParameters(call) };
}

/** A prompt with a missing variable, which its own step will refuse, is drafted with its template's text. */
function draftPrompt({ request, compiled, history }: Admitted): readonly ChatMessage[] {
  const { messages, variables, operation } = request;
  const { renderPrompt, endpoint } = compiled;
  const rendered = operation === "embeddings" ? undefined : renderPrompt?.(variables);
  if (rendered === undefined) return history.length === 0 ? messages : [...history, ...messages];
  const content = rendered.ok ? rendered.text : (endpoint.systemPrompt ?? "");
  return [{ role: "system", content }, ...history, ...messages];
}
