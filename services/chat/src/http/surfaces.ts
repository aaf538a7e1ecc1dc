import {
  chatDialect,
  parseChatRequest,
  parseEmbeddingsRequest,
  parseTextCompletionRequest,
  parseWrapperRequest,
  wrapperDialect,
} from "@gatehouse/dialects";
import { sendError } from "@gatehouse/http";
import type { ServiceHandler } from "@gatehouse/principal";
import { type CallOptions, type CallRoute, createCallHandler } from "./call-route.ts";
import { parseWrapperPath, slugOfChatPath } from "./paths.ts";
import { sendWrapperError } from "./wrapper-error.ts";
import { createWrapperModelHandler, createWrapperModelsHandler, type WrapperModelsOptions } from "./wrapper-models.ts";

type SurfacesOptions = CallOptions & WrapperModelsOptions;

const openAi = { dialect: wrapperDialect, sendError: sendWrapperError };

/** `POST /api/{uuid}/v1/…` of `ai_wrapper` projects. */
const wrapperRoutes = {
  chat: { surface: "wrapper.chat", parse: parseWrapperRequest, ...openAi },
  /** A chat of one message, in the format of OpenAI's legacy route. */
  completions: { surface: "wrapper.completions", parse: parseTextCompletionRequest, ...openAi },
  embeddings: { surface: "wrapper.embeddings", parse: parseEmbeddingsRequest, ...openAi },
} as const satisfies Readonly<Record<string, CallRoute>>;

/** `POST /api/{uuid}/{slug}` and `POST /api/{uuid}/chat/completions` of `ai_gateway` projects. */
function chatRoute(url: string): CallRoute {
  const slug = slugOfChatPath(url);
  const surface = slug === undefined ? "chat.dispatcher" : "chat.direct";
  return { surface, parse: (body) => parseChatRequest(body, slug), dialect: chatDialect, sendError };
}

/** The HTTP handler of the chat routes and the Wrapper's routes. */
export function createSurfaces(options: SurfacesOptions): ServiceHandler {
  const lists = { models: createWrapperModelsHandler(options), model: createWrapperModelHandler(options) };
  const handleCall = createCallHandler(options);
  return (req, res, context) => {
    const url = req.url ?? "";
    const resource = parseWrapperPath(url);
    if (resource === "models" || resource === "model") return lists[resource](req, res, context);
    return handleCall(req, res, context, resource === undefined ? chatRoute(url) : wrapperRoutes[resource]);
  };
}
