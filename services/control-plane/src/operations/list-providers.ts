import { toPageMessage, toPageResult } from "../clients/chat-admin.ts";
import { encodeProvider } from "../clients/chat-encoding.ts";
import { encodePage } from "./encoding.ts";
import { defineOperation } from "./operation.ts";
import { page, toPageRequest } from "./shared-arguments.ts";

export const listProviders = defineOperation({
  name: "svc_list_providers",
  description: "Lists the model providers, oldest first.",
  arguments: page,
  async run(args, { chat }) {
    const { providers, nextCursor } = await chat.listProviders({ page: toPageMessage(toPageRequest(args)) });
    return encodePage("providers", toPageResult(providers, nextCursor), encodeProvider);
  },
});
