import { toPageMessage, toPageResult } from "../clients/chat-admin.ts";
import { encodeCredential } from "../clients/chat-encoding.ts";
import { optional } from "../domain/arguments.ts";
import { encodePage } from "./encoding.ts";
import { defineOperation } from "./operation.ts";
import { page, provider, toPageRequest } from "./shared-arguments.ts";

export const listCredentials = defineOperation({
  name: "svc_list_credentials",
  description: "Lists credentials without their keys, oldest first; of one provider, or of all.",
  arguments: { provider: optional(provider), ...page },
  async run(args, { chat }) {
    const request = { provider: args.provider ?? "", page: toPageMessage(toPageRequest(args)) };
    const { credentials, nextCursor } = await chat.listCredentials(request);
    return encodePage("credentials", toPageResult(credentials, nextCursor), encodeCredential);
  },
});
