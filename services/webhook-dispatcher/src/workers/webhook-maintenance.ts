import type { Database } from "@gatehouse/database";
import type { Logger } from "@gatehouse/telemetry";
import type { DeliveryMetrics } from "../metrics.ts";
import { hasDeleted, removeDeleted, removeOld } from "../store/clean-up.ts";
import { countRoots, sampleRoots } from "../store/roots.ts";

interface MaintenanceOptions {
  readonly database: Database;
  readonly keys: { opens(projectUuid: string, sealedRoot: string): boolean };
  readonly metrics: DeliveryMetrics;
  readonly log: Logger;
  readonly retentionDays: number;
}

const removeIntervalMs = 5_000;
const checkIntervalMs = 60_000;

/** Removes what was deleted or is old, and watches that all roots open. */
export class WebhookMaintenance {
  readonly #options: MaintenanceOptions;
  readonly #faultyWebhooks = new Set<number>();
  #unopened: readonly string[] = [];
  #timers: NodeJS.Timeout[] = [];
  #running: Promise<unknown> = Promise.resolve();
  #isStopping = false;

  constructor(options: MaintenanceOptions) {
    this.#options = options;
  }

  /** Checks the keyring first. @throws where the database is away. */
  async start(): Promise<void> {
    await this.#check();
    this.#repeat(removeIntervalMs, async () => {
      if (await hasDeleted(this.#options.database)) await removeDeleted(this.#options.database);
    });
    this.#repeat(checkIntervalMs, async () => await this.#check());
  }

  async stop(): Promise<void> {
    this.#isStopping = true;
    for (const timer of this.#timers) clearTimeout(timer);
    await this.#running;
  }

  /** Receives at each attempt whether its webhook's secrets could be derived. */
  recordSecret(webhookId: number, isFaulty: boolean): void {
    if (!isFaulty) this.#faultyWebhooks.delete(webhookId);
    else if (!this.#faultyWebhooks.has(webhookId)) {
      this.#faultyWebhooks.add(webhookId);
      this.#options.log.error(
        { webhook_id: webhookId },
        "A webhook's signing secret cannot be derived; nothing is sent to it.",
      );
    }
  }

  /** For readiness; names no secret. */
  problems(): readonly string[] {
    const problems = this.#unopened.map((id) => `roots sealed under the key "${id}" do not open with this keyring`);
    if (this.#faultyWebhooks.size > 0) {
      problems.push(`the signing secrets of ${this.#faultyWebhooks.size} webhooks cannot be derived`);
    }
    return problems;
  }

  async #check(): Promise<void> {
    const { database, keys, metrics, log, retentionDays } = this.#options;
    const samples = await sampleRoots(database);
    const unopened = samples.filter(({ projectUuid, sealedRoot }) => !keys.opens(projectUuid, sealedRoot));
    this.#unopened = unopened.map(({ sealedRoot }) => sealedRoot.split(".")[1] ?? "");
    if (unopened.length > 0)
      log.error({ key_ids: this.#unopened }, "Root keys of webhooks do not open with this keyring.");
    metrics.setRoots(await countRoots(database));
    while (!this.#isStopping && (await removeOld(database, retentionDays)));
  }

  #repeat(intervalMs: number, work: () => Promise<unknown>): void {
    const at = this.#timers.length;
    const next = () => {
      if (this.#isStopping) return;
      this.#timers[at] = setTimeout(() => {
        this.#running = work()
          .catch((err: unknown) => this.#options.log.debug({ err }, "Maintenance failed; it is done again later."))
          .finally(next);
      }, intervalMs);
    };
    next();
  }
}
