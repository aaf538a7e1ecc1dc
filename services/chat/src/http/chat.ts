import type { IncomingMessage, ServerResponse } from "node:http";
import { contextHeaders } from "@gatehouse/guardrail-client";
import { type BodyBounds, type EventStreamWriter, sendError, sendJsonText } from "@gatehouse/http";
import { encodeJson } from "@gatehouse/json";
import type { RequestContext, ServiceHandler } from "@gatehouse/principal";
import type { Logger } from "@gatehouse/telemetry";
import { type CallInput, logRefusal } from "../app/call.ts";
import { parseChatRequest, toChatMeta, toChatReplyBody } from "@gatehouse/dialects";
import type { Completion } from "@gatehouse/providers";
import { type Pipeline, type RunningCall, runPipeline } from "../app/pipeline.ts";
import type { CountTexts } from "@gatehouse/tokens";
import { resolveUsage } from "../app/usage.ts";
import { repliesInEvents } from "../domain/reply-form.ts";
import { AwaitedStream, openStream } from "./awaited-stream.ts";
import { callHeaders, tokenPrincipal } from "./call-headers.ts";
import { parseChatPath } from "./chat-path.ts";
import { sendChatAnswer, sendChatStream, sendErrorEvent } from "./chat-stream.ts";
import { readRequest } from "./read-request.ts";

export interface ChatHandlerOptions {
  readonly pipeline: Pipeline;
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
    const awaited = new AwaitedStream(res);
    const result = await runPipeline(options.pipeline, toCallInput(req, context, { ...options, abort, awaited }));
    const writer = awaited.end();
    if (result.kind === "refused") {
      logRefusal(options.log, result.error, context.requestId);
      if (writer === undefined) sendError(res, result.error, callHeaders(result.call));
      else sendErrorEvent(writer, result.error);
      return;
    }
    const { running } = result;
    const { reply } = running.call;
    const { log } = options;
    if (reply.kind === "complete") await sendCompletion(res, running, reply.completion, writer);
    else if (reply.kind === "stream") await sendChatStream(res, running, { stream: reply.stream, writer, log });
    res.off("close", onClose);
  };
}

interface InputParts extends Pick<ChatHandlerOptions, "body" | "countTexts"> {
  readonly abort: AbortController;
  readonly awaited: AwaitedStream;
}

function toCallInput(req: IncomingMessage, context: RequestContext, parts: InputParts): CallInput {
  const { slug } = parseChatPath(req.url ?? "");
  return {
    surface: slug === undefined ? "chat.dispatcher" : "chat.direct",
    requestId: context.requestId,
    principal: tokenPrincipal(context),
    ipAddress: context.ipAddress,
    span: context.span,
    user: context.user,
    headers: () => contextHeaders(req.headers),
    abort: parts.abort,
    countTexts: parts.countTexts,
    onAsking: (call) => parts.awaited.begin(call),
    read: () => readRequest(req, parts.body, (body) => parseChatRequest(body, slug)),
  };
}

/** @param writer of a stream whose head has been sent. */
async function sendCompletion(
  res: ServerResponse,
  { call, finish }: RunningCall,
  completion: Completion,
  writer: EventStreamWriter | undefined,
): Promise<void> {
  const usage = await resolveUsage(call);
  const failure = await finish({ kind: res.destroyed ? "abandoned" : "answered" });
  const headers = callHeaders(call);
  if (failure !== undefined) {
    if (writer === undefined) sendError(res, failure, headers);
    else sendErrorEvent(writer, failure);
  } else if (repliesInEvents(call)) {
    await sendChatAnswer(writer ?? openStream(res, call), call, { completion, usage });
  } else {
    const text = encodeJson(toChatReplyBody(completion, usage, toChatMeta(call.requestId, call.request)));
    sendJsonText(res, { status: 200, text: typeof text === "string" ? text : await text, headers });
  }
}
