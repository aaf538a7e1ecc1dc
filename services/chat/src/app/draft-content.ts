import type { SentContent } from "@gatehouse/content";
import { outgoingParameters, type RenderedPrompt } from "@gatehouse/dialects";
import type { ChatMessage } from "@gatehouse/providers";
import type { Admitted } from "./call.ts";

/** Content as it would be sent, for steps that estimate before the prompt is rendered. */
export function draftContent(call: Admitted): SentContent {
  const prompt = renderPrompt(call);
  // The template stands in for a prompt with a missing variable, which the prompt step refuses.
  const text = prompt?.ok === false ? (call.compiled.endpoint.systemPrompt ?? "") : prompt?.text;
  const { written } = call.request;
  return { messages: withPrompt(call, text), parameters: outgoingParameters(call), written };
}

/** Renders the endpoint's system prompt; undefined: no prompt, or texts to embed. */
export function renderPrompt({ request, compiled }: Admitted): RenderedPrompt | undefined {
  return request.operation === "embeddings" ? undefined : compiled.renderPrompt?.(request.variables);
}

/** Messages in the order prompt, history, request. */
export function withPrompt({ request, history }: Admitted, text: string | undefined): readonly ChatMessage[] {
  const { messages } = request;
  if (text !== undefined) return [{ role: "system", content: text }, ...history, ...messages];
  return history.length === 0 ? messages : [...history, ...messages];
}
