import type { SentContent } from "@gatehouse/content";
import { outgoingParameters, type RenderedPrompt } from "@gatehouse/dialects";
import type { ChatMessage } from "@gatehouse/providers";
import type { Admitted } from "./call.ts";

/** The content as it would be sent, for the steps that estimate before the prompt is put together. */
export function draftContent(call: Admitted): SentContent {
  const prompt = renderPrompt(call);
  // A prompt with a missing variable, which its own step will refuse, is drafted with its template's text.
  const text = prompt?.ok === false ? (call.compiled.endpoint.systemPrompt ?? "") : prompt?.text;
  return { messages: withPrompt(call, text), parameters: outgoingParameters(call) };
}

/** The endpoint's prompt with its variables filled in; undefined where there is none, and for texts to embed. */
export function renderPrompt({ request, compiled }: Admitted): RenderedPrompt | undefined {
  return request.operation === "embeddings" ? undefined : compiled.renderPrompt?.(request.variables);
}

/** A prompt's text, the history and the request's messages, in this order. */
export function withPrompt({ request, history }: Admitted, text: string | undefined): readonly ChatMessage[] {
  const { messages } = request;
  if (text !== undefined) return [{ role: "system", content: text }, ...history, ...messages];
  return history.length === 0 ? messages : [...history, ...messages];
}
