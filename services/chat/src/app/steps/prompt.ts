import { GatewayError } from "@gatehouse/errors";
import type { Admitted, Prompted } from "../call.ts";
import { renderPrompt, withPrompt } from "../draft-content.ts";
import type { Step } from "../pipeline.ts";

/**
 * Assembles the rendered prompt of the endpoint (400 for a missing variable), the history and the request; texts to embed get no
 * prompt.
 */
export function createPromptStep(): Step<Admitted, Pick<Prompted, "messages">> {
  return {
    name: "prompt",
    enter(call) {
      const prompt = renderPrompt(call);
      if (prompt?.ok === false) return missingVariable(prompt.missing);
      return { messages: withPrompt(call, prompt?.text) };
    },
  };
}

function missingVariable(name: string): GatewayError {
  return new GatewayError("malformed_body", `Missing variable '${name}': send it in 'variables'.`);
}
