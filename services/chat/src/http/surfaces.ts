import type { ServiceHandler } from "@gatehouse/principal";
import { createChatHandler, type ChatHandlerOptions } from "./chat.ts";
import { createWrapperModelHandler, createWrapperModelsHandler, type WrapperModelsOptions } from "./wrapper-models.ts";
import { parseWrapperPath } from "./wrapper-path.ts";
import {
  createWrapperChatHandler,
  createWrapperCompletionsHandler,
  createWrapperEmbeddingsHandler,
} from "./wrapper.ts";

export type SurfacesOptions = ChatHandlerOptions & WrapperModelsOptions;

/** The service's HTTP face: the chat routes and the Wrapper's, chosen by the path. */
export function createSurfaces(options: SurfacesOptions): ServiceHandler {
  const chat = createChatHandler(options);
  const wrapper = {
    chat: createWrapperChatHandler(options),
    completions: createWrapperCompletionsHandler(options),
    embeddings: createWrapperEmbeddingsHandler(options),
    models: createWrapperModelsHandler(options),
    model: createWrapperModelHandler(options),
  };
  return async (req, res, context) => {
    const resource = parseWrapperPath(req.url ?? "");
    await (resource === undefined ? chat : wrapper[resource])(req, res, context);
  };
}
