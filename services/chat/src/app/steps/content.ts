import { andThen } from "@gatehouse/async";
import { toSendableInSteps } from "@gatehouse/content";
import { type ChatRequest, decodeInputs, inPromptOrder } from "@gatehouse/dialects";
import { runInSlices, runSized } from "@gatehouse/pace";
import { loadTokenDecoder } from "@gatehouse/tokens";
import type { Admitted, Read } from "../call.ts";
import type { Step } from "../pipeline.ts";

/**
 * Converts the content to the form that is judged and sent: decodes tokens to embed (400 for an unknown token), and refuses
 * numbers that JavaScript cannot represent (400). Variables get the order of the prompt.
 */
export function createContentStep(): Step<Admitted, Pick<Read, "request">> {
  return {
    name: "content",
    enter(call) {
      const request = withVariablesInOrder(call);
      if (request.tokenInputs === undefined) {
        return andThen(runSized(toSendableInSteps(request), request.bodyBytes), (sendable) => ({ request: sendable }));
      }
      return (async () => {
        const decoded = await decodeInputs(request, loadTokenDecoder());
        return { request: await runInSlices(toSendableInSteps(decoded)) };
      })();
    },
  };
}

function withVariablesInOrder({ request, compiled }: Admitted): ChatRequest {
  const { names = [] } = compiled.renderPrompt ?? {};
  const variables = inPromptOrder(request.variables, names);
  return variables === request.variables ? request : { ...request, variables };
}
