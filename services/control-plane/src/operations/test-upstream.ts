import { encodeTestStep } from "../clients/upstream-admin.ts";
import { requireUpstreamId, upstreamId, upstreamQuestionDeadlineMs } from "../clients/upstream-arguments.ts";
import { writeProject } from "../domain/access.ts";
import { defineOperation } from "./operation.ts";

export const testUpstream = defineOperation({
  name: "svc_test_upstream",
  description:
    "Tries an upstream, active or not, as if it were new, and says what happened at each step. Nothing is stored.",
  access: writeProject,
  arguments: { upstream_id: upstreamId },
  async run(args, { upstreams, caller }) {
    const options = { ...caller.optionsFor(null), deadline: upstreamQuestionDeadlineMs };
    const id = requireUpstreamId(args.upstream_id);
    const { reachable, steps } = await upstreams.testUpstream({ upstreamId: id }, options);
    return { reachable, steps: steps.map(encodeTestStep) };
  },
});
