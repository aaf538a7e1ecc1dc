import { GatewayError } from "@gatehouse/errors";
import type { Admitted, Prompted } from "../call.ts";
import type { Step } from "../pipeline.ts";

/** Puts together the endpoint's prompt with its variables filled in (400 for a missing one), the history and the request; texts to embed get no prompt. */
export function createPromptStep(): Step<Admitted, Pick<Prompted, "messages">> {
  return {
    name: "prompt",
    enter(call) {
      const { messages, variables, operation } = call.request;
      const { renderPrompt } = call.compiled;
      const prompt = operation === "embeddings" ? undefined : renderPrompt?.(variables);
      if (prompt === undefined) {
        return { messages: call.history.length === 0 ? messages : [...call.history, ...messages] };
      }
      if (!prompt.ok) return missingVariable(prompt.missing);
      return { messages: [{ role: "system", content: prompt.text }, ...call.history, ...messages] };
    },
  };
}

function missingVariable(name: string): GatewayError {
  return new GatewayError("malformed_body", `Missing variable '${name}': send it in the body's 'variables' object.`);
}
