import { endOfAbort, type GatewayError } from "@gatehouse/errors";

/**
 * The reply to one HTTP request, whose requests may end long before it is sent. What is logged of them waits here until it is
 * known whether their caller gets it.
 */
export class PendingReply {
  readonly #left: AbortSignal;
  #waiting: ((end: GatewayError | undefined) => void)[] | undefined = [];
  readonly #onLeft = () => this.settle();

  /** @param left aborted, with an end (`endOfAbort`), when the reply closes before it is sent */
  constructor(left: AbortSignal) {
    this.#left = left;
    if (left.aborted) this.settle();
    else left.addEventListener("abort", this.#onLeft, { once: true });
  }

  /** Calls `act` once the reply is about to be sent, or has closed early. @param act gets the error that was sent instead, if any */
  whenSettled(act: (end: GatewayError | undefined) => void): void {
    if (this.#waiting === undefined) act(endOfAbort(this.#left));
    else this.#waiting.push(act);
  }

  /** The reply is about to be sent. */
  settle(): void {
    this.#left.removeEventListener("abort", this.#onLeft);
    const waiting = this.#waiting ?? [];
    this.#waiting = undefined;
    for (const act of waiting) act(endOfAbort(this.#left));
  }
}
