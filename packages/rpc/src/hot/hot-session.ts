import { RequestMap } from "@gatehouse/async";
import { callCancelled, serviceUnavailable, toAbortReason, toGatewayError } from "@gatehouse/errors";
import type { CarryRequest, CarryResponse, HotCall, HotEnd, HotFailure, HotReply } from "@gatehouse/proto/hot-stream";
import type { Logger } from "@gatehouse/telemetry";
import { type CallContext, ServerError, Status } from "nice-grpc";
import { fromEnd, isAbortError, logFailure, toFailure } from "../error-mapping.ts";
import { LazyContext } from "../lazy-context.ts";
import { LocalCall } from "../local-call.ts";
import { hotStreamBounds } from "./bounds.ts";
import { FrameQueue } from "./frame-queue.ts";
import type { HotMethod } from "./hot-methods.ts";

/** Hot method of a server with its handler, which gets the decoded request and rejects with the call's error. */
export interface ServedMethod {
  readonly method: HotMethod;
  readonly handle: (request: unknown, context: CallContext) => Promise<unknown>;
}

/** Returns the error of a refused call; undefined for an accepted one. */
export type CallCheck = (identity: string | undefined, path: string) => ServerError | undefined;

interface HotSessionOptions {
  /** Called for every call, with the caller's latest identity. */
  readonly check: CallCheck;
  /** Identity with which the stream was opened. */
  readonly identity: string | undefined;
  readonly methods: ReadonlyMap<string, ServedMethod>;
  readonly log: Logger;
  readonly peer: string;
}

interface ReplyFrame {
  readonly bytes: number;
  /** Absent: the stream is draining. */
  readonly reply?: HotReply;
}

/** Bytes of a reply apart from its response or failure texts: id and tags. */
const frameOverheadBytes = 64;
const none = Buffer.alloc(0);

/** Server side of one hot stream. Calls begin in the order of their frames and are answered as they end. */
export class HotSession {
  readonly #options: HotSessionOptions;
  readonly #inFlight = new RequestMap<number, LocalCall>();
  readonly #queue = new FrameQueue<ReplyFrame>();
  #identity: string | undefined;
  #isCallerDone = false;

  constructor(options: HotSessionOptions) {
    this.#options = options;
    this.#identity = options.identity;
  }

  /** Runs until the caller has ended its side and every call is answered, or until the signal fires. */
  async *carry(requests: AsyncIterable<CarryRequest>, signal: AbortSignal): AsyncGenerator<CarryResponse> {
    const onAbort = () => this.abort();
    signal.addEventListener("abort", onAbort);
    try {
      void this.#receive(requests);
      for await (const frames of this.#queue.batches()) yield toMessage(frames);
    } finally {
      signal.removeEventListener("abort", onAbort);
    }
  }

  drain(): void {
    this.#queue.push({ bytes: frameOverheadBytes });
  }

  /** Ends all calls of a stream that is over: its caller is gone, or this process stops. No client has left because of that. */
  abort(): void {
    const calls = this.#inFlight.keys().map((id) => this.#inFlight.take(id));
    this.#queue.end();
    const reason = toAbortReason(serviceUnavailable());
    for (const call of calls) if (call !== undefined) end(call, reason);
  }

  async #receive(requests: AsyncIterable<CarryRequest>): Promise<void> {
    try {
      for await (const { calls, cancelledIds, identity, ends } of requests) {
        if (identity !== "") this.#identity = identity;
        for (const call of calls) void this.#answer(call);
        if (cancelledIds.length > 0) this.#cancelAll(cancelledIds, ends);
      }
      this.#isCallerDone = true;
      this.#endWhenDone();
    } catch {
      // The stream has broken; its signal reports it too.
      this.abort();
    }
  }

  async #answer({ id, method: path, timeoutMs, request, metadata }: HotCall): Promise<void> {
    const served = this.#options.methods.get(path);
    if (served === undefined) return this.#refuse(id, new ServerError(Status.UNIMPLEMENTED, "No such hot method."));
    const refusal = this.#options.check(this.#identity, path);
    if (refusal !== undefined) return this.#refuse(id, refusal);
    if (this.#inFlight.size >= hotStreamBounds.inFlightMax) return this.#refuse(id, overfull());
    const call = new LocalCall({ deadline: timeoutMs });
    this.#inFlight.set(id, call);
    const reply = await this.#run(served, { request, context: new LazyContext(this.#options.peer, metadata, call) });
    call.release();
    // A later call may use the id again.
    if (this.#inFlight.get(id) !== call) return;
    this.#inFlight.take(id);
    if (this.#queue.waitingBytes + reply.response.byteLength <= hotStreamBounds.waitingReplyBytesMax) {
      this.#reply({ id, ...reply });
    } else this.#refuse(id, tooManyReplies());
    this.#endWhenDone();
  }

  async #run(
    { method, handle }: ServedMethod,
    { request, context }: { readonly request: Uint8Array; readonly context: CallContext },
  ): Promise<Omit<HotReply, "id">> {
    try {
      const response = await handle(method.requestType.decode(request), context);
      const encoded = method.responseType.encode(method.responseType.fromPartial(response)).finish();
      if (encoded.byteLength > hotStreamBounds.replyBytesMax) return { response: none, failure: toFailure(tooLarge()) };
      return { response: Buffer.from(encoded.buffer, encoded.byteOffset, encoded.byteLength) };
    } catch (err) {
      // A cancelled call gets no reply, so one whose signal has fired is late.
      if (isAbortError(err) && context.signal.aborted) return { response: none, failure: toFailure(late()) };
      return { response: none, failure: this.#toFailure(err, method.path) };
    }
  }

  #toFailure(err: unknown, path: string): HotFailure {
    if (isAbortError(err)) return toFailure(new ServerError(Status.CANCELLED, callCancelled().message));
    if (err instanceof ServerError) return toFailure(err);
    const failure = toGatewayError(err);
    logFailure(this.#options.log, failure, path);
    return toFailure(failure);
  }

  #refuse(id: number, err: ServerError): void {
    this.#reply({ id, response: none, failure: toFailure(err) });
  }

  #reply(reply: HotReply): void {
    const { response, failure } = reply;
    const failureBytes = failure === undefined ? 0 : Buffer.byteLength(failure.message) + failure.error.byteLength;
    this.#queue.push({ bytes: response.byteLength + failureBytes + frameOverheadBytes, reply });
  }

  #cancelAll(ids: readonly number[], ends: readonly HotEnd[]): void {
    const errors = new Map(ends.map(({ id, error }) => [id, error]));
    for (const id of ids) this.#cancel(id, toReason(errors.get(id)));
  }

  #cancel(id: number, reason: Error | undefined): void {
    const call = this.#inFlight.take(id);
    if (call !== undefined) end(call, reason);
    this.#endWhenDone();
  }

  #endWhenDone(): void {
    if (this.#isCallerDone && this.#inFlight.size === 0) this.#queue.end();
  }
}

function end(call: LocalCall, reason?: Error): void {
  call.release();
  call.abort(reason);
}

/** Reason of a cancellation: the error that the caller got; undefined if it has left. */
function toReason(error: Uint8Array | undefined): Error | undefined {
  const err = error && fromEnd(error);
  return err && toAbortReason(err);
}

function toMessage(frames: readonly ReplyFrame[]): CarryResponse {
  const message: CarryResponse = { replies: [], draining: false };
  for (const { reply } of frames) {
    if (reply === undefined) message.draining = true;
    else message.replies.push(reply);
  }
  return message;
}

function late(): ServerError {
  return new ServerError(Status.DEADLINE_EXCEEDED, "The call's deadline passed.");
}

function overfull(): ServerError {
  return new ServerError(Status.RESOURCE_EXHAUSTED, "Too many calls are in flight on this stream.");
}

function tooManyReplies(): ServerError {
  return new ServerError(Status.RESOURCE_EXHAUSTED, "Too many replies wait on this stream for their caller.");
}

function tooLarge(): ServerError {
  return new ServerError(Status.RESOURCE_EXHAUSTED, "The reply is a message larger than max.");
}
