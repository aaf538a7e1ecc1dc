import { encodeUpstream } from "../clients/upstream-admin.ts";
import { requireUpstreamId, upstreamId } from "../clients/upstream-arguments.ts";
import { writeProject } from "../domain/access.ts";
import { defineOperation } from "./operation.ts";

export const deleteUpstream = defineOperation({
  name: "svc_delete_upstream",
  description: "Removes an upstream with what is known of its tools. They are not listed any more.",
  access: writeProject,
  arguments: { upstream_id: upstreamId },
  async run(args, { upstreams, caller }) {
    const id = requireUpstreamId(args.upstream_id);
    const { upstream } = await upstreams.deleteUpstream({ upstreamId: id }, caller.optionsFor(null));
    return { ...encodeUpstream(upstream), deleted: true };
  },
});
