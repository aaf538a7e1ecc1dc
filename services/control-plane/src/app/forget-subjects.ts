import { Repetition } from "@gatehouse/async";
import type { Logger } from "@gatehouse/telemetry";
import { type AccessTokenStore, forgottenMax } from "../store/access-tokens.ts";

const intervalMs = 60_000;

/** Deletes subjects of issuers after their revocations have ended, so that they do not accumulate. */
export class ForgetSubjects {
  readonly #repetition: Repetition;

  constructor(tokens: Pick<AccessTokenStore, "forgetRevoked">, wallNow: () => number, log: Logger) {
    this.#repetition = new Repetition({
      intervalMs,
      async work(stopping) {
        while (!stopping.aborted && (await tokens.forgetRevoked(new Date(wallNow()))) === forgottenMax);
      },
      onFailure: (err) => {
        log.warn({ err }, "Subjects whose revocations have ended could not be forgotten; trying again.");
      },
    });
  }

  start(): void {
    this.#repetition.start();
  }

  async stop(): Promise<void> {
    await this.#repetition.stop();
  }
}
