import type { ServiceHandler } from "@gatehouse/principal";
import { createChatHandler, type ChatHandlerOptions } from "./chat.ts";
import { parseWrapperPath } from "./wrapper-path.ts";
import { createWrapperChatHandler } from "./wrapper.ts";

/** The service's HTTP face: the chat routes and the Wrapper's, told apart by their path. */
export function createSurfaces(options: ChatHandlerOptions): ServiceHandler {
  const chat = createChatHandler(options);
  const wrapperChat = createWrapperChatHandler(options);
  return async (req, res, context) => {
    const resource = parseWrapperPath(req.url ?? "");
    await (resource === "chat" ? wrapperChat : chat)(req, res, context);
  };
}
