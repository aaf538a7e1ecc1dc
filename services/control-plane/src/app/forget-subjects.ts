import type { Logger } from "@gatehouse/telemetry";
import { type AccessTokenStore, forgottenMax } from "../store/access-tokens.ts";

const intervalMs = 60_000;

/** Forgets subjects of issuers when their revocations have ended, so that they do not add up. */
export class ForgetSubjects {
  readonly #tokens: Pick<AccessTokenStore, "forgetRevoked">;
  readonly #wallNow: () => number;
  readonly #log: Logger;
  #timer: NodeJS.Timeout | undefined;
  #running: Promise<void> = Promise.resolve();

  constructor(tokens: Pick<AccessTokenStore, "forgetRevoked">, wallNow: () => number, log: Logger) {
    this.#tokens = tokens;
    this.#wallNow = wallNow;
    this.#log = log;
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
    try {
      while ((await this.#tokens.forgetRevoked(new Date(this.#wallNow()))) === forgottenMax);
    } catch (err) {
      this.#log.warn({ err }, "Subjects whose revocations have ended could not be forgotten; trying again.");
    }
  }
}
