import { encodeUpstream } from "../clients/upstream-admin.ts";
import {
  requireUpstreamId,
  toSettingsJson,
  upstreamChangeArguments,
  upstreamId,
  upstreamQuestionDeadlineMs,
} from "../clients/upstream-arguments.ts";
import { writeProject } from "../domain/access.ts";
import { defineOperation } from "./operation.ts";

export const updateUpstream = defineOperation({
  name: "svc_update_upstream",
  description:
    "Changes an upstream; what is absent stays. bearer_token: null takes the token away; null gives another setting its default back.",
  access: writeProject,
  arguments: { upstream_id: upstreamId, ...upstreamChangeArguments },
  async run(args, { upstreams, caller }) {
    const { prefix, url, is_active: isActive } = args;
    const bearerToken = args.bearer_token === null ? "" : args.bearer_token;
    const id = requireUpstreamId(args.upstream_id);
    const change = { upstreamId: id, prefix, url, bearerToken, isActive, settingsJson: toSettingsJson(args) };
    const options = { ...caller.optionsFor(null), deadline: upstreamQuestionDeadlineMs };
    return encodeUpstream((await upstreams.updateUpstream(change, options)).upstream);
  },
});
