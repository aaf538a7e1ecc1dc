import { required } from "../call.ts";
import { loadTokenDecoder } from "@gatehouse/tokens";
import { decodeInputs } from "../embeddings-request.ts";
import { toSendable } from "../request-content.ts";
import type { Step } from "../pipeline.ts";

/**
 * The content of the request is brought into the form in which it is judged and sent: tokens to embed are decoded (400 for a
 * number that is none), and what cannot be sent as it came is refused (400 for a number that JavaScript cannot hold).
 */
export function createContentStep(): Step {
  return {
    name: "content",
    enter(call) {
      const request = required(call.request, "the request");
      if (request.tokenInputs === undefined) {
        call.request = toSendable(request);
        return undefined;
      }
      return (async () => {
        call.request = toSendable(await decodeInputs(request, await loadTokenDecoder()));
        return undefined;
      })();
    },
  };
}
