import type { Logger } from "@gatehouse/telemetry";
import type { TrustedIssuers } from "../domain/trusted-issuers.ts";
import type { PrincipalsClient } from "./principals.ts";

/** Rest before a list that could not be read is asked for again. */
const retryMs = 1_000;

export interface IssuerListOptions {
  readonly client: PrincipalsClient;
  readonly issuers: TrustedIssuers;
  readonly timeoutMs: number;
  readonly log: Logger;
}

/** Keeps the list of trusted issuers true: it is read again after each change that may concern it, one question at a time. */
export class IssuerList {
  readonly #options: IssuerListOptions;
  #reading: Promise<void> | undefined;
  #isOutdated = false;
  #retry: NodeJS.Timeout | undefined;
  #isStopped = false;

  constructor(options: IssuerListOptions) {
    this.#options = options;
  }

  /** Something may have changed. What is on its way already may have been read before that. */
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
    const { client, issuers, timeoutMs, log } = this.#options;
    clearTimeout(this.#retry);
    try {
      const reply = await client.listTrustedIssuers({}, { signal: AbortSignal.timeout(timeoutMs) });
      issuers.replace(reply.issuers);
    } catch (err) {
      if (this.#isStopped) return;
      log.debug({ err }, "The trusted issuers could not be read.");
      this.#retry = setTimeout(() => this.renew(), retryMs);
      this.#retry.unref();
    }
  }
}
