import { encodePage, encodeToken } from "./encoding.ts";
import { readProject } from "../domain/access.ts";
import { defineOperation } from "./operation.ts";
import { page, project, toPageRequest } from "./shared-arguments.ts";

export const listTokens = defineOperation({
  name: "svc_list_tokens",
  description: "Lists a project's tokens, revoked ones included, oldest first. Plaintexts are not kept.",
  access: readProject,
  arguments: { project, ...page },
  async run(args, { projects, tokens }) {
    const owner = await projects.get(args.project);
    return encodePage("tokens", await tokens.list(owner, toPageRequest(args)), encodeToken);
  },
});
