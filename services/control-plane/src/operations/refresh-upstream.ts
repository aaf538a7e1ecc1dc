import { encodeUpstream } from "../clients/upstream-admin.ts";
import { requireUpstreamId, upstreamId, upstreamQuestionDeadlineMs } from "../clients/upstream-arguments.ts";
import { writeProject } from "../domain/access.ts";
import { defineOperation } from "./operation.ts";

export const refreshUpstream = defineOperation({
  name: "svc_refresh_upstream",
  description:
    "Asks an active upstream for its tools now, past every cache, and answers with the names that are listed.",
  access: writeProject,
  arguments: { upstream_id: upstreamId },
  async run(args, { upstreams, caller }) {
    const options = { ...caller.optionsFor(null), deadline: upstreamQuestionDeadlineMs };
    const id = requireUpstreamId(args.upstream_id);
    const { upstream, toolNames } = await upstreams.refreshUpstream({ upstreamId: id }, options);
    return { ...encodeUpstream(upstream), tools: toolNames };
  },
});
