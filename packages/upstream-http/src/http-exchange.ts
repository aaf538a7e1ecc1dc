import type { IncomingHttpHeaders } from "node:http";
import { inCheckPhase } from "@gatehouse/async";
import type { Dispatcher } from "undici";
import { type ReplyHeaders, toReplyHeaders } from "./reply-headers.ts";
import { toSentBody } from "./sent-body.ts";

/** Sender of requests: a dispatcher of undici, or the client of packages/http-client. */
export type RequestDispatcher = Pick<Dispatcher, "dispatch">;

/** One request. Its owner bounds it: undici's time-outs restart with every byte. */
export interface HttpRequest {
  readonly origin: string;
  readonly path: string;
  readonly method: Dispatcher.HttpMethod;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string | Uint8Array | null;
  /** Longest wait for the reply's head, and longest silence inside the reply, ms; 0 for none. */
  readonly idleTimeoutMs?: number;
}

/** Receives a reply piece by piece. Either `onEnd` or `onFailure` is called once, last. */
export interface ExchangeListener {
  /** Connected, with nothing written yet. An exception ends the exchange before its first byte. */
  onConnected?(): void;
  onSent?(): void;
  /** The final head; interim ones (1xx) are skipped. */
  onHead(status: number, headers: ReplyHeaders): void;
  onBytes(bytes: Buffer): void;
  onEnd(): void;
  /** The transport's error, or the listener's exception. */
  onFailure(cause: unknown): void;
}

/**
 * One HTTP request and its reply, passed piece by piece to a listener. The only user of undici's dispatcher for calls to
 * upstreams, since a stream and a promise for each reply would cost more than the exchange. A failure, including an exception of
 * the listener, ends only this exchange, and closes its connection.
 */
export class HttpExchange implements Dispatcher.DispatchHandler {
  readonly #listener: ExchangeListener;
  #controller: Dispatcher.DispatchController | undefined;
  #isOver = false;
  /** Reason for the listener where this side ended the exchange. */
  #abandonedFor: Error | undefined;
  #wasSent = false;

  constructor(listener: ExchangeListener) {
    this.#listener = listener;
  }

  /** Sends the request after the reads of this turn of the event loop; call once. One that cannot be sent fails like any other. */
  start(dispatcher: RequestDispatcher, request: HttpRequest): void {
    inCheckPhase(() => {
      if (this.#isOver) return;
      try {
        this.#send(dispatcher, request);
      } catch (cause) {
        this.#fail(cause);
      }
    });
  }

  /** Whether the request may have begun to be written; before that it cannot have been executed. */
  get wasSent(): boolean {
    return this.#wasSent;
  }

  get isPaused(): boolean {
    return this.#controller?.paused === true;
  }

  pause(): void {
    this.#controller?.pause();
  }

  resume(): void {
    this.#controller?.resume();
  }

  /** Ends it without notifying the listener. A request that still waits for its connection is never sent. */
  abandon(reason = new Error("The exchange was given up.")): void {
    if (this.#isOver) return;
    this.#isOver = true;
    this.#abandonedFor = reason;
    this.#controller?.abort(reason);
  }

  /** The request waits for a connection; only packages/http-client says so. */
  onRequestQueued(controller: Dispatcher.DispatchController): void {
    this.#controller = controller;
  }

  onRequestStart(controller: Dispatcher.DispatchController): void {
    this.#controller = controller;
    if (this.#isOver) {
      controller.abort(this.#abandonedFor ?? new Error("The exchange is over."));
      return;
    }
    this.#guard(() => this.#listener.onConnected?.());
    this.#wasSent = !this.#isOver;
  }

  onRequestSent(): void {
    this.#guard(() => this.#listener.onSent?.());
  }

  onResponseStart(_controller: Dispatcher.DispatchController, status: number, headers: IncomingHttpHeaders): void {
    if (status >= 200) this.#guard(() => this.#listener.onHead(status, toReplyHeaders(headers)));
  }

  onResponseData(_controller: Dispatcher.DispatchController, bytes: Buffer): void {
    this.#guard(() => this.#listener.onBytes(bytes));
  }

  onResponseEnd(): void {
    if (this.#isOver) return;
    this.#isOver = true;
    const listener = this.#listener;
    try {
      listener.onEnd();
    } catch (cause) {
      listener.onFailure(cause);
    }
  }

  onResponseError(_controller: Dispatcher.DispatchController, cause: Error): void {
    this.#fail(cause);
  }

  #send(dispatcher: RequestDispatcher, request: HttpRequest): void {
    const { origin, path, method, headers, body, idleTimeoutMs = 0 } = request;
    const bounds = { headersTimeout: idleTimeoutMs, bodyTimeout: idleTimeoutMs };
    const sent = toSentBody(body);
    dispatcher.dispatch(
      { origin, path, method, headers: { ...headers, ...sent.headers }, body: sent.body, ...bounds },
      this,
    );
  }

  #fail(cause: unknown): void {
    if (this.#isOver) return;
    this.abandon();
    this.#listener.onFailure(cause);
  }

  #guard(listen: () => unknown): void {
    if (this.#isOver) return;
    try {
      listen();
    } catch (cause) {
      this.#fail(cause);
    }
  }
}
