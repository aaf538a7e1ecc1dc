import { andThen } from "@gatehouse/async";
import { toSendableInSteps } from "@gatehouse/content";
import { decodeInputs } from "@gatehouse/dialects";
import { runInSlices, runSized } from "@gatehouse/pace";
import { loadTokenDecoder } from "@gatehouse/tokens";
import type { Read } from "../call.ts";
import type { Step } from "../pipeline.ts";

/**
 * The content of the request is brought into the form in which it is judged and sent: tokens to embed are decoded (400
 * for an unknown token number), and what cannot be sent as it came is refused (400 for a number that JavaScript cannot hold).
 */
export function createContentStep(): Step<Read, Pick<Read, "request">> {
  return {
    name: "content",
    enter(call) {
      const { request } = call;
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
