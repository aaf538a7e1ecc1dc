import type { Read, Received } from "../call.ts";
import type { Step } from "../pipeline.ts";

/** Requires a well-formed body of the right shape (400; 413 over the size limit). */
export function createBodyStep(): Step<Received, Pick<Read, "request">> {
  return {
    name: "body",
    enter: (call) => call.read().then((request) => ({ request })),
  };
}
