import { contextHeaders } from "@gatehouse/guardrail-client";
import type { ServerResponse } from "node:http";
import { type BodyBounds, type EventStreamWriter, sendJsonText } from "@gatehouse/http";
import type { ServiceHandler } from "@gatehouse/principal";
import type { Logger } from "@gatehouse/telemetry";
import { logRefusal, type Surface } from "../app/call.ts";
import {
  type ChatRequest,
  generatedText,
  parseEmbeddingsRequest,
  parseTextCompletionRequest,
  parseWrapperRequest,
  toCompletionText,
  toEmbeddingsText,
} from "@gatehouse/dialects";
import type { Completion, Embeddings } from "@gatehouse/providers";
import { type Pipeline, type RunningCall, runPipeline } from "../app/pipeline.ts";
import { resolveUsage } from "../app/usage.ts";
import type { CountTexts } from "@gatehouse/tokens";
import { repliesInEvents } from "../domain/reply-form.ts";
import { AwaitedStream, openStream } from "./awaited-stream.ts";
import { callHeaders, tokenPrincipal } from "./call-headers.ts";
import { readRequest } from "./read-request.ts";
import { sendErrorEvent } from "./chat-stream.ts";
import { sendWrapperError } from "./wrapper-error.ts";
import { sendWrapperAnswer, sendWrapperStream } from "./wrapper-stream.ts";

export interface WrapperHandlerOptions {
  readonly pipeline: Pipeline;
  readonly body: BodyBounds;
  readonly log: Logger;
  readonly countTexts: CountTexts;
}

/** `POST /api/{uuid}/v1/chat/completions` of `ai_wrapper` projects. */
export function createWrapperChatHandler(options: WrapperHandlerOptions): ServiceHandler {
  return createCallHandler(options, "wrapper.chat", parseWrapperRequest);
}

/** `POST /api/{uuid}/v1/completions` of `ai_wrapper` projects: a chat of one message, in the form of OpenAI's older route. */
export function createWrapperCompletionsHandler(options: WrapperHandlerOptions): ServiceHandler {
  return createCallHandler(options, "wrapper.completions", parseTextCompletionRequest);
}

/** `POST /api/{uuid}/v1/embeddings` of `ai_wrapper` projects. */
export function createWrapperEmbeddingsHandler(options: WrapperHandlerOptions): ServiceHandler {
  return createCallHandler(options, "wrapper.embeddings", parseEmbeddingsRequest);
}

/** Checks a parsed body. */
type ParseRequest = (body: unknown) => ChatRequest;

function createCallHandler(
  { pipeline, body, log, countTexts }: WrapperHandlerOptions,
  surface: Surface,
  parse: ParseRequest,
): ServiceHandler {
  return async (req, res, context) => {
    const abort = new AbortController();
    const onClose = () => abort.abort();
    res.on("close", onClose);
    const awaited = new AwaitedStream(res);
    const result = await runPipeline(pipeline, {
      surface,
      requestId: context.requestId,
      principal: tokenPrincipal(context),
      ipAddress: context.ipAddress,
      span: context.span,
      user: context.user,
      headers: () => contextHeaders(req.headers),
      abort,
      countTexts,
      onAsking: (call) => awaited.begin(call),
      read: async () => await readRequest(req, body, parse),
    });
    const writer = awaited.end();
    if (result.kind === "refused") {
      logRefusal(log, result.error, context.requestId);
      if (writer === undefined) sendWrapperError(res, result.error, callHeaders(result.call));
      else sendErrorEvent(writer, result.error);
      return;
    }
    const { running } = result;
    const { reply } = running.call;
    if (reply.kind === "complete") await sendCompletion(res, running, reply.completion, writer);
    else if (reply.kind === "stream") await sendWrapperStream(res, running, { stream: reply.stream, writer, log });
    else await sendEmbeddings(res, running, reply.embeddings);
    res.off("close", onClose);
  };
}

/** @param writer of a stream whose head has been sent. */
async function sendCompletion(
  res: ServerResponse,
  { call, finish }: RunningCall,
  completion: Completion,
  writer: EventStreamWriter | undefined,
): Promise<void> {
  call.answer = completion.usage === undefined ? generatedText(completion) : undefined;
  const usage = await resolveUsage(call);
  const failure = await finish({ kind: res.destroyed ? "abandoned" : "answered" });
  const headers = callHeaders(call);
  if (failure !== undefined) {
    if (writer === undefined) sendWrapperError(res, failure, headers);
    else sendErrorEvent(writer, failure);
  } else if (repliesInEvents(call)) {
    await sendWrapperAnswer(writer ?? openStream(res, call), call, { completion, usage });
  } else {
    sendJsonText(res, { status: 200, text: await toCompletionText(call, completion, usage), headers });
  }
}

async function sendEmbeddings(res: ServerResponse, running: RunningCall, embeddings: Embeddings): Promise<void> {
  const { call, finish } = running;
  const usage = await resolveUsage(call);
  const failure = await finish({ kind: res.destroyed ? "abandoned" : "answered" });
  const headers = callHeaders(call);
  if (failure !== undefined) sendWrapperError(res, failure, headers);
  else sendJsonText(res, { status: 200, text: await toEmbeddingsText(call, embeddings, usage), headers });
}
