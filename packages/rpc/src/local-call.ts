import type { CallOptions } from "nice-grpc";
import type { DeadlineOptions } from "nice-grpc-client-middleware-deadline";
import { remainingMs } from "./abort.ts";
import { deadlineExceeded } from "./error-mapping.ts";

/** One call within this process: joins the caller's signal and its deadline, and lets neither wait for the service. */
export class LocalCall {
  readonly #abort = new AbortController();
  readonly #callerSignal: AbortSignal | undefined;
  readonly #timer: NodeJS.Timeout | undefined;
  readonly #onCallerAbort = () => this.#abort.abort();

  constructor({ signal, deadline }: CallOptions & DeadlineOptions) {
    this.#callerSignal = signal;
    if (signal?.aborted === true) this.#onCallerAbort();
    signal?.addEventListener("abort", this.#onCallerAbort);
    if (deadline !== undefined) {
      this.#timer = setTimeout(() => this.#abort.abort(deadlineExceeded()), remainingMs(deadline));
    }
  }

  /** What the service sees: aborted when the caller gives up, or the call is late or over. */
  get signal(): AbortSignal {
    return this.#abort.signal;
  }

  /** @throws an `AbortError`, or GatewayError `deadline_exceeded`. */
  throwIfOver(): void {
    this.#abort.signal.throwIfAborted();
  }

  /** Settles as the value does, or fails as soon as the call is over. */
  async race<T>(value: T | PromiseLike<T>): Promise<T> {
    const { signal } = this.#abort;
    let onAbort = () => {};
    const over = new Promise<never>((_resolve, reject) => {
      onAbort = () => reject(signal.reason as Error);
    });
    signal.addEventListener("abort", onAbort);
    try {
      return await Promise.race([value, over]);
    } finally {
      signal.removeEventListener("abort", onAbort);
    }
  }

  /** Tells the service that nobody waits any more. */
  abort(): void {
    this.#abort.abort();
  }

  /** Lets go of the caller's signal and of the timer. To be called once the call is over. */
  release(): void {
    clearTimeout(this.#timer);
    this.#callerSignal?.removeEventListener("abort", this.#onCallerAbort);
  }
}
