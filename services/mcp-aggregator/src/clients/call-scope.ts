import { UpstreamFailure } from "../domain/upstream-failure.ts";

/** Deadline and cancellation of one call. Cheaper than composed signals, since one is created per call. Must be disposed of. */
export class CallScope implements Disposable {
  readonly #signal: AbortSignal | undefined;
  readonly #timer: NodeJS.Timeout;
  readonly #listeners = new Set<(failure: UpstreamFailure) => void>();
  readonly #onAbort = () => this.end(new UpstreamFailure("cancelled"));
  /** Failure that ended the call; undefined while it is in progress. */
  failure: UpstreamFailure | undefined;

  constructor(timeoutMs: number, /** Signal of the caller that waits. */ signal?: AbortSignal) {
    this.#signal = signal;
    this.#timer = setTimeout(() => this.end(new UpstreamFailure("timeout")), timeoutMs);
    if (signal?.aborted === true) this.#onAbort();
    else signal?.addEventListener("abort", this.#onAbort, { once: true });
  }

  /** Calls `listener` when the call ends, at once if it has. @returns a function that unsubscribes */
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

  /** Settles like `promise`, or rejects if the call ends first. */
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
