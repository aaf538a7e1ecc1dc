import type { Semaphore } from "@gatehouse/async";
import type { Database } from "@gatehouse/database";
import type { SecretRecord, SecretSource } from "../domain/signing-secret.ts";
import type { StartedDelivery } from "../store/started-delivery.ts";
import type { WebhookStore } from "../store/webhooks.ts";

/** Creates root keys and secrets; see src/secrets.ts. */
interface SecretMaker {
  newRoot(projectUuid: string): string;
  newSecret(
    source: SecretSource,
    version: number,
  ): { readonly plaintext: { reveal(): string }; readonly record: SecretRecord };
}

/** Concurrent tests and repetitions in one process, which bypass the queues. */
export const sentByHandMax = 256;

/** Last argument of every `prepare` and `run` of this service's operations; built once, in `createWebhookDispatcherService`. */
export interface AdminContext {
  readonly database: Database;
  readonly store: WebhookStore;
  readonly secrets: SecretMaker;
  /** @throws GatewayError `invalid_argument` with the guard's message, its detail and the argument's name */
  readonly checkUrl: (url: string, argument: string) => Promise<void>;
  /** Sends a started delivery, and waits until its outcome is recorded. */
  readonly sendNow: (delivery: StartedDelivery) => Promise<void>;
  /** Tests and repetitions in progress; one without a free slot is refused. */
  readonly sentByHand: Semaphore;
  /** Longest time of a delivery that is created as started, milliseconds. */
  readonly startLeaseMs: number;
}
