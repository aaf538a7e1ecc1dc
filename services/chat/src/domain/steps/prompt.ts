import { GatewayError } from "@gatehouse/errors";
import { required } from "../call.ts";
import type { Step } from "../pipeline.ts";

/** Puts the endpoint's system prompt, with its variables filled in, before the request's messages (400 for a missing one). */
export function createPromptStep(): Step {
  return {
    name: "prompt",
    enter(call) {
      const { messages, variables } = required(call.request, "the request");
      const prompt = required(call.compiled, "the endpoint").renderPrompt?.(variables);
      if (prompt === undefined) {
        call.messages = messages;
        return undefined;
      }
      if (!prompt.ok) return missingVariable(prompt.missing);
      call.messages = [{ role: "system", content: prompt.text }, ...messages];
      return undefined;
    },
  };
}

function missingVariable(name: string): GatewayError {
  return new GatewayError("malformed_body", `Missing variable '${name}': send it in the body's 'variables' object.`);
}
