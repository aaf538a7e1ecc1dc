import { GatewayError } from "@gatehouse/errors";
import { required } from "../call.ts";
import type { Step } from "../pipeline.ts";

/** Puts together the endpoint's prompt with its variables filled in (400 for a missing one), the history and the request; texts to embed get no prompt. */
export function createPromptStep(): Step {
  return {
    name: "prompt",
    enter(call) {
      const { messages, variables, operation } = required(call.request, "the request");
      const { renderPrompt } = required(call.compiled, "the endpoint");
      const prompt = operation === "embeddings" ? undefined : renderPrompt?.(variables);
      if (prompt === undefined) {
        call.messages = call.history.length === 0 ? messages : [...call.history, ...messages];
        return undefined;
      }
      if (!prompt.ok) return missingVariable(prompt.missing);
      call.messages = [{ role: "system", content: prompt.text }, ...call.history, ...messages];
      return undefined;
    },
  };
}

function missingVariable(name: string): GatewayError {
  return new GatewayError("malformed_body", `Missing variable '${name}': send it in the body's 'variables' object.`);
}
