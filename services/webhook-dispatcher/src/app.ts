import { bindAdmin } from "@gatehouse/admin";
import { Semaphore } from "@gatehouse/async";
import { createEgressDispatcher, createEgressGuard, type EgressGuard } from "@gatehouse/egress";
import { invalidArgument, isGatewayError } from "@gatehouse/errors";
import { createService, type OutboxKernel, type Service, type ServiceHost } from "@gatehouse/service";
import type { Dispatcher } from "undici";
import { type AdminContext, sentByHandMax } from "./admin/admin-context.ts";
import { operations } from "./admin/operations.ts";
import { createPostToReceiver } from "./clients/receiver.ts";
import type { WebhookDispatcherConfig } from "./config.ts";
import type { OnCheckpoint } from "./domain/delivery.ts";
import { createDeliveryMetrics } from "./metrics.ts";
import { createSecretVault, sealedColumns, type SecretVault } from "./secrets.ts";
import { createDeliveryQueue } from "./store/queue.ts";
import { deleteProject, openWebhookStore } from "./store/webhooks.ts";
import { createAttempt, signingKeys } from "./workers/attempt.ts";
import { DeliveryDispatcher, startLeaseMs } from "./workers/dispatcher.ts";
import { createEventConsumer } from "./workers/event-consumer.ts";
import { WebhookMaintenance } from "./workers/webhook-maintenance.ts";

/** `ServiceHost` with optional replacements of the egress, and checkpoints, for tests. */
export interface WebhookDispatcherDependencies extends ServiceHost {
  /** The gateway's own addresses, which webhooks may not call. */
  readonly ownAddresses?: readonly string[];
  /** The guarded egress; by default created from the configuration. */
  readonly guard?: EgressGuard;
  readonly dispatcher?: Dispatcher;
  /** Awaited at each step of a delivery, for tests that end the process there. */
  readonly onCheckpoint?: OnCheckpoint;
}

const migrations = new URL("../prisma/migrations", import.meta.url);
const pollIntervalMs = 100;
/** Interval of looking for work while idle; long, since new deliveries wake the dispatcher and leases last for seconds. */
const idlePollIntervalMs = 5_000;
/** Short: a receiver may close an idle connection just as it is used, which fails the delivery. */
const keepAliveTimeoutMs = 1_000;

/** The webhook dispatcher: consumes audit events, and sends each one, signed, once to every webhook that subscribes to it. */
export function createWebhookDispatcherService(
  config: WebhookDispatcherConfig,
  host: WebhookDispatcherDependencies,
): Service {
  const sealing = { keyring: config.keyring, columns: sealedColumns };
  const database = { config, schema: "webhook_dispatcher", migrations, sealing };
  return createService({ name: "webhook-dispatcher", host, database, outbox: true, feed: false }, (kernel) => {
    const vault = createSecretVault(config.keyring);
    const { maintenance, deliveries, queue, guard, dispatcher } = createWorkers(config, host, kernel, vault);
    const store = openWebhookStore(kernel);
    const context: AdminContext = {
      database: kernel.database,
      store,
      secrets: vault,
      checkUrl: async (url, argument) => await checkUrl(guard, url, argument),
      sendNow: async (delivery) => await deliveries.sendNow(delivery),
      sentByHand: new Semaphore(sentByHandMax),
      startLeaseMs: startLeaseMs(config),
    };
    const admin = bindAdmin({
      operations,
      context,
      answerOnce: store.answerOnce,
      deleteProject: async (projectUuid) => await deleteProject(store, projectUuid),
    });
    return {
      rpc: [admin],
      parts: [
        { name: "egress", stop: async () => await dispatcher.destroy() },
        {
          name: "maintenance",
          start: () => maintenance.start(),
          stop: () => maintenance.stop(),
          problems: () => maintenance.problems(),
        },
        {
          name: "deliveries",
          start: () => deliveries.start(),
          stop: () => deliveries.stop(),
          backlogs: async () => [{ name: "webhook deliveries to send", ...(await queue.countWaiting()) }],
        },
      ],
    };
  });
}

function createWorkers(
  config: WebhookDispatcherConfig,
  host: WebhookDispatcherDependencies,
  kernel: OutboxKernel,
  vault: SecretVault,
) {
  const { telemetry, database, log } = kernel;
  const metrics = createDeliveryMetrics(telemetry.metrics);
  const maintenance = new WebhookMaintenance({
    database,
    keys: vault,
    canSign: ({ source, secrets, readAt }) => signingKeys({ source, secrets, at: readAt }, vault.derive) !== undefined,
    metrics,
    log,
    retentionDays: config.retentionDays,
  });
  const { guard, dispatcher } = createEgress(config, host);
  const attempt = createAttempt({
    post: createPostToReceiver(dispatcher, guard.parse),
    derive: vault.derive,
    onSecret: (webhookId, isFaulty) => maintenance.recordSecret(webhookId, isFaulty),
    headerPrefix: config.headerPrefix,
    timeoutMs: config.timeoutMs,
    tracing: telemetry.tracing,
  });
  const bounds = { ...config, pollIntervalMs, idlePollIntervalMs };
  const queue = createDeliveryQueue(database);
  const { onCheckpoint } = host;
  const deliveries = new DeliveryDispatcher({ queue, attempt, bounds, metrics, log, onCheckpoint });
  kernel.consume(createEventConsumer(database, log, (webhookIds) => deliveries.wake(webhookIds)));
  return { maintenance, deliveries, queue, guard, dispatcher };
}

function createEgress(
  { egress, timeoutMs, inFlightMax }: WebhookDispatcherConfig,
  { guard: given, dispatcher, ownAddresses = [], telemetry }: WebhookDispatcherDependencies,
) {
  const guard = given ?? createEgressGuard({ allow: egress.allow, ownAddresses, logger: telemetry.log });
  return {
    guard,
    dispatcher:
      dispatcher ??
      createEgressDispatcher({
        guard,
        // Not bounded per host: queues bound the deliveries of one webhook, and webhooks on one host must not wait for each
        // other.
        connectionsMax: inFlightMax,
        connectTimeoutMs: timeoutMs,
        keepAliveTimeoutMs,
        headersTimeoutMs: 0,
        bodyTimeoutMs: 0,
      }),
  };
}

/** A URL that the guard refuses is an invalid argument, which the administrator can fix. */
async function checkUrl(guard: EgressGuard, url: string, argument: string): Promise<void> {
  try {
    await guard.checkToSave(url, argument);
  } catch (err) {
    if (!isGatewayError(err) || err.code !== "ssrf_blocked") throw err;
    throw invalidArgument(err.message, { details: err.details, cause: err });
  }
}
