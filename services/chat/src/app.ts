import { hostname } from "node:os";
import { AuditQueue, createOutboxRelay, type OutboxRelay } from "@gatehouse/audit";
import {
  ChangeFeed,
  createResealer,
  type Database,
  isAnswering,
  isDatabaseUnavailable,
  openDatabase,
} from "@gatehouse/database";
import type { EventTransport } from "@gatehouse/events";
import { type GatewayLog, noGatewayLog } from "@gatehouse/gateway-log";
import { BlockSummaries, createGuardrailClient, type GuardrailRpc } from "@gatehouse/guardrail-client";
import { isReady, type Readiness, type Service } from "@gatehouse/service";
import type { Logger, Telemetry } from "@gatehouse/telemetry";
import { bindChatAdmin } from "./admin/bind.ts";
import { createProviderAdapters } from "@gatehouse/providers/adapters";
import type { ChatConfig } from "./config.ts";
import { EndpointCatalog } from "./app/endpoint-catalog.ts";
import { KnownProjects } from "./app/known-projects.ts";
import type { ListedStep, Pipeline } from "./app/pipeline.ts";
import { loadPriceBook, ProviderHealth } from "@gatehouse/providers";
import type { GuardrailEvent } from "./domain/guardrails/guardrail-record.ts";
import { FirstTokenPatience } from "./domain/first-token-patience.ts";
import { createFitHistory } from "./app/fit-history.ts";
import { createPipeline } from "./app/steps/index.ts";
import type { Admit } from "./app/steps/rate-limit.ts";
import { guardrailBlocked, type TargetRefusal, targetRefused } from "./events.ts";
import { createGuardrailRecord } from "./guardrail-record.ts";
import { createSurfaces } from "./http/surfaces.ts";
import { createProviderMetrics } from "./metrics.ts";
import { bindChatCalls } from "./rpc/chat-calls.ts";
import { listActiveEndpoints, listExposedEndpoints } from "./store/active-endpoints.ts";
import { type Allowances, createAllowances, type OnBudgetEvent } from "@gatehouse/limits";
import { createBudgetRecord } from "./store/budget-events.ts";
import { createStoreContext, parseChange } from "./store/chat-store.ts";
import { createEndpointLoader } from "./store/compiled-endpoints.ts";
import { sealedColumns } from "./store/credentials.ts";
import { type ChatWorkers, createWorkers } from "./workers/create-workers.ts";
import { createTokenConsumer } from "./workers/forget-tokens.ts";
import { createSessionStore, type SessionStore } from "./store/sessions.ts";

export interface ChatOverrides {
  readonly telemetry: Telemetry;
  /** The guardrail service; the caller closes what is behind it. */
  readonly guardrail: GuardrailRpc;
  /** Where audit events go; the caller starts and stops it. */
  readonly events: EventTransport;
  /** Where the outcome of each call goes; started and stopped by the caller. Nowhere when absent. */
  readonly gatewayLog?: GatewayLog;
  /** Milliseconds of a monotonic clock. */
  readonly now?: () => number;
  /** Stands around each step of the pipeline; for tests that watch them. */
  readonly wrapStep?: (step: ListedStep) => ListedStep;
}

const monotonicNow = (): number => performance.now();

const same = (step: ListedStep): ListedStep => step;

const migrations = new URL("../prisma/migrations", import.meta.url);

/** The chat service: AI endpoints, providers, credentials, and the pipeline that every chat call runs through. */
export function createChatService(config: ChatConfig, overrides: ChatOverrides): Service {
  const { telemetry, guardrail, events, gatewayLog = noGatewayLog, now = monotonicNow, wrapStep = same } = overrides;
  const { log } = telemetry;
  const { databaseUrl: url, databaseConnectionsMax: connectionsMax } = config;
  const database = openDatabase({ url, schema: "chat", connectionsMax, log });
  const changes = new ChangeFeed(database, log);
  const audit = composeAudit(database, events, telemetry);
  const store = createStoreContext(database, changes, () => audit.relay.wake());
  const resealer = createResealer({ database, keyring: config.keyring, columns: sealedColumns, telemetry });
  const catalog = createCatalog(database, config, now);
  const workers = createWorkers();
  const adapters = createProviderAdapters({ log, countTexts: workers.countTexts });
  const health = createProviderHealth(telemetry, now, audit.onRefused);
  const sessions = createSessions(database, events, log);
  const allowances = createLedger(database, config, { log, onBudgetEvent: audit.onBudgetEvent });
  const admit: Admit = (principal) => {
    audit.projects.note(principal.project);
    return allowances.admit(principal);
  };
  const parts = { catalog, sessions, allowances, admit, audit, adapters, workers, health, now };
  const pipeline = composePipeline({ ...parts, config, telemetry, guardrail, gatewayLog, wrapStep });
  const calls = { pipeline, admit, log, tracing: telemetry.tracing, countTexts: workers.countTexts };
  const lists = createLists(database);

  return {
    name: "chat",
    rpc: [
      bindChatAdmin({ store, allowances, keyring: config.keyring, checkText: workers.checkText, health, now }),
      ...bindChatCalls({ ...calls, ...lists }),
    ],
    http: createSurfaces({
      ...calls,
      ...lists,
      gatewayLog,
      body: { sizeBytesMax: config.bodySizeBytesMax, timeoutMs: config.bodyTimeoutMs },
    }),
    async start() {
      await database.migrate(migrations);
      changes.subscribe({ onChange: (payload) => forget(catalog, payload), onGap: () => catalog.forgetAll() });
      await changes.start();
      await allowances.start();
      await workers.start();
      sessions.start();
      resealer.start();
      audit.relay.start();
    },
    async stop() {
      sessions.stop();
      await resealer.stop();
      await allowances.stop();
      await audit.stop();
      await audit.relay.stop();
      await changes.stop();
      await adapters.close();
      workers.close();
      await store.prisma.$disconnect();
      await database.close();
    },
    readiness: async () => await checkReadiness(database, audit.relay),
  };
}

function createSessions(database: Database, events: EventTransport, log: Logger): SessionStore {
  const sessions = createSessionStore(database, log);
  events.consume(createTokenConsumer(async (tokenIds) => await sessions.forgetTokens(tokenIds)));
  return sessions;
}

/** What is listed of a project, read for each request. */
function createLists(database: Database) {
  return {
    listExposedEndpoints: async (projectUuid: string) => await listExposedEndpoints(database, projectUuid),
    listModels: async (projectUuid: string, slug?: string) => await listActiveEndpoints(database, projectUuid, slug),
  };
}

interface AuditParts {
  readonly relay: OutboxRelay;
  readonly blocks: BlockSummaries<GuardrailEvent>;
  /** Records what waits or was only counted. */
  readonly stop: () => Promise<void>;
  readonly projects: KnownProjects;
  readonly onBudgetEvent: OnBudgetEvent;
  readonly onRefused: (refusal: TargetRefusal) => void;
}

function composeAudit(database: Database, transport: EventTransport, { log, metrics }: Telemetry): AuditParts {
  const relay = createOutboxRelay({ database, transport, service: "chat", log, metrics });
  const projects = new KnownProjects();
  const queue = new AuditQueue({ database, log, onRecorded: () => relay.wake() });
  const blocks = new BlockSummaries<GuardrailEvent>({
    kindOf: ({ principal, endpointUuid, side }) => [principal.tokenId, principal.tokenName, endpointUuid, side],
    tell: async ({ event: { endpointUuid: uuid, slug, ...call }, block, count, since }) =>
      await queue.add(guardrailBlocked({ ...call, ...block, endpoint: { uuid, slug }, count, since })),
    now: Date.now,
  });
  return {
    relay,
    blocks,
    stop: async () => {
      await blocks.stop();
      await queue.stop();
    },
    projects,
    onRefused: (refusal) => void queue.add(targetRefused(refusal)),
    onBudgetEvent: createBudgetRecord({ findProject: (uuid) => projects.find(uuid), log }),
  };
}

interface LedgerOptions {
  readonly log: Logger;
  readonly onBudgetEvent: OnBudgetEvent;
}

function createLedger(database: Database, { spillFolder }: ChatConfig, options: LedgerOptions): Allowances {
  return createAllowances({ ...options, database, replicaId: hostname(), spillFolder });
}

interface StepSources {
  readonly config: ChatConfig;
  readonly telemetry: Telemetry;
  readonly catalog: EndpointCatalog;
  readonly sessions: SessionStore;
  readonly allowances: Allowances;
  readonly admit: Admit;
  readonly audit: AuditParts;
  readonly adapters: ReturnType<typeof createProviderAdapters>;
  readonly workers: ChatWorkers;
  readonly health: ProviderHealth;
  readonly guardrail: GuardrailRpc;
  readonly gatewayLog: GatewayLog;
  readonly wrapStep: (step: ListedStep) => ListedStep;
  readonly now: () => number;
}

function composePipeline(sources: StepSources): Pipeline {
  const { config, telemetry, catalog, sessions, allowances, adapters, health, guardrail, gatewayLog, now } = sources;
  const { log, metrics } = telemetry;
  const { steps } = createPipeline({
    log: { append: (entry) => gatewayLog.append(entry), now: Date.now },
    findEndpoint: (projectUuid, slug) => catalog.find(projectUuid, slug),
    admit: sources.admit,
    session: {
      takeTurn: async (key, signal) => await sessions.takeTurn(key, signal),
      fit: createFitHistory(loadPriceBook),
    },
    budget: {
      reserve: (request) => allowances.reserve(request),
      extend: async (reservation, claim) => await allowances.extend(reservation, claim),
      settle: (reservation, usage) => allowances.settle(reservation, usage),
      release: (reservation) => allowances.release(reservation),
      loadPrices: loadPriceBook,
      now: Date.now,
    },
    guardrails: {
      client: createGuardrailClient({
        rpc: guardrail,
        timeoutMs: config.guardrailTimeoutMs,
        now,
        tracing: telemetry.tracing,
      }),
      record: createGuardrailRecord({
        log,
        metrics,
        onBlocked: async (event, block) => await sources.audit.blocks.note(event, block),
      }),
    },
    schemas: { checkText: sources.workers.checkText },
    provider: {
      adapterFor: adapters.adapterFor,
      bounds: config.attemptBounds,
      patience: new FirstTokenPatience({ now, shortMs: config.firstTokenFailoverMs }),
      deadlineMs: config.callDeadlineMs,
      tracing: telemetry.tracing,
      health,
      now,
    },
  });
  return { steps: steps.map(sources.wrapStep) };
}

function createProviderHealth(
  { log, metrics }: Telemetry,
  now: () => number,
  onRefused: AuditParts["onRefused"],
): ProviderHealth {
  const health: ProviderHealth = new ProviderHealth({
    now,
    onTransition(provider, to, model) {
      counts.observeTransition(provider, to);
      log.warn({ provider, model, circuit: to }, "A provider's circuit breaker has changed.");
    },
    onRefused({ provider, kind, model, credentialUuid }, code) {
      onRefused({ provider, kind, model, code });
      log.warn(
        { provider, model, credential: credentialUuid, code },
        "A provider refuses a target: its key or its model has to be looked at. Calls go to the next target.",
      );
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

async function checkReadiness(database: Database, relay: OutboxRelay): Promise<Readiness> {
  if (await isAnswering(database)) return { ...isReady, problems: relay.problems() };
  return { ready: false, problems: ["the database is not available"] };
}
