import { encodeToken } from "./encoding.ts";
import { defineOperation } from "./operation.ts";
import { tokenId } from "./shared-arguments.ts";

export const deleteToken = defineOperation({
  name: "svc_delete_token",
  description: "Deletes a token. It stops working at once and is no longer listed.",
  arguments: { token_id: tokenId },
  run: async (args, { tokens }) => ({ ...encodeToken(await tokens.delete(args.token_id)), deleted: true }),
});
