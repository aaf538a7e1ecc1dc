import type { Step } from "../pipeline.ts";

/** The body is well-formed and of the right shape (400; over the size limit 413). */
export function createBodyStep(): Step {
  return {
    name: "body",
    async enter(call) {
      call.request = await call.read();
      return undefined;
    },
  };
}
