import { findFreePort } from "@gatehouse/ports";

/** Ports of one product's start, all chosen before anything listens, without duplicates. */
export class PortChoice {
  readonly #taken = new Set<number>();

  /** Excludes a port chosen by a setting. */
  take(port: number): void {
    this.#taken.add(port);
  }

  /** A port of loopback that is free now: `wanted`, or any other where that is 0, taken or in use. */
  async choose(wanted: number): Promise<number> {
    let preferred = wanted === 0 || this.#taken.has(wanted) ? undefined : wanted;
    for (;;) {
      const port = await findFreePort(preferred);
      if (!this.#taken.has(port)) {
        this.#taken.add(port);
        return port;
      }
      preferred = undefined;
    }
  }
}
