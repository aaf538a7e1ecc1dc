import { encodeToken } from "./encoding.ts";
import { writeProject } from "../domain/access.ts";
import { defineOperation } from "./operation.ts";
import { tokenId } from "./shared-arguments.ts";
import { tokenSubject } from "./token-subject.ts";

export const revokeToken = defineOperation({
  name: "svc_revoke_token",
  description: "Makes a token stop working at once, for good. Repeating it is harmless.",
  access: writeProject,
  subject: tokenSubject,
  arguments: { token_id: tokenId },
  run: async (args, { tokens, caller }) => encodeToken(await tokens.revoke(args.token_id, caller.originFor(null))),
});
