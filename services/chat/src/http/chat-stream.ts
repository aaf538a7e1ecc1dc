import type { OutgoingHttpHeaders, ServerResponse } from "node:http";
import { type GatewayError, toGatewayError } from "@gatehouse/errors";
import { EventStreamWriter } from "@gatehouse/http";
import type { Logger } from "@gatehouse/telemetry";
import type { Outcome } from "../domain/call.ts";
import { ChatChunkSequence, toChatMeta } from "../domain/chat-reply.ts";
import { toCallError } from "../domain/failover.ts";
import type { RunningCall } from "../domain/pipeline.ts";
import { type CompletionStream, ProviderError } from "../domain/provider.ts";
import { deadlineOf } from "../domain/steps/provider.ts";
import { resolveUsage } from "../domain/usage.ts";

export interface ChatStreamOptions {
  readonly stream: CompletionStream;
  readonly headers: OutgoingHttpHeaders;
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
  const writer = new EventStreamWriter(res, options.headers);
  const sequence = new ChatChunkSequence(toChatMeta(call));
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
    writer.send(JSON.stringify(toErrorEvent(error)));
  } else {
    for (const event of sequence.finish(usage)) writer.send(JSON.stringify(event));
    writer.send("[DONE]");
  }
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
      for (const chunk of batch) for (const event of sequence.push(chunk)) writer.send(JSON.stringify(event));
      await writer.drained();
    }
    return undefined;
  } catch (err) {
    return err;
  }
}

/** How a call ended whose stream has been relayed, `failure` being what broke it, if anything did. */
export function toOutcome({ call }: RunningCall, res: ServerResponse, failure: unknown): Outcome {
  if (res.destroyed) return { kind: "abandoned" };
  if (failure === undefined) return { kind: "answered" };
  const error = failure instanceof ProviderError ? toCallError(failure) : toGatewayError(failure);
  return { kind: "failed", error: deadlineOf(call) ?? error };
}

/** The event that ends a broken stream. */
export function toErrorEvent(err: GatewayError): object {
  return { error: { message: err.message, type: err.profile.type, code: err.code } };
}
