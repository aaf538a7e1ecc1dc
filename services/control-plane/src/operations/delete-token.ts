import { encodeToken } from "./encoding.ts";
import { writeProject } from "../domain/access.ts";
import { defineOperation } from "./operation.ts";
import { tokenId } from "./shared-arguments.ts";
import { tokenSubject } from "./token-subject.ts";

export const deleteToken = defineOperation({
  name: "svc_delete_token",
  description: "Deletes a token. It stops working at once and is no longer listed.",
  access: writeProject,
  subject: tokenSubject,
  arguments: { token_id: tokenId },
  async run(args, { tokens, caller }) {
    return { ...encodeToken(await tokens.delete(args.token_id, caller.originFor(null))), deleted: true };
  },
});
