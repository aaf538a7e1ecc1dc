import type { ServerResponse } from "node:http";
import { type GatewayError, toGatewayError } from "@gatehouse/errors";
import type { EventStreamWriter } from "@gatehouse/http";
import { encodeJson } from "@gatehouse/json";
import type { Logger } from "@gatehouse/telemetry";
import type { Answered, Outcome } from "../app/call.ts";
import { ChatChunkSequence, type ChatEvent, toChatMeta, toChunks } from "@gatehouse/dialects";
import { type Completion, type CompletionStream, type CompletionUsage, ProviderError } from "@gatehouse/providers";
import { toCallError } from "@gatehouse/failover";
import type { RunningCall } from "../app/pipeline.ts";
import { deadlineOf } from "../app/steps/provider.ts";
import { resolveUsage } from "../app/usage.ts";
import { openStream } from "./awaited-stream.ts";

export interface ChatStreamOptions {
  readonly stream: CompletionStream;
  /** Of a stream whose head has been sent already. */
  readonly writer: EventStreamWriter | undefined;
  readonly log: Logger;
}

/**
 * Sends a stream as OpenAI-style chunks (decisions: "Streaming"). An error after the first byte becomes one error event,
 * and the stream then ends without `[DONE]`, so that a broken reply can never pass for a whole one.
 */
export async function sendChatStream(
  res: ServerResponse,
  running: RunningCall,
  options: ChatStreamOptions,
): Promise<void> {
  const { call } = running;
  const writer = options.writer ?? openStream(res, call);
  const sequence = new ChatChunkSequence(toChatMeta(call.requestId, call.request));
  const failure = await relay(options.stream, { res, writer, sequence });
  call.answer = sequence.content;
  call.answerBeside = sequence.beside;
  call.usage = sequence.usage;
  const usage = await resolveUsage(call);
  const outcome = toOutcome(running, res, failure);
  const late = await running.finish(outcome);
  const error = outcome.kind === "failed" ? outcome.error : late;
  if (error !== undefined) {
    options.log.warn({ err: failure ?? late, code: error.code, request_id: call.requestId }, "A stream broke off.");
    sendErrorEvent(writer, error);
    return;
  }
  for (const event of sequence.finish(usage)) writer.send(JSON.stringify(event));
  writer.send("[DONE]");
  writer.end();
}

export interface WholeAnswer {
  readonly completion: Completion;
  readonly usage: CompletionUsage;
}

/** Sends a whole answer as the stream that was asked for. */
export async function sendChatAnswer(
  writer: EventStreamWriter,
  call: Answered,
  { completion, usage }: WholeAnswer,
): Promise<void> {
  const sequence = new ChatChunkSequence(toChatMeta(call.requestId, call.request));
  const events = toChunks(completion).flatMap((chunk) => sequence.push(chunk));
  for (const event of [...events, ...sequence.finish(usage)]) writer.send(await toText(event));
  writer.send("[DONE]");
  writer.end();
}

/** Ends a stream that cannot be whole: without `[DONE]`, so that it never passes for one that is. */
export function sendErrorEvent(writer: EventStreamWriter, err: GatewayError): void {
  writer.send(JSON.stringify(toErrorEvent(err)));
  writer.end();
}

interface RelayParts {
  readonly res: ServerResponse;
  readonly writer: EventStreamWriter;
  readonly sequence: ChatChunkSequence;
}

/** Passes chunks on until the stream ends; answers with what broke it, if anything did. */
async function relay(stream: CompletionStream, { res, writer, sequence }: RelayParts): Promise<unknown> {
  try {
    for await (const batch of stream.batches) {
      if (res.destroyed) return undefined;
      for (const chunk of batch) {
        for (const event of sequence.push(chunk)) {
          const text = toText(event);
          writer.send(typeof text === "string" ? text : await text);
        }
      }
      if (writer.isBehind) await writer.drained();
    }
    return undefined;
  } catch (err) {
    return err;
  }
}

function toText(event: ChatEvent): string | Promise<string> {
  return typeof event === "string" ? event : encodeJson(event);
}

/** How a call ended whose stream has been relayed, `failure` being what broke it, if anything did. */
export function toOutcome({ call }: RunningCall, res: ServerResponse, failure: unknown): Outcome {
  if (res.destroyed) return { kind: "abandoned" };
  if (failure === undefined) return { kind: "answered" };
  const error = failure instanceof ProviderError ? toCallError(failure) : toGatewayError(failure);
  return { kind: "failed", error: deadlineOf(call) ?? error };
}

/** The event that ends a broken stream. */
function toErrorEvent(err: GatewayError): object {
  return { error: { message: err.message, type: err.profile.type, code: err.code, ...err.details } };
}
