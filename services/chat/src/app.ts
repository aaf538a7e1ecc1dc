import { hostname } from "node:os";
import { ChangeFeed, type Database, isDatabaseUnavailable, openDatabase } from "@gatehouse/database";
import { type GatewayLog, noGatewayLog } from "@gatehouse/gateway-log";
import { isReady, type Readiness, type Service } from "@gatehouse/service";
import type { Logger, Telemetry } from "@gatehouse/telemetry";
import { createGuardrailClient, type GuardrailRpc } from "./clients/guardrail.ts";
import { createProviderAdapters } from "./clients/providers/index.ts";
import type { ChatConfig } from "./config.ts";
import { EndpointCatalog } from "./domain/endpoint-catalog.ts";
import type { Step } from "./domain/pipeline.ts";
import { loadPriceBook } from "./domain/pricing/index.ts";
import { ProviderHealth } from "./domain/health/provider-health.ts";
import { createFitHistory } from "./domain/sessions/fit-history.ts";
import { createSteps } from "./domain/steps/index.ts";
import type { Admit } from "./domain/steps/rate-limit.ts";
import { countMessageTokens, countTokens } from "./domain/token-count.ts";
import { createGuardrailRecord } from "./guardrail-record.ts";
import { createSurfaces } from "./http/surfaces.ts";
import { createProviderMetrics } from "./metrics.ts";
import { bindChatAdmin } from "./rpc/chat-admin.ts";
import { bindChatCalls } from "./rpc/chat-calls.ts";
import { listActiveEndpoints, listExposedEndpoints } from "./store/active-endpoints.ts";
import { type Allowances, createAllowances } from "./store/allowances.ts";
import { createStoreContext, parseChange } from "./store/chat-store.ts";
import { createEndpointLoader } from "./store/compiled-endpoints.ts";
import { createSessionStore, type SessionStore } from "./store/sessions.ts";

export interface ChatOverrides {
  readonly telemetry: Telemetry;
  /** The guardrail service; the caller closes what is behind it. */
  readonly guardrail: GuardrailRpc;
  /** Where the outcome of each call goes; started and stopped by the caller. Nowhere when absent. */
  readonly gatewayLog?: GatewayLog;
  /** Milliseconds of a monotonic clock. */
  readonly now?: () => number;
  /** Stands around each step of the pipeline; for tests that watch them. */
  readonly wrapStep?: (step: Step) => Step;
}

const monotonicNow = (): number => performance.now();

const migrations = new URL("../prisma/migrations", import.meta.url);

/** The chat service: AI endpoints, providers, credentials, and the pipeline that every chat call runs through. */
export function createChatService(
  config: ChatConfig,
  { telemetry, guardrail, gatewayLog = noGatewayLog, now = monotonicNow, wrapStep = (step) => step }: ChatOverrides,
): Service {
  const { log } = telemetry;
  const { databaseUrl: url, databaseConnectionsMax: connectionsMax } = config;
  const database = openDatabase({ url, schema: "chat", connectionsMax, log });
  const changes = new ChangeFeed(database, log);
  const store = createStoreContext(database, changes);
  const catalog = createCatalog(database, config, now);
  const adapters = createProviderAdapters({ log });
  const health = createProviderHealth(telemetry, now);
  const sessions = createSessionStore(database, log);
  const allowances = createLedger(database, config, log);
  const parts = { catalog, sessions, allowances, adapters, health, now };
  const steps = composeSteps({ ...parts, config, telemetry, guardrail, gatewayLog });
  const admit: Admit = (principal) => allowances.admit(principal);
  const calls = { steps: steps.map(wrapStep), admit, log, tracing: telemetry.tracing };

  return {
    name: "chat",
    rpc: [
      bindChatAdmin({ store, allowances, keyring: config.keyring, health, now }),
      ...bindChatCalls({
        ...calls,
        listExposedEndpoints: async (projectUuid) => await listExposedEndpoints(database, projectUuid),
      }),
    ],
    http: createSurfaces({
      ...calls,
      gatewayLog,
      listModels: async (projectUuid) => await listActiveEndpoints(database, projectUuid),
      body: { sizeBytesMax: config.bodySizeBytesMax, timeoutMs: config.bodyTimeoutMs },
    }),
    async start() {
      await database.migrate(migrations);
      changes.subscribe({ onChange: (payload) => forget(catalog, payload), onGap: () => catalog.forgetAll() });
      await changes.start();
      await allowances.start();
      // Loading the vocabulary blocks for a fifth of a second, which no call should have to wait for.
      await countTokens("");
      sessions.start();
    },
    async stop() {
      sessions.stop();
      await allowances.stop();
      await changes.stop();
      await adapters.close();
      await store.prisma.$disconnect();
      await database.close();
    },
    readiness: async () => await databaseReadiness(database),
  };
}

function createLedger(database: Database, { spillFolder }: ChatConfig, log: Logger): Allowances {
  return createAllowances({
    database,
    log,
    replicaId: hostname(),
    spillFolder,
    onBudgetEvent: ({ kind, ...event }) => log.warn(event, kind),
  });
}

interface StepSources {
  readonly config: ChatConfig;
  readonly telemetry: Telemetry;
  readonly catalog: EndpointCatalog;
  readonly sessions: SessionStore;
  readonly allowances: Allowances;
  readonly adapters: ReturnType<typeof createProviderAdapters>;
  readonly health: ProviderHealth;
  readonly guardrail: GuardrailRpc;
  readonly gatewayLog: GatewayLog;
  readonly now: () => number;
}

function composeSteps(sources: StepSources): readonly Step[] {
  const { config, telemetry, catalog, sessions, allowances, adapters, health, guardrail, gatewayLog, now } = sources;
  return createSteps({
    log: { append: (entry) => gatewayLog.append(entry), now: Date.now },
    findEndpoint: (projectUuid, slug) => catalog.find(projectUuid, slug),
    admit: (principal) => allowances.admit(principal),
    session: {
      takeTurn: async (key, signal) => await sessions.takeTurn(key, signal),
      fit: createFitHistory(loadPriceBook),
    },
    budget: {
      reserve: (request) => allowances.reserve(request),
      settle: (reservation, usage) => allowances.settle(reservation, usage),
      release: (reservation) => allowances.release(reservation),
      loadPrices: loadPriceBook,
      now: Date.now,
    },
    tokenCap: { countMessageTokens },
    guardrails: {
      client: createGuardrailClient({
        rpc: guardrail,
        timeoutMs: config.guardrailTimeoutMs,
        now,
        tracing: telemetry.tracing,
      }),
      record: createGuardrailRecord(telemetry.log, telemetry.metrics),
    },
    provider: {
      adapterFor: adapters.adapterFor,
      bounds: config.attemptBounds,
      deadlineMs: config.callDeadlineMs,
      tracing: telemetry.tracing,
      health,
      now,
    },
  });
}

function createProviderHealth({ log, metrics }: Telemetry, now: () => number): ProviderHealth {
  const health: ProviderHealth = new ProviderHealth({
    now,
    onTransition(provider, to) {
      counts.observeTransition(provider, to);
      log.warn({ provider, circuit: to }, "A provider's circuit breaker has changed.");
    },
  });
  const counts = createProviderMetrics(metrics, () => health.reports());
  return health;
}

function createCatalog(database: Database, { keyring }: ChatConfig, now: () => number): EndpointCatalog {
  const load = createEndpointLoader(database, keyring);
  return new EndpointCatalog({ load, now, isUnavailable: isDatabaseUnavailable });
}

function forget(catalog: EndpointCatalog, payload: string): void {
  const change = parseChange(payload);
  if (change.subject === "endpoint") catalog.forget(change.projectUuid, change.slug);
  else catalog.forgetAll();
}

async function databaseReadiness({ pool }: Database): Promise<Readiness> {
  try {
    await pool.query("SELECT 1");
    return isReady;
  } catch {
    return { ready: false, problems: ["the database is not available"] };
  }
}
