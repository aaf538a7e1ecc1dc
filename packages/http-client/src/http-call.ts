import { Readable } from "node:stream";
import { throwUncaught } from "@gatehouse/async";
import type { Dispatcher } from "undici";
import type { ReplyFields, ReplyHead } from "./reply-head.ts";
import type { RequestBody, RequestHead } from "./request-head.ts";

/** The queue in which a call waits, or the connection on which it runs. */
export interface CallPlace {
  /** Ends the work for a call that was given up. */
  drop(call: HttpCall): void;
  pause(): void;
  resume(): void;
}

/** undici's handler, which also learns of a call that waits for a connection, so that it can be given up meanwhile. */
export interface CallHandler extends Dispatcher.DispatchHandler {
  onRequestQueued?(controller: Dispatcher.DispatchController): void;
}

export interface CallRequest extends RequestHead {
  readonly method: string;
  readonly body: RequestBody;
  /** Whether the connection ends with the reply. */
  readonly isLast: boolean;
  /** Longest wait for the reply's head once the request is sent, ms; 0 for none. */
  readonly headersTimeoutMs: number;
  /** Longest silence inside the reply, ms; 0 for none. */
  readonly bodyTimeoutMs: number;
}

/**
 * One request and its reply, and the controller of its handler; it has no effect on the calls after it on its connection. An
 * exception of the handler fails the call; those of `head` and `bytes` pass, since they end the connection too.
 */
export class HttpCall implements Dispatcher.DispatchController {
  readonly rawHeaders = null;
  readonly rawTrailers = null;
  readonly request: CallRequest;
  aborted = false;
  paused = false;
  reason: Error | null = null;
  readonly #handler: CallHandler;
  #place: CallPlace | undefined;
  #isOver = false;

  constructor(request: CallRequest, handler: CallHandler) {
    this.request = request;
    this.#handler = handler;
    if (request.body instanceof Readable) this.#follow(request.body);
  }

  get isOver(): boolean {
    return this.#isOver;
  }

  abort(reason: Error): void {
    if (this.#isOver) return;
    this.aborted = true;
    this.reason = reason;
    const place = this.#place;
    place?.drop(this);
    this.fail(reason);
  }

  /** At most one read of the connection still arrives. */
  pause(): void {
    this.paused = true;
    this.#place?.pause();
  }

  resume(): void {
    this.paused = false;
    this.#place?.resume();
  }

  /** The call waits for a connection. */
  queue(place: CallPlace): void {
    this.#place = place;
    this.#guard(() => this.#handler.onRequestQueued?.(this));
  }

  /** The call has a connection, on which nothing was written for it. @returns whether it still needs one */
  begin(place: CallPlace): boolean {
    this.#place = undefined;
    this.#guard(() => this.#handler.onRequestStart?.(this, {}));
    if (!this.#isOver) this.#place = place;
    return !this.#isOver;
  }

  sent(): void {
    this.#guard(() => this.#handler.onRequestSent?.());
  }

  head({ status, fields }: ReplyHead): void {
    this.#handler.onResponseStart?.(this, status, fields, "");
  }

  bytes(bytes: Buffer): void {
    this.#handler.onResponseData?.(this, bytes);
  }

  end(trailers: ReplyFields): void {
    if (this.#isOver) return;
    this.#settle();
    try {
      this.#handler.onResponseEnd?.(this, trailers);
    } catch (cause) {
      this.#report(cause);
    }
  }

  fail(cause: unknown): void {
    if (this.#isOver) return;
    this.#settle();
    // The source of an unread body would wait for its reader.
    if (this.request.body instanceof Readable) this.request.body.destroy();
    this.#report(cause);
  }

  /** Ends the call where its body fails, also while it waits for a connection. */
  #follow(body: Readable): void {
    const close = () => {
      if (!body.readableEnded)
        this.abort(body.errored ?? new Error("The body of the request was closed before its end."));
    };
    body.on("error", (cause) => this.abort(cause));
    body.on("close", close);
    if (body.destroyed) process.nextTick(close);
  }

  #guard(listen: () => void): void {
    if (this.#isOver) return;
    try {
      listen();
    } catch (cause) {
      this.abort(toError(cause));
    }
  }

  #report(cause: unknown): void {
    try {
      this.#handler.onResponseError?.(this, toError(cause));
    } catch (defect) {
      throwUncaught(defect);
    }
  }

  #settle(): void {
    this.#isOver = true;
    this.#place = undefined;
  }
}

function toError(cause: unknown): Error {
  return cause instanceof Error ? cause : new Error(String(cause));
}
