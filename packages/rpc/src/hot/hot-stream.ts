import { RequestMap } from "@gatehouse/async";
import { endOfAbort, type GatewayError, serviceUnavailable } from "@gatehouse/errors";
import { afterReading } from "@gatehouse/peers";
import type { CarryRequest, CarryResponse, HotCall, HotReply } from "@gatehouse/proto/hot-stream";
import { ClientError, Status } from "nice-grpc";
import { fromFailure, markUnsent, toEnd } from "../error-mapping.ts";
import { hotStreamBounds } from "./bounds.ts";
import { FrameQueue } from "./frame-queue.ts";

/** Call for a {@link HotStream}: `path` is `/<service>/<method>`, `request` is encoded, `timeoutMs` is the time left. */
export interface CallToSend {
  readonly path: string;
  readonly request: Uint8Array;
  readonly timeoutMs: number;
  readonly metadata: Record<string, string>;
  readonly signal: AbortSignal | undefined;
}

interface OutgoingFrame {
  readonly bytes: number;
  readonly id: number;
  /** Absent for the cancellation of a call. */
  readonly call?: HotCall;
  /** The encoded error that the caller of a cancelled call got; absent where it has left. */
  readonly end?: Buffer | undefined;
  isDropped: boolean;
}

interface CallInFlight {
  readonly frame: OutgoingFrame;
  readonly path: string;
  isSent: boolean;
  readonly resolve: (reply: Uint8Array) => void;
  readonly reject: (err: unknown) => void;
  readonly release: () => void;
}

/** Bytes of a call apart from its request and its method: ids, times and tags. */
const frameOverheadBytes = 64;
const idMax = 2 ** 32;

/** Opens the stream: takes outgoing messages, and returns incoming ones. */
export type OpenStream = (requests: AsyncIterable<CarryRequest>) => AsyncIterable<CarryResponse>;

/** Caller side of one hot stream. Every call ends: by its reply, its deadline, its signal, or with the stream. */
export class HotStream {
  readonly #inFlight = new RequestMap<number, CallInFlight>();
  readonly #queue = new FrameQueue<OutgoingFrame>();
  /** Current identity of the caller. */
  readonly #identity: () => string;
  /** Called when no further call should be sent here, and again with the reason when the stream has ended. */
  readonly #onOver: (stream: HotStream, err: unknown) => void;
  #sentIdentity = "";
  #lastId = 0;
  #isEnding = false;

  constructor(open: OpenStream, identity: () => string, onOver: (stream: HotStream, err: unknown) => void) {
    this.#identity = identity;
    this.#onOver = onOver;
    void this.#receive(open(this.#send()));
  }

  /**
   * Sends a call.
   * @returns the encoded reply.
   * @throws GatewayError `unavailable` when too many calls are in flight; the error of the call or of the stream.
   */
  call(call: CallToSend): Promise<Uint8Array> {
    const bytes = call.request.byteLength + call.path.length + frameOverheadBytes;
    const { inFlightMax, waitingBytesMax } = hotStreamBounds;
    if (this.#inFlight.size >= inFlightMax || this.#queue.waitingBytes + bytes > waitingBytesMax) throw overfull();
    const id = this.#newId();
    const { path, request, timeoutMs, metadata } = call;
    const frame = {
      bytes,
      id,
      call: { id, method: path, timeoutMs, request: toBuffer(request), metadata },
      isDropped: false,
    };
    return new Promise<Uint8Array>((resolve, reject) => {
      this.#inFlight.set(id, { frame, path, isSent: false, resolve, reject, release: this.#bound(id, call) });
      this.#queue.push(frame);
    });
  }

  /** Takes no further call; ends its side once those in flight have ended. */
  end(): void {
    this.#isEnding = true;
    if (this.#inFlight.size === 0) this.#queue.end();
  }

  /** Ends the call at its deadline and with its signal. */
  #bound(id: number, { path, timeoutMs, signal }: CallToSend): () => void {
    const late = () => this.#cancel(id, new ClientError(path, Status.DEADLINE_EXCEEDED, "The call's deadline passed."));
    const forget = afterReading(late, timeoutMs);
    if (signal === undefined) return forget;
    const onAbort = () => this.#cancel(id, signal.reason);
    signal.addEventListener("abort", onAbort);
    return () => {
      forget();
      signal.removeEventListener("abort", onAbort);
    };
  }

  #cancel(id: number, reason: unknown): void {
    const call = this.#remove(id);
    if (call === undefined) return;
    call.frame.isDropped = true;
    if (call.isSent) this.#queue.push(toCancellation(id, reason));
    call.reject(reason);
    this.#endWhenDone();
  }

  /** Identity to send; empty where the other side already has it. */
  #newIdentity(): string {
    const identity = this.#identity();
    if (identity === this.#sentIdentity) return "";
    this.#sentIdentity = identity;
    return identity;
  }

  async *#send(): AsyncGenerator<CarryRequest> {
    for await (const frames of this.#queue.batches()) {
      const message: CarryRequest = { calls: [], cancelledIds: [], identity: this.#newIdentity(), ends: [] };
      for (const { id, call, end, isDropped } of frames) {
        // The call was aborted after its frame had left the queue.
        if (isDropped) continue;
        if (call === undefined) message.cancelledIds.push(id);
        else message.calls.push(call);
        if (end !== undefined) message.ends.push({ id, error: end });
        const inFlight = this.#inFlight.get(id);
        if (inFlight !== undefined) inFlight.isSent = true;
      }
      yield message;
    }
  }

  async #receive(messages: AsyncIterable<CarryResponse>): Promise<void> {
    let reason: unknown = new ClientError("", Status.UNAVAILABLE, "The stream has ended.");
    try {
      for await (const { replies, draining } of messages) {
        for (const reply of replies) this.#answer(reply);
        if (draining) this.#drain();
        this.#endWhenDone();
      }
    } catch (err) {
      reason = err;
    }
    this.#onOver(this, reason);
    this.#queue.end();
    for (const id of this.#inFlight.keys()) this.#lose(id, reason);
  }

  #drain(): void {
    this.#onOver(this, undefined);
    this.#isEnding = true;
  }

  #answer({ id, response, failure }: HotReply): void {
    const call = this.#remove(id);
    if (call === undefined) return;
    if (failure === undefined) call.resolve(response);
    else call.reject(fromFailure(call.path, failure));
  }

  /** Ends a call whose stream ended before its reply. */
  #lose(id: number, reason: unknown): void {
    const call = this.#remove(id);
    if (call === undefined) return;
    const status = reason instanceof ClientError ? reason.code : Status.UNAVAILABLE;
    const kept = streamRefusals.has(status) ? status : Status.UNAVAILABLE;
    const err = new ClientError(call.path, kept, reason instanceof Error ? reason.message : "The stream was lost.");
    call.reject(call.isSent ? err : markUnsent(err));
  }

  #remove(id: number): CallInFlight | undefined {
    const call = this.#inFlight.take(id);
    call?.release();
    return call;
  }

  #endWhenDone(): void {
    if (this.#isEnding && this.#inFlight.size === 0) this.#queue.end();
  }

  #newId(): number {
    do this.#lastId = (this.#lastId + 1) % idMax;
    while (this.#inFlight.has(this.#lastId));
    return this.#lastId;
  }
}

/** The service learns the error that the caller got instead of the reply, for its log. */
function toCancellation(id: number, reason: unknown): OutgoingFrame {
  const sent = endOfAbort({ reason });
  const end = sent === undefined || sent.code === "cancelled" ? undefined : toEnd(sent);
  return { bytes: frameOverheadBytes + (end?.byteLength ?? 0), id, end, isDropped: false };
}

/** Statuses by which the other side refuses the stream and all its calls; any other end is a lost connection. */
const streamRefusals: ReadonlySet<Status> = new Set([
  Status.UNIMPLEMENTED,
  Status.UNAUTHENTICATED,
  Status.PERMISSION_DENIED,
]);

function overfull(): GatewayError {
  return serviceUnavailable(new Error("Too many calls wait for one process of a service."));
}

function toBuffer(bytes: Uint8Array): Buffer {
  return Buffer.isBuffer(bytes) ? bytes : Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
}
