import { GatewayError } from "@gatehouse/errors";

/** A bound on work that is done at once; what finds no place is refused, not queued. */
export class Places {
  readonly #max: number;
  #taken = 0;

  constructor(max: number) {
    this.#max = max;
  }

  /** @throws GatewayError `unavailable` where all places are taken; else as the work does. */
  async use<T>(work: () => Promise<T>): Promise<T> {
    if (this.#taken >= this.#max) {
      throw new GatewayError("unavailable", "Too many deliveries are being sent by hand.", { retryAfterSeconds: 1 });
    }
    this.#taken += 1;
    try {
      return await work();
    } finally {
      this.#taken -= 1;
    }
  }
}
