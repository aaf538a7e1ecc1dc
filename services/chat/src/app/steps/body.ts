import type { Read, Received } from "../call.ts";
import type { Step } from "../pipeline.ts";

/** The body is well-formed and of the right shape (400; over the size limit 413). */
export function createBodyStep(): Step<Received, Pick<Read, "request">> {
  return {
    name: "body",
    enter: (call) => call.read().then((request) => ({ request })),
  };
}
