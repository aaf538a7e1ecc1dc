import { GatewayError } from "@gatehouse/errors";
import type { PrincipalChange } from "../domain/principal-change.ts";

/** Unread changes after which a watcher is disconnected. */
export const pendingChangesMax = 10_000;

/**
 * Unread changes of one watcher. One that falls behind, or may have missed a change, is disconnected and by the contract drops
 * its whole cache, which is always safe.
 */
export class ChangeQueue {
  #pending: PrincipalChange[] = [];
  #failure: GatewayError | undefined;
  #ended = false;
  #wake: (() => void) | undefined;

  push(change: PrincipalChange): void {
    if (this.#pending.length >= pendingChangesMax) this.cutOff("This watcher reads too slowly.");
    else this.#pending.push(change);
    this.#wake?.();
  }

  cutOff(reason: string): void {
    this.#pending = [];
    this.#failure ??= new GatewayError("unavailable", reason, { retryAfterSeconds: 1 });
    this.#wake?.();
  }

  /** Ends {@link drain} without an error. */
  end(): void {
    this.#ended = true;
    this.#wake?.();
  }

  /** @throws GatewayError `unavailable` when the watcher is disconnected */
  async *drain(): AsyncGenerator<PrincipalChange> {
    while (!this.#ended) {
      if (this.#failure !== undefined) throw this.#failure;
      const change = this.#pending.shift();
      if (change === undefined) await this.#more();
      else yield change;
    }
  }

  async #more(): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#wake = resolve;
    await promise;
    this.#wake = undefined;
  }
}
