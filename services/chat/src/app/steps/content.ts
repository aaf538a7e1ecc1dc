import type { Read } from "../call.ts";
import { loadTokenDecoder } from "@gatehouse/tokens";
import { decodeInputs } from "../../domain/embeddings-request.ts";
import { toSendable } from "../../domain/request-content.ts";
import type { Step } from "../pipeline.ts";

/**
 * The content of the request is brought into the form in which it is judged and sent: tokens to embed are decoded (400 for a
 * number that is none), and what cannot be sent as it came is refused (400 for a number that JavaScript cannot hold).
 */
export function createContentStep(): Step<Read, Pick<Read, "request">> {
  return {
    name: "content",
    enter(call) {
      const { request } = call;
      if (request.tokenInputs === undefined) return { request: toSendable(request) };
      return (async () => ({ request: toSendable(await decodeInputs(request, await loadTokenDecoder())) }))();
    },
  };
}
