import { required } from "../call.ts";
import { loadTokenDecoder } from "../decode-tokens.ts";
import { decodeInputs } from "../embeddings-request.ts";
import type { Step } from "../pipeline.ts";

/** The texts of the request are made ready for the steps that read them: tokens to embed are decoded (400 for a number that is none). */
export function createContentStep(): Step {
  return {
    name: "content",
    enter(call) {
      const request = required(call.request, "the request");
      if (request.tokenInputs === undefined) return undefined;
      return (async () => {
        call.request = await decodeInputs(request, await loadTokenDecoder());
        return undefined;
      })();
    },
  };
}
