import type { LazySignal } from "@gatehouse/async";
import type { DeadlineOptions } from "nice-grpc-client-middleware-deadline";
import { deadlineExceeded, remainingMs } from "./error-mapping.ts";

/** Bounds of a call; the caller's signal may be one that is made when it is read. */
export interface LocalCallOptions extends DeadlineOptions {
  readonly signal?: AbortSignal;
  readonly abort?: LazySignal;
}

/**
 * One call within this process: ends with the caller's signal or deadline without waiting for the service. Most calls complete
 * synchronously, so a timer and a signal are created only for a call that is still running after all immediate work, or whose
 * service asks for its signal.
 */
export class LocalCall {
  readonly #caller: AbortSignal | LazySignal | undefined;
  /** Deadline of the call, in milliseconds of `performance.now()`. */
  readonly #lateAt: number | undefined;
  #onCallerAbort: (() => void) | undefined;
  #abort: AbortController | undefined;
  #timer: NodeJS.Timeout | undefined;
  #isReleased = false;

  constructor({ signal, abort, deadline }: LocalCallOptions) {
    this.#caller = signal ?? abort;
    this.#lateAt = deadline === undefined ? undefined : performance.now() + remainingMs(deadline);
  }

  /** Signal for the service: aborted when the caller aborts, or the call is late or over. */
  get signal(): AbortSignal {
    return (this.#abort ??= this.#watch()).signal;
  }

  /** @throws an `AbortError`, or GatewayError `deadline_exceeded`. */
  throwIfOver(): void {
    if (this.#abort !== undefined || this.#caller?.aborted === true) this.signal.throwIfAborted();
  }

  /** Settles like the value, or rejects as soon as the call is over. */
  async race<T>(value: T | PromiseLike<T>): Promise<T> {
    if (!isPromiseLike(value) || !this.#canEnd) return await value;
    const winner = Promise.withResolvers<T>();
    let isSettled = false;
    let signal: AbortSignal | undefined;
    const onAbort = () => winner.reject(signal?.reason as Error);
    // In the next tick, after the reactions of all promises settled by now.
    process.nextTick(() => {
      if (isSettled) return;
      ({ signal } = this);
      if (signal.aborted) onAbort();
      else signal.addEventListener("abort", onAbort);
    });
    value.then(winner.resolve, winner.reject);
    try {
      const settled = await winner.promise;
      // An end before the call was watched has not been reported.
      if (signal === undefined) this.throwIfOver();
      return settled;
    } finally {
      isSettled = true;
      signal?.removeEventListener("abort", onAbort);
    }
  }

  /** Reports the caller's abort to the service, with its reason if the caller has sent one. Call after `release`. */
  abort(reason?: Error): void {
    (this.#abort ??= new AbortController()).abort(reason);
  }

  /** Releases the caller's signal and the timer. Call once the call is over. */
  release(): void {
    this.#isReleased = true;
    clearTimeout(this.#timer);
    if (this.#onCallerAbort !== undefined) this.#callerSignal?.removeEventListener("abort", this.#onCallerAbort);
  }

  get #callerSignal(): AbortSignal | undefined {
    return this.#caller === undefined || this.#caller instanceof AbortSignal ? this.#caller : this.#caller.signal;
  }

  get #canEnd(): boolean {
    return this.#abort !== undefined || this.#caller !== undefined || this.#lateAt !== undefined;
  }

  #watch(): AbortController {
    const abort = new AbortController();
    if (this.#isReleased) return abort;
    const signal = this.#callerSignal;
    if (signal?.aborted === true) abort.abort(signal.reason);
    this.#onCallerAbort = () => abort.abort(signal?.reason);
    signal?.addEventListener("abort", this.#onCallerAbort);
    if (this.#lateAt !== undefined) {
      const leftMs = Math.max(0, this.#lateAt - performance.now());
      this.#timer = setTimeout(() => abort.abort(deadlineExceeded()), leftMs);
    }
    return abort;
  }
}

function isPromiseLike<T>(value: T | PromiseLike<T>): value is PromiseLike<T> {
  return typeof value === "object" && value !== null && "then" in value;
}
