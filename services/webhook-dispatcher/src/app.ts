import { bindAdmin } from "@gatehouse/admin";
import { createOutboxRelay } from "@gatehouse/audit";
import { type Database, isAnswering, openDatabase } from "@gatehouse/database";
import { createEgressDispatcher, createEgressGuard, type EgressGuard } from "@gatehouse/egress";
import { GatewayError, isGatewayError } from "@gatehouse/errors";
import type { EventTransport } from "@gatehouse/events";
import type { Readiness, Service } from "@gatehouse/service";
import type { Telemetry } from "@gatehouse/telemetry";
import type { Dispatcher } from "undici";
import type { AdminContext } from "./admin/admin-context.ts";
import { deliveryOperations } from "./admin/delivery-operations.ts";
import { webhookOperations } from "./admin/webhook-operations.ts";
import { createPostToReceiver } from "./clients/receiver.ts";
import type { WebhookDispatcherConfig } from "./config.ts";
import type { OnCheckpoint } from "./domain/checkpoint.ts";
import { Places } from "./domain/places.ts";
import { createDeliveryMetrics } from "./metrics.ts";
import { createSecretVault, type SecretVault } from "./secrets.ts";
import { createDeliveryQueue } from "./store/queue.ts";
import { createWebhookStore } from "./store/webhook-store.ts";
import { deleteProject } from "./store/webhooks.ts";
import { createAttempt } from "./workers/attempt.ts";
import { DeliveryDispatcher, startLeaseMs } from "./workers/dispatcher.ts";
import { createEventConsumer } from "./workers/ingest-events.ts";
import { Upkeep } from "./workers/upkeep.ts";

export interface WebhookDispatcherOverrides {
  readonly telemetry: Telemetry;
  /** Brings audit events, and takes this service's own. The host starts and stops it. */
  readonly events: EventTransport;
  /** Addresses that the gateway listens on, which no webhook may call. */
  readonly ownAddresses?: readonly string[];
  /** The guarded way out; made from the configuration when absent. */
  readonly guard?: EgressGuard;
  readonly dispatcher?: Dispatcher;
  /** Called and awaited at each step of a delivery. For tests that end the process there. */
  readonly onCheckpoint?: OnCheckpoint;
}

const migrations = new URL("../prisma/migrations", import.meta.url);
const pollIntervalMs = 100;
const takeOverIntervalMs = 1_000;
/** Tests and repetitions at once: they go beside the lanes. */
const sentByHandMax = 256;
/** Receivers close idle connections when they like; one that is closed just as it is used costs a delivery. */
const keepAliveTimeoutMs = 1_000;

/** Webhooks: takes audit events in, and sends each one, signed, to every webhook that it is for, once. */
export function createWebhookDispatcherService(
  config: WebhookDispatcherConfig,
  overrides: WebhookDispatcherOverrides,
): Service {
  const { log } = overrides.telemetry;
  const database = openDatabase({
    url: config.databaseUrl,
    schema: "webhook_dispatcher",
    connectionsMax: config.databaseConnectionsMax,
    log,
  });
  const vault = createSecretVault(config.keyring);
  const { relay, upkeep, deliveries, guard, dispatcher } = createWorkers(config, overrides, { database, vault });
  const store = createWebhookStore(database, () => relay.wake());
  const context: AdminContext = {
    database,
    transact: store.transact,
    secrets: vault,
    checkUrl: async (url) => await checkUrl(guard, url),
    sendNow: async (delivery) => await deliveries.sendNow(delivery),
    places: new Places(sentByHandMax),
    startLeaseMs: startLeaseMs(config),
  };
  const admin = bindAdmin({
    operations: [...webhookOperations, ...deliveryOperations],
    context,
    deleteProject: async (projectUuid) => await deleteProject(store.transact, projectUuid),
  });
  return {
    name: "webhook-dispatcher",
    rpc: [admin],
    async start() {
      await database.migrate(migrations);
      await upkeep.start();
      relay.start();
      deliveries.start();
    },
    async stop() {
      await deliveries.stop();
      await relay.stop();
      await upkeep.stop();
      await dispatcher.destroy();
      await store.close();
      await database.close();
    },
    readiness: async () => await readReadiness(database, upkeep),
  };
}

interface Foundations {
  readonly database: Database;
  readonly vault: SecretVault;
}

function createWorkers(
  config: WebhookDispatcherConfig,
  overrides: WebhookDispatcherOverrides,
  { database, vault }: Foundations,
) {
  const { telemetry, events, onCheckpoint } = overrides;
  const { log, metrics: registry } = telemetry;
  const metrics = createDeliveryMetrics(registry);
  const relay = createOutboxRelay({
    database,
    transport: events,
    service: "webhook-dispatcher",
    log,
    metrics: registry,
  });
  const upkeep = new Upkeep({ database, keys: vault, metrics, log, retentionDays: config.retentionDays });
  const { guard, dispatcher } = createWayOut(config, overrides);
  const attempt = createAttempt({
    post: createPostToReceiver(dispatcher, guard.parse),
    derive: vault.derive,
    onSecret: (webhookId, isFaulty) => upkeep.noteSecret(webhookId, isFaulty),
    headerPrefix: config.headerPrefix,
    timeoutMs: config.timeoutMs,
    tracing: telemetry.tracing,
  });
  const bounds = { ...config, pollIntervalMs, takeOverIntervalMs };
  const queue = createDeliveryQueue(database);
  const deliveries = new DeliveryDispatcher({ queue, attempt, bounds, metrics, log, onCheckpoint });
  events.consume(createEventConsumer({ database, log, onStored: (webhookIds) => deliveries.wake(webhookIds) }));
  return { relay, upkeep, deliveries, guard, dispatcher };
}

function createWayOut(
  { egress, timeoutMs, inFlightMax }: WebhookDispatcherConfig,
  { guard: given, dispatcher, ownAddresses = [], telemetry }: WebhookDispatcherOverrides,
) {
  const guard = given ?? createEgressGuard({ allow: egress.allow, ownAddresses, logger: telemetry.log });
  return {
    guard,
    dispatcher:
      dispatcher ??
      createEgressDispatcher({
        guard,
        // Lanes bound what goes to one webhook; many webhooks may name one host, and none is to wait for another.
        connectionsMax: inFlightMax,
        connectTimeoutMs: timeoutMs,
        keepAliveTimeoutMs,
        headersTimeoutMs: 0,
        bodyTimeoutMs: 0,
      }),
  };
}

/** A URL that the guard refuses is an invalid argument here, for the administrator to fix. */
async function checkUrl(guard: EgressGuard, url: string): Promise<void> {
  try {
    await guard.checkToSave(url);
  } catch (err) {
    if (!isGatewayError(err) || err.code !== "ssrf_blocked") throw err;
    throw new GatewayError("invalid_argument", err.message, { details: err.details, cause: err });
  }
}

async function readReadiness(database: Database, upkeep: Upkeep): Promise<Readiness> {
  const problems = [...upkeep.problems()];
  if (!(await isAnswering(database))) problems.push("the database is not available");
  return { ready: problems.length === 0, problems };
}
