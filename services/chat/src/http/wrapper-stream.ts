import type { ServerResponse } from "node:http";
import type { EventStreamWriter } from "@gatehouse/http";
import type { Logger } from "@gatehouse/telemetry";
import type { Answered } from "../app/call.ts";
import { GeneratedText, toChunks, toChunkText, toUsageChunkText, wantsUsage } from "@gatehouse/dialects";
import type { CompletionChunk, CompletionStream } from "@gatehouse/providers";
import type { RunningCall } from "../app/pipeline.ts";
import { resolveUsage } from "../app/usage.ts";
import { openStream } from "./awaited-stream.ts";
import { sendErrorEvent, toOutcome, type WholeAnswer } from "./chat-stream.ts";

export interface WrapperStreamOptions {
  readonly stream: CompletionStream;
  /** Of a stream whose head has been sent already. */
  readonly writer: EventStreamWriter | undefined;
  readonly log: Logger;
}

/**
 * Sends a provider's chunks as they come, the one with the token counts only to callers who asked for it. An error after
 * the first byte becomes one error event, and the stream then ends without `[DONE]`.
 */
export async function sendWrapperStream(
  res: ServerResponse,
  running: RunningCall,
  { stream, log, ...options }: WrapperStreamOptions,
): Promise<void> {
  const { call, finish } = running;
  const parts: RelayParts = {
    res,
    running,
    writer: options.writer ?? openStream(res, call),
    generated: new GeneratedText(),
  };
  const { writer, generated } = parts;
  const failure = await relay(stream, parts);
  call.answer = generated.text;
  call.usage = generated.usage;
  const usage = await resolveUsage(call);
  const outcome = toOutcome(running, res, failure);
  const late = await finish(outcome);
  const error = outcome.kind === "failed" ? outcome.error : late;
  if (error !== undefined) {
    log.warn({ err: failure ?? late, code: error.code, request_id: call.requestId }, "A stream broke off.");
    sendErrorEvent(writer, error);
    return;
  }
  const isOwed = generated.usage === undefined && wantsUsage(call.request);
  if (isOwed) writer.send(toUsageChunkText(call, generated.head, usage));
  writer.send("[DONE]");
  writer.end();
}

/** Sends a whole answer as the stream that was asked for. */
export async function sendWrapperAnswer(
  writer: EventStreamWriter,
  call: Answered,
  { completion, usage }: WholeAnswer,
): Promise<void> {
  const chunks = toChunks({ ...completion, usage });
  const withUsage = wantsUsage(call.request);
  for (const chunk of chunks) if (withUsage || !isUsageOnly(chunk)) writer.send(await toChunkText(call, chunk));
  writer.send("[DONE]");
  writer.end();
}

interface RelayParts {
  readonly res: ServerResponse;
  readonly running: RunningCall;
  readonly writer: EventStreamWriter;
  readonly generated: GeneratedText;
}

/** Passes chunks on until the stream ends; answers with what broke it, if anything did. */
async function relay(stream: CompletionStream, { res, running, writer, generated }: RelayParts): Promise<unknown> {
  const { call } = running;
  const withUsage = wantsUsage(call.request);
  try {
    for await (const batch of stream.batches) {
      if (res.destroyed) return undefined;
      for (const chunk of batch) {
        generated.add(chunk);
        if (!withUsage && isUsageOnly(chunk)) continue;
        const text = toChunkText(call, chunk);
        writer.send(typeof text === "string" ? text : await text);
      }
      if (writer.isBehind) await writer.drained();
    }
    return undefined;
  } catch (err) {
    return err;
  }
}

function isUsageOnly({ choices, usage }: CompletionChunk): boolean {
  return choices.length === 0 && usage !== undefined && usage !== null;
}
