import { encodeUpstream } from "../clients/upstream-admin.ts";
import { approvedToolArguments, requireUpstreamId, upstreamId } from "../clients/upstream-arguments.ts";
import { writeProject } from "../domain/access.ts";
import { defineOperation } from "./operation.ts";

export const approveTools = defineOperation({
  name: "svc_approve_tools",
  description: "Approves the definitions that an upstream's changed tools have now: all of them, or those named.",
  access: writeProject,
  arguments: { upstream_id: upstreamId, ...approvedToolArguments },
  async run(args, { upstreams, caller }) {
    const request = { upstreamId: requireUpstreamId(args.upstream_id), toolNames: [...(args.tools ?? [])] };
    const { upstream, approved } = await upstreams.approveTools(request, caller.optionsFor(null));
    return { ...encodeUpstream(upstream), approved };
  },
});
