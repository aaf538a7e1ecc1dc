import { GatewayError } from "@gatehouse/errors";
import { encodeUpstream } from "../clients/upstream-admin.ts";
import { newUpstreamArguments, toSettingsJson, upstreamQuestionDeadlineMs } from "../clients/upstream-arguments.ts";
import { writeProject } from "../domain/access.ts";
import { defineOperation } from "./operation.ts";
import { project } from "./shared-arguments.ts";

export const createUpstream = defineOperation({
  name: "svc_create_upstream",
  description:
    "Registers an MCP server of any revision with an mcp_gateway project. Its tools are listed as <prefix>__<tool> at once.",
  access: writeProject,
  arguments: { project, ...newUpstreamArguments },
  async run(args, { projects, upstreams, caller }) {
    const { prefix, url, bearer_token: bearerToken } = args;
    const owner = await projects.get(args.project);
    if (owner.projectType !== "mcp_gateway") {
      const problem = `Project ${owner.uuid} is of type ${owner.projectType}; only mcp_gateway projects have upstreams.`;
      throw new GatewayError("invalid_argument", problem);
    }
    const given = { projectUuid: owner.uuid, prefix, url, bearerToken, settingsJson: toSettingsJson(args) };
    const options = { ...caller.optionsFor(owner), deadline: upstreamQuestionDeadlineMs };
    return encodeUpstream((await upstreams.createUpstream(given, options)).upstream);
  },
});
