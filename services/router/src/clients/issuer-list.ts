import type { Logger } from "@gatehouse/telemetry";
import type { TrustedIssuers } from "../domain/trusted-issuers.ts";
import type { PrincipalsClient } from "./principals.ts";

/** Pause before a failed read of the list is repeated. */
const retryMs = 1_000;

/** Keeps the list of trusted issuers current: reads it after each change that may concern it, one read at a time. */
export class IssuerList {
  readonly #client: PrincipalsClient;
  readonly #issuers: TrustedIssuers;
  readonly #timeoutMs: number;
  readonly #log: Logger;
  #reading: Promise<void> | undefined;
  #isOutdated = false;
  #retry: NodeJS.Timeout | undefined;
  #isStopped = false;

  constructor(client: PrincipalsClient, issuers: TrustedIssuers, timeoutMs: number, log: Logger) {
    this.#client = client;
    this.#issuers = issuers;
    this.#timeoutMs = timeoutMs;
    this.#log = log;
  }

  /** Reads the list after a change; a read in progress is repeated, since it may predate the change. */
  renew(): void {
    if (this.#isStopped) return;
    if (this.#reading !== undefined) {
      this.#isOutdated = true;
      return;
    }
    this.#reading = this.#read().finally(() => {
      this.#reading = undefined;
      if (!this.#isOutdated) return;
      this.#isOutdated = false;
      this.renew();
    });
  }

  stop(): void {
    this.#isStopped = true;
    clearTimeout(this.#retry);
  }

  async #read(): Promise<void> {
    clearTimeout(this.#retry);
    try {
      const reply = await this.#client.listTrustedIssuers({}, { signal: AbortSignal.timeout(this.#timeoutMs) });
      this.#issuers.replace(reply.issuers);
    } catch (err) {
      if (this.#isStopped) return;
      this.#log.debug({ err }, "The trusted issuers could not be read.");
      this.#retry = setTimeout(() => this.renew(), retryMs);
      this.#retry.unref();
    }
  }
}
