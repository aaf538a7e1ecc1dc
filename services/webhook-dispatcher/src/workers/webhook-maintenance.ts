import { Repetition } from "@gatehouse/async";
import type { Database } from "@gatehouse/database";
import type { Logger } from "@gatehouse/telemetry";
import type { DeliveryMetrics } from "../metrics.ts";
import { hasDeleted, removeDeleted, removeOld } from "../store/clean-up.ts";
import { countRoots, sampleRoots } from "../store/roots.ts";
import { readSecrets, type StoredSecrets } from "../store/stored-secrets.ts";

interface MaintenanceOptions {
  readonly database: Database;
  readonly keys: { opens(projectUuid: string, sealedRoot: string): boolean };
  /** Whether a webhook's secrets can be derived. */
  readonly canSign: (webhook: StoredSecrets) => boolean;
  readonly metrics: DeliveryMetrics;
  readonly log: Logger;
  readonly retentionDays: number;
  /** For tests: intervals of both kinds of work, milliseconds. */
  readonly intervals?: { readonly removeMs: number; readonly checkMs: number };
}

const usualIntervals = { removeMs: 5_000, checkMs: 60_000 };

/** Removes deleted and old data, and monitors that all root keys open. */
export class WebhookMaintenance {
  readonly #options: MaintenanceOptions;
  readonly #faultyWebhooks = new Set<number>();
  readonly #repetitions: readonly Repetition[];
  #unopened: readonly string[] = [];

  constructor(options: MaintenanceOptions) {
    const { database, retentionDays, intervals: { removeMs, checkMs } = usualIntervals } = options;
    this.#options = options;
    this.#repetitions = [
      this.#repeat(removeMs, async () => {
        if (await hasDeleted(database)) await removeDeleted(database);
        await this.#checkSecrets();
      }),
      this.#repeat(checkMs, async (stopping) => {
        await this.#checkRoots();
        while (!stopping.aborted && (await removeOld(database, retentionDays)));
      }),
    ];
  }

  /** Checks the keyring first; removals, which may take long, follow. @throws without the database */
  async start(): Promise<void> {
    await this.#checkRoots();
    for (const each of this.#repetitions) each.start();
  }

  async stop(): Promise<void> {
    await Promise.all(this.#repetitions.map(async (each) => await each.stop()));
  }

  /** Called at each attempt with whether its webhook's secrets could be derived. */
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

  /** For readiness; contains no secret. */
  problems(): readonly string[] {
    const problems = this.#unopened.map((id) => `roots sealed under the key "${id}" do not open with this keyring`);
    if (this.#faultyWebhooks.size > 0) {
      problems.push(`the signing secrets of ${this.#faultyWebhooks.size} webhooks cannot be derived`);
    }
    return problems;
  }

  async #checkRoots(): Promise<void> {
    const { database, keys, metrics, log } = this.#options;
    const samples = await sampleRoots(database);
    const unopened = samples.filter(({ projectUuid, sealedRoot }) => !keys.opens(projectUuid, sealedRoot));
    this.#unopened = unopened.map(({ sealedRoot }) => sealedRoot.split(".")[1] ?? "");
    if (unopened.length > 0)
      log.error(
        { key_ids: this.#unopened },
        "Root keys of webhooks do not open with this keyring; /readyz says how to put the keys back.",
      );
    metrics.setRoots(await countRoots(database));
  }

  /**
   * Forgets faults of webhooks that were deleted, deactivated or given another secret, which may never receive a delivery again.
   */
  async #checkSecrets(): Promise<void> {
    const { database, canSign } = this.#options;
    if (this.#faultyWebhooks.size === 0) return;
    const asked = [...this.#faultyWebhooks];
    const stored = await readSecrets(database, asked);
    const faulty = new Set(stored.filter((each) => !canSign(each)).map(({ source }) => source.webhookId));
    for (const id of asked) if (!faulty.has(id)) this.#faultyWebhooks.delete(id);
  }

  #repeat(intervalMs: number, work: (stopping: AbortSignal) => Promise<unknown>): Repetition {
    const onFailure = (err: unknown) => {
      this.#options.log.debug({ err }, "Maintenance failed; it is done again later.");
    };
    return new Repetition({ intervalMs, work, onFailure });
  }
}
