import type { Logger } from "@gatehouse/telemetry";
import { type AccessTokenStore, forgottenMax } from "../store/access-tokens.ts";

const intervalMs = 60_000;

export interface ForgetSubjectsOptions {
  readonly tokens: Pick<AccessTokenStore, "forgetRevoked">;
  readonly now: () => Date;
  readonly log: Logger;
}

/** Forgets subjects of issuers when their revocations have ended, so that they do not add up. */
export class ForgetSubjects {
  readonly #options: ForgetSubjectsOptions;
  #timer: NodeJS.Timeout | undefined;
  #running: Promise<void> = Promise.resolve();

  constructor(options: ForgetSubjectsOptions) {
    this.#options = options;
  }

  start(): void {
    this.#timer = setInterval(() => {
      this.#running = this.#run();
    }, intervalMs);
    this.#timer.unref();
  }

  async stop(): Promise<void> {
    clearInterval(this.#timer);
    await this.#running;
  }

  /** Never rejects: what is left is tried again. */
  async #run(): Promise<void> {
    const { tokens, now, log } = this.#options;
    try {
      while ((await tokens.forgetRevoked(now())) === forgottenMax);
    } catch (err) {
      log.warn({ err }, "Subjects whose revocations have ended could not be forgotten; trying again.");
    }
  }
}
