import type { AbortState } from "@gatehouse/async";
import { AttemptClock } from "../exchange/attempt-clock.ts";
import { type Attempt, givenUp, type ProviderAddress, type ProviderError } from "../provider.ts";

/** Time of a call to the mock provider, under the bounds and abort signal of a call over a network. */
export class MockRun {
  readonly clock: AttemptClock;
  readonly #signal: AbortState;
  #failure: ProviderError | undefined;
  #interrupt: ((err: ProviderError) => void) | undefined;
  readonly #onAbort = () => this.#fail(givenUp());

  constructor({ provider }: ProviderAddress, { bounds, signal }: Attempt, streaming: boolean) {
    this.#signal = signal;
    this.clock = new AttemptClock(provider, bounds, streaming, (err) => this.#fail(err));
    this.clock.connected();
    this.clock.sent();
    if (signal.aborted) this.#onAbort();
    else signal.addEventListener("abort", this.#onAbort, { once: true });
  }

  /** Resolves after `ms`, 0 being the next turn; rejects when a bound runs out or the call is aborted. */
  async pause(ms: number): Promise<void> {
    await this.#interruptible((resolve) => {
      if (ms === 0) {
        const immediate = setImmediate(resolve);
        return () => clearImmediate(immediate);
      }
      const timer = setTimeout(resolve, ms);
      return () => clearTimeout(timer);
    });
  }

  /** Never resolves; rejects when a bound runs out or the call is aborted. */
  async stall(): Promise<void> {
    await this.#interruptible(() => () => undefined);
  }

  end(): void {
    this.clock.stop();
    this.#signal.removeEventListener("abort", this.#onAbort);
  }

  #interruptible(start: (resolve: () => void) => () => void): Promise<void> {
    return new Promise((resolve, reject) => {
      if (this.#failure !== undefined) {
        reject(this.#failure);
        return;
      }
      const stop = start(() => {
        this.#interrupt = undefined;
        resolve();
      });
      this.#interrupt = (err) => {
        stop();
        reject(err);
      };
    });
  }

  #fail(err: ProviderError): void {
    this.#failure = err;
    this.end();
    this.#interrupt?.(err);
    this.#interrupt = undefined;
  }
}
