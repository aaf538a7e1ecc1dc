import type { IncomingHttpHeaders } from "node:http";
import type { Duplex } from "node:stream";
import type { GatewayError } from "@gatehouse/errors";
import type { Dispatcher } from "undici";
import { carrierBounds } from "./bounds.ts";
import { endOfCall } from "./call-end.ts";

type Controller = Dispatcher.DispatchController;

/**
 * The caller's side of a call on a separate connection: handler for undici, and controller for the caller's handler. An abort with
 * an error that was sent instead of the reply is announced on the shared connection, and the process ends the call: to a process,
 * a closed connection is a client that has left. The connection is closed here where the process does not end the call in time.
 */
export class NamedCall implements Dispatcher.DispatchHandler, Controller {
  readonly rawHeaders = null;
  readonly rawTrailers = null;
  readonly #handler: Dispatcher.DispatchHandler;
  readonly #announce: (end: GatewayError) => boolean;
  #undici: Controller | undefined;
  /** Before that, the process does not know the call. */
  #isSent = false;
  #announced: GatewayError | undefined;
  #timer: NodeJS.Timeout | undefined;

  /** @param announce announces the end of the call; false where it cannot */
  constructor(handler: Dispatcher.DispatchHandler, announce: (end: GatewayError) => boolean) {
    this.#handler = handler;
    this.#announce = announce;
  }

  get aborted(): boolean {
    return this.#announced !== undefined || this.#undici?.aborted === true;
  }

  get paused(): boolean {
    return this.#undici?.paused === true;
  }

  get reason(): Error | null {
    return this.#announced ?? this.#undici?.reason ?? null;
  }

  pause(): void {
    this.#undici?.pause();
  }

  resume(): void {
    this.#undici?.resume();
  }

  abort(reason: Error): void {
    if (this.aborted) return;
    const end = this.#isSent ? endOfCall(reason) : undefined;
    if (end === undefined || !this.#announce(end)) return this.#undici?.abort(reason);
    this.#announced = end;
    this.#timer = setTimeout(() => this.#undici?.abort(end), carrierBounds.endMs).unref();
    // A paused connection would not show that it is closed.
    this.resume();
  }

  onRequestStart(controller: Controller, context: unknown): void {
    // undici may send the request again, on another connection.
    if (this.#announced !== undefined) return controller.abort(this.#announced);
    this.#undici = controller;
    this.#isSent = false;
    this.#handler.onRequestStart?.(this, context);
    this.#isSent = true;
  }

  // oxlint-disable-next-line max-params -- undici's own.
  onRequestUpgrade(_controller: Controller, status: number, headers: IncomingHttpHeaders, socket: Duplex): void {
    clearTimeout(this.#timer);
    this.#handler.onRequestUpgrade?.(this, status, headers, socket);
  }

  // oxlint-disable-next-line max-params -- undici's own.
  onResponseStart(_controller: Controller, status: number, headers: IncomingHttpHeaders, message?: string): void {
    if (!this.aborted) this.#handler.onResponseStart?.(this, status, headers, message);
  }

  onResponseData(_controller: Controller, chunk: Buffer): void {
    if (!this.aborted) this.#handler.onResponseData?.(this, chunk);
  }

  onResponseEnd(_controller: Controller, trailers: IncomingHttpHeaders): void {
    clearTimeout(this.#timer);
    if (this.#announced === undefined) this.#handler.onResponseEnd?.(this, trailers);
    else this.#handler.onResponseError?.(this, this.#announced);
  }

  onResponseError(_controller: Controller | undefined, cause: Error): void {
    clearTimeout(this.#timer);
    this.#handler.onResponseError?.(this, this.#announced ?? cause);
  }
}
