import { UpstreamFailure } from "../domain/upstream-failure.ts";

/**
 * The bounds of one call: its time as a whole, and its caller's wish. Lighter than a signal made of signals, since one is made for
 * each call. Must be disposed of.
 */
export class CallScope implements Disposable {
  readonly #signal: AbortSignal | undefined;
  readonly #timer: NodeJS.Timeout;
  readonly #listeners = new Set<(failure: UpstreamFailure) => void>();
  readonly #onAbort = () => this.end(new UpstreamFailure("cancelled"));
  /** Failure that ended the call; undefined while it goes on. */
  failure: UpstreamFailure | undefined;

  constructor(timeoutMs: number, /** Signal of the caller that waits. */ signal?: AbortSignal) {
    this.#signal = signal;
    this.#timer = setTimeout(() => this.end(new UpstreamFailure("timeout")), timeoutMs);
    if (signal?.aborted === true) this.#onAbort();
    else signal?.addEventListener("abort", this.#onAbort, { once: true });
  }

  /** Tells `listener` when the call is over, at once where it is. @returns a function that ends the subscription. */
  onEnd(listener: (failure: UpstreamFailure) => void): () => void {
    if (this.failure !== undefined) {
      listener(this.failure);
      return () => {};
    }
    this.#listeners.add(listener);
    return () => void this.#listeners.delete(listener);
  }

  end(failure: UpstreamFailure): void {
    if (this.failure !== undefined) return;
    this.failure = failure;
    for (const listener of this.#listeners) listener(failure);
  }

  throwIfOver(): void {
    if (this.failure !== undefined) throw this.failure;
  }

  /** Settles as `promise` does, or rejects when the call is over before. */
  async race<T>(promise: Promise<T>): Promise<T> {
    const { promise: over, reject } = Promise.withResolvers<never>();
    const off = this.onEnd(reject);
    over.catch(() => {});
    try {
      return await Promise.race([promise, over]);
    } finally {
      off();
    }
  }

  [Symbol.dispose](): void {
    clearTimeout(this.#timer);
    this.#signal?.removeEventListener("abort", this.#onAbort);
    this.#listeners.clear();
  }
}
