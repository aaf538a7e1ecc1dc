import type { ServerResponse } from "node:http";
import { andThen } from "@gatehouse/async";
import { EventRun, type ReplyDialect, type ReplyEvent, type ReplyEvents, toChunks } from "@gatehouse/dialects";
import { type GatewayError, toGatewayError } from "@gatehouse/errors";
import { toCallError } from "@gatehouse/failover";
import { EventStreamWriter, isReplyOver } from "@gatehouse/http";
import { encodeJson } from "@gatehouse/json";
import {
  type Completion,
  type CompletionChunk,
  type CompletionStream,
  type CompletionUsage,
  passStream,
  ProviderError,
} from "@gatehouse/providers";
import { resolveUsage } from "@gatehouse/spending";
import type { Logger } from "@gatehouse/telemetry";
import type { Outcome, Received } from "../app/call.ts";
import type { RunningCall } from "../app/pipeline.ts";
import { deadlineOf } from "../app/steps/provider.ts";
import { callHeaders } from "./call-headers.ts";

type Batch = readonly CompletionChunk[];

interface RelayOptions {
  readonly stream: CompletionStream;
  readonly dialect: ReplyDialect;
  /** Writer of a stream whose head has been sent. */
  readonly writer: EventStreamWriter | undefined;
  readonly log: Logger;
}

/** Sends the head of a stream; the call's status is 200 from then on. */
export function openStream(res: ServerResponse, call: Received): EventStreamWriter {
  call.isStreamed = true;
  return new EventStreamWriter(res, callHeaders(call));
}

/**
 * Sends a stream in the caller's dialect. An error after the first byte becomes an error event, after which the stream ends
 * without `[DONE]`, so that it cannot pass for a complete one.
 */
export async function relayStream(res: ServerResponse, running: RunningCall, options: RelayOptions): Promise<void> {
  const { call } = running;
  if (options.writer === undefined && isReplyOver(res)) return await leaveStream(running, options);
  const writer = options.writer ?? openStream(res, call);
  const events = options.dialect.openEvents(call);
  const failure = await relay(options.stream, events, res, writer);
  call.answer = events.content;
  call.answerBeside = events.beside;
  call.usage = events.usage;
  const usage = await resolveUsage(call);
  const outcome = toOutcome(running, res, failure);
  const late = await running.finish(outcome);
  const error = outcome.kind === "failed" ? outcome.error : late;
  if (error !== undefined) {
    options.log.warn(
      { err: failure ?? late, code: error.code, request_id: call.requestId },
      "A stream ended before its answer was complete.",
    );
    sendErrorEvent(writer, await running.judgeError(error));
    return;
  }
  finishStream(writer, events, usage);
}

/**
 * Ends a call whose reply was ended before its stream: a head cannot be sent then, and without its end the call would keep its turn
 * and what it has reserved.
 */
async function leaveStream({ finish }: RunningCall, { stream, log }: RelayOptions): Promise<void> {
  await passStream(stream, () => false).catch((err: unknown) =>
    log.debug({ err }, "A stream without a reader failed."),
  );
  await finish({ kind: "abandoned" });
}

/** Sends a complete answer as a stream, which the caller asked for. */
export async function sendAsStream(
  writer: EventStreamWriter,
  events: ReplyEvents,
  completion: Completion & { readonly usage: CompletionUsage },
): Promise<void> {
  for (const chunk of toChunks(completion)) {
    await sendEvents(writer, events.push(chunk));
  }
  finishStream(writer, events, completion.usage);
}

/** Ends a stream with an error event, without `[DONE]`. */
export function sendErrorEvent(writer: EventStreamWriter, err: GatewayError): void {
  const { message, profile, code, details } = err;
  writer.send(JSON.stringify({ error: { message, type: profile.type, code, ...details } }));
  writer.end();
}

function finishStream(writer: EventStreamWriter, events: ReplyEvents, usage: CompletionUsage): void {
  for (const event of events.finish(usage)) writer.send(JSON.stringify(event));
  writer.send("[DONE]");
  writer.end();
}

/** Passes chunks on until the stream ends; returns the error that broke it, if any. */
async function relay(
  stream: CompletionStream,
  events: ReplyEvents,
  res: ServerResponse,
  writer: EventStreamWriter,
): Promise<unknown> {
  try {
    await passStream(stream, (batch) => {
      if (res.destroyed) return false;
      const sent = sendBatch(writer, events, batch);
      return sent instanceof Promise || writer.isBehind ? untilTaken(writer, sent) : true;
    });
    return undefined;
  } catch (err) {
    return err;
  }
}

/** Sends the events of a batch; synchronous up to the first that takes time. */
function sendBatch(writer: EventStreamWriter, events: ReplyEvents, batch: Batch, from = 0): void | Promise<void> {
  for (let at = from; at < batch.length; at += 1) {
    const chunk = batch[at];
    const sent = chunk && sendEvents(writer, events.push(chunk));
    if (sent instanceof Promise) return sent.then(() => sendBatch(writer, events, batch, at + 1));
  }
}

function sendEvents(writer: EventStreamWriter, made: readonly ReplyEvent[], from = 0): void | Promise<void> {
  // Indexed loop: an iterator over one or two events would take half as long as the rest of a chunk.
  for (let at = from; at < made.length; at += 1) {
    const sent = sendEvent(writer, made[at] ?? "");
    if (sent instanceof Promise) return sent.then(() => sendEvents(writer, made, at + 1));
  }
}

/** Waits until the reader has caught up. @returns that more is wanted */
async function untilTaken(writer: EventStreamWriter, sent: void | Promise<void>): Promise<true> {
  await sent;
  if (writer.isBehind) await writer.drained();
  return true;
}

/** Sends a text synchronously; an object, which may be large, is encoded in slices. */
function sendEvent(writer: EventStreamWriter, event: ReplyEvent): void | Promise<void> {
  if (typeof event === "string") return writer.send(event);
  if (event instanceof EventRun) return writer.sendRun(event.text);
  return andThen(encodeJson(event), (text) => writer.send(text));
}

/** Outcome of a relayed call; `failure` is the error that broke its stream, if any. */
function toOutcome({ call }: RunningCall, res: ServerResponse, failure: unknown): Outcome {
  if (isReplyOver(res)) return { kind: "abandoned" };
  if (failure === undefined) return { kind: "answered" };
  const error = failure instanceof ProviderError ? toCallError(failure) : toGatewayError(failure);
  return { kind: "failed", error: deadlineOf(call) ?? error };
}
