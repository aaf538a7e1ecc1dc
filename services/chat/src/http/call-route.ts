import type { IncomingMessage, OutgoingHttpHeaders, ServerResponse } from "node:http";
import { andThen, LightAbort } from "@gatehouse/async";
import type { ChatRequest, ReplyDialect, WholeReply } from "@gatehouse/dialects";
import type { GatewayError } from "@gatehouse/errors";
import { contextHeaders } from "@gatehouse/guardrail-client";
import {
  AwaitedEventStream,
  type BodyBounds,
  type EventStreamWriter,
  isReplyOver,
  parseJsonBody,
  readDecodedBody,
  recordedReplyEnd,
  sendJsonText,
} from "@gatehouse/http";
import { WrittenStrings } from "@gatehouse/json";
import { isLarge, nextTurn } from "@gatehouse/pace";
import { type RequestContext, tokenPrincipal } from "@gatehouse/principal";
import type { CompletionUsage } from "@gatehouse/providers";
import { resolveUsage } from "@gatehouse/spending";
import type { Logger } from "@gatehouse/telemetry";
import type { CountTexts } from "@gatehouse/tokens";
import { type Answered, logRefusal, type Received, type Surface } from "../app/call.ts";
import { type Pipeline, type RunningCall, runPipeline } from "../app/pipeline.ts";
import { targetHeader } from "../domain/chosen-target.ts";
import { isAwaited, repliesInEvents } from "../domain/reply-form.ts";
import { callHeaders } from "./call-headers.ts";
import { openStream, relayStream, sendAsStream, sendErrorEvent } from "./reply-stream.ts";

/** Shared by all routes that call a model; `body` bounds a request's body in bytes and in time. */
export interface CallOptions {
  readonly pipeline: Pipeline;
  readonly body: BodyBounds;
  readonly log: Logger;
  readonly countTexts: CountTexts;
}

/** A route for calls, and its format of requests and replies. */
export interface CallRoute {
  readonly surface: Surface;
  readonly parse: (body: unknown) => ChatRequest;
  readonly dialect: ReplyDialect;
  readonly sendError: (res: ServerResponse, err: GatewayError, headers: OutgoingHttpHeaders) => void;
}

/** Creates the handler that runs the pipeline for requests of a route, and sends the reply. */
export function createCallHandler({ pipeline, body, log, countTexts }: CallOptions) {
  return async (
    req: IncomingMessage,
    res: ServerResponse,
    context: RequestContext,
    route: CallRoute,
  ): Promise<void> => {
    const abort = new LightAbort();
    const onClose = () => abort.abort();
    res.on("close", onClose);
    const awaited = new AwaitedEventStream(res);
    const result = await runPipeline(pipeline, {
      surface: route.surface,
      requestId: context.requestId,
      principal: tokenPrincipal(context),
      ipAddress: context.ipAddress,
      span: context.span,
      user: context.user,
      chosenTarget: targetOf(req),
      headers: () => contextHeaders(req.headers),
      abort,
      countTexts,
      endedBy: () => recordedReplyEnd(res),
      onAsking(call) {
        if (isAwaited(call)) awaited.begin(() => openStream(res, call));
      },
      read: () => readRequest(req, body, route.parse),
    });
    const writer = awaited.end();
    if (result.kind === "refused") {
      logRefusal(log, result.error, context.requestId);
      sendFailure(result.call, { res, route, writer }, result.error);
      return;
    }
    const { running } = result;
    const { reply } = running.call;
    const { dialect } = route;
    if (reply.kind === "stream") await relayStream(res, running, { stream: reply.stream, dialect, writer, log });
    else await sendWhole(running, reply, { res, route, writer });
    res.off("close", onClose);
  };
}

/** Joins repeated headers, which is not a valid position. */
function targetOf({ headers: { [targetHeader]: given } }: IncomingMessage): string | undefined {
  return Array.isArray(given) ? given.join() : given;
}

/** Reads, parses and checks a body; other requests may run before and after a large one is parsed. */
async function readRequest(req: IncomingMessage, bounds: BodyBounds, parse: CallRoute["parse"]): Promise<ChatRequest> {
  const bytes = await readDecodedBody(req, bounds);
  if (!isLarge(bytes.length)) {
    const parsed = parseJsonBody(bytes);
    const { value } = parsed instanceof Promise ? await parsed : parsed;
    return { ...parse(value), bodyBytes: bytes.length };
  }
  const written = new WrittenStrings();
  const { value } = await parseJsonBody(bytes, { written });
  await nextTurn();
  return { ...parse(value), bodyBytes: bytes.length, written };
}

interface Receiver {
  readonly res: ServerResponse;
  readonly route: CallRoute;
  /** Writer of a stream whose head has been sent. */
  readonly writer: EventStreamWriter | undefined;
}

function sendFailure(call: Received, { res, route, writer }: Receiver, err: GatewayError): void {
  if (writer === undefined) route.sendError(res, err, callHeaders(call));
  else sendErrorEvent(writer, err);
}

/** Finishes a call and sends its answer; synchronous where all steps are left synchronously, as most are. */
function sendWhole({ call, finish }: RunningCall, reply: WholeReply, receiver: Receiver): void | Promise<void> {
  // The caller gets the usage that the provider reports; it may be billed for more.
  return andThen(resolveUsage(call), (usage) =>
    andThen(finish({ kind: isReplyOver(receiver.res) ? "abandoned" : "answered" }), (failure) => {
      if (failure !== undefined) return sendFailure(call, receiver, failure);
      return sendReply(call, reply, usage, receiver);
    }),
  );
}

function sendReply(
  call: Answered,
  reply: WholeReply,
  usage: CompletionUsage,
  { res, route: { dialect }, writer }: Receiver,
): void | Promise<void> {
  if (reply.kind === "complete" && repliesInEvents(call)) {
    if (writer === undefined && isReplyOver(res)) return undefined;
    return sendAsStream(writer ?? openStream(res, call), dialect.openEvents(call), { ...reply.completion, usage });
  }
  const headers = callHeaders(call);
  return andThen(dialect.toBody(call, reply, usage), (text) => sendJsonText(res, { status: 200, text, headers }));
}
