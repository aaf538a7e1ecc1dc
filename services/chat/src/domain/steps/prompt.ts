import { required } from "../call.ts";
import type { Step } from "../pipeline.ts";

/** Puts the endpoint's system prompt before the request's messages. */
export function createPromptStep(): Step {
  return {
    name: "prompt",
    enter(call) {
      const { messages } = required(call.request, "the request");
      const { systemPrompt } = required(call.compiled, "the endpoint").endpoint;
      call.messages = systemPrompt === null ? messages : [{ role: "system", content: systemPrompt }, ...messages];
      return undefined;
    },
  };
}
