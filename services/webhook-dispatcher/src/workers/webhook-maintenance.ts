import type { Database } from "@gatehouse/database";
import type { Logger } from "@gatehouse/telemetry";
import type { DeliveryMetrics } from "../metrics.ts";
import { hasDeleted, removeDeleted, removeOld } from "../store/clean-up.ts";
import { countRoots, resealRoots, sampleRoots, type SealedRoot } from "../store/roots.ts";

/** The part of the keyring that maintenance uses. */
interface RootKeys {
  readonly currentKeyId: string;
  opens(projectUuid: string, sealedRoot: string): boolean;
  reseal(projectUuid: string, sealedRoot: string): string;
}

interface MaintenanceOptions {
  readonly database: Database;
  readonly keys: RootKeys;
  readonly metrics: DeliveryMetrics;
  readonly log: Logger;
  readonly retentionDays: number;
}

const removeIntervalMs = 5_000;
const checkIntervalMs = 60_000;

/** Removes what was deleted or is old, reseals roots when the keyring has a new first key, and watches that all of them open. */
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
    await this.#resealAll();
    metrics.setRoots(await countRoots(database));
    while (!this.#isStopping && (await removeOld(database, retentionDays)));
  }

  async #resealAll(): Promise<void> {
    const { database, keys, log } = this.#options;
    let resealed = 0;
    let afterUuid: string | undefined = "";
    while (afterUuid !== undefined && !this.#isStopping) {
      const from = { currentKeyId: keys.currentKeyId, afterUuid };
      afterUuid = await resealRoots(database, from, (root) => {
        const sealed = this.#reseal(root);
        if (sealed !== undefined) resealed += 1;
        return sealed;
      });
    }
    if (resealed > 0) log.info({ resealed }, "Root keys of webhooks were sealed under the keyring's current key.");
  }

  #reseal({ projectUuid, sealedRoot }: SealedRoot): string | undefined {
    const { keys } = this.#options;
    return keys.opens(projectUuid, sealedRoot) ? keys.reseal(projectUuid, sealedRoot) : undefined;
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
