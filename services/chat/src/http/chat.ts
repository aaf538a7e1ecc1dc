import type { IncomingMessage, OutgoingHttpHeaders, ServerResponse } from "node:http";
import { type BodyBounds, sendError, sendJson } from "@gatehouse/http";
import type { RequestContext, ServiceHandler } from "@gatehouse/principal";
import type { Logger } from "@gatehouse/telemetry";
import type { CallInput } from "../domain/call.ts";
import { toChatMeta, toChatReplyBody } from "../domain/chat-reply.ts";
import { parseChatRequest } from "../domain/chat-request.ts";
import type { Completion } from "../domain/completion.ts";
import { logRefusal } from "../domain/log-refusal.ts";
import { type RunningCall, runPipeline, type Step } from "../domain/pipeline.ts";
import type { CountTexts } from "../domain/token-counter.ts";
import { resolveUsage } from "../domain/usage.ts";
import { callHeaders } from "./call-headers.ts";
import { parseChatPath } from "./chat-path.ts";
import { sendChatStream } from "./chat-stream.ts";
import { readRequest } from "./read-request.ts";
import { tokenPrincipal } from "./token-principal.ts";

export interface ChatHandlerOptions {
  readonly steps: readonly Step[];
  readonly body: BodyBounds;
  readonly log: Logger;
  readonly countTexts: CountTexts;
}

/** `POST /api/{uuid}/{slug}` and `POST /api/{uuid}/chat/completions` of `ai_gateway` projects. */
export function createChatHandler(options: ChatHandlerOptions): ServiceHandler {
  return async (req, res, context) => {
    const abort = new AbortController();
    const onClose = () => abort.abort();
    res.on("close", onClose);
    const result = await runPipeline(options.steps, toCallInput(req, context, { ...options, abort }));
    if (result.kind === "refused") {
      logRefusal(options.log, result.error, context.requestId);
      sendError(res, result.error, callHeaders(result.call));
      return;
    }
    const { running } = result;
    const { reply } = running;
    const { log } = options;
    const headers = callHeaders(running.call);
    if (reply.kind === "complete") await sendCompletion(res, running, { completion: reply.completion, headers });
    else if (reply.kind === "stream") await sendChatStream(res, running, { stream: reply.stream, headers, log });
    res.off("close", onClose);
  };
}

interface InputParts extends Pick<ChatHandlerOptions, "body" | "countTexts"> {
  readonly abort: AbortController;
}

function toCallInput(req: IncomingMessage, context: RequestContext, parts: InputParts): CallInput {
  const { slug } = parseChatPath(req.url ?? "");
  return {
    surface: slug === undefined ? "chat.dispatcher" : "chat.direct",
    requestId: context.requestId,
    principal: tokenPrincipal(context),
    ipAddress: context.ipAddress,
    hop: context.hop,
    abort: parts.abort,
    countTexts: parts.countTexts,
    read: async () => await readRequest(req, parts.body, (body) => parseChatRequest(body, slug)),
  };
}

interface CompletionParts {
  readonly completion: Completion;
  readonly headers: OutgoingHttpHeaders;
}

async function sendCompletion(res: ServerResponse, running: RunningCall, parts: CompletionParts): Promise<void> {
  const { call, finish } = running;
  const { completion, headers } = parts;
  const usage = await resolveUsage(call);
  const failure = await finish({ kind: res.destroyed ? "abandoned" : "answered" });
  if (failure !== undefined) sendError(res, failure, headers);
  else
    sendJson(res, {
      status: 200,
      body: toChatReplyBody(completion, usage, toChatMeta(call)),
      headers,
    });
}
