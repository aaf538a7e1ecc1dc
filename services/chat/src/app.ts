import { hostname } from "node:os";
import { bindAdmin } from "@gatehouse/admin";
import type { ProjectReference } from "@gatehouse/audit";
import { BoundedCache } from "@gatehouse/bounded-cache";
import { createSecretExport, type Database, isDatabaseUnavailable } from "@gatehouse/database";
import { FirstTokenTimeout } from "@gatehouse/failover";
import { BlockSummaries, createGuardrailClient, type GuardrailRpc } from "@gatehouse/guardrail-client";
import { bindLeases, createAllowances } from "@gatehouse/limits";
import { createPrincipalReader } from "@gatehouse/principal";
import { ChatServiceDefinition } from "@gatehouse/proto/chat-calls";
import { createProviderHealth, loadPriceBook, type TargetRefusal } from "@gatehouse/providers";
import { createProviderAdapters } from "@gatehouse/providers/adapters";
import { bindRpc } from "@gatehouse/rpc";
import { createService, createSpillPart, type OutboxKernel, type Service, type ServiceHost } from "@gatehouse/service";
import { createSessionStore, createTokenConsumer, type SessionStore } from "@gatehouse/sessions";
import { EndpointCatalog } from "@gatehouse/slugs";
import { operations } from "./admin/operations.ts";
import { createFitHistory } from "./app/fit-history.ts";
import type { ListedStep, Pipeline } from "./app/pipeline.ts";
import { createPipeline } from "./app/steps/index.ts";
import type { Admit } from "./app/steps/rate-limit.ts";
import type { ChatConfig } from "./config.ts";
import type { CompiledEndpoint } from "./domain/endpoint.ts";
import type { GuardrailEvent } from "./domain/guardrail-event.ts";
import { endpointBlocked, targetRefused } from "./events.ts";
import { openGuardrailRecord } from "./guardrail-record.ts";
import { createSurfaces } from "./http/surfaces.ts";
import { handleComplete } from "./rpc/complete.ts";
import { handleListTools } from "./rpc/list-tools.ts";
import { listActiveEndpoints, listExposedEndpoints } from "./store/active-endpoints.ts";
import { createBudgetRecord } from "./store/budget-events.ts";
import { type ConfigurationChange, openChatStore } from "./store/chat-store.ts";
import { sealedColumns } from "./store/credentials.ts";
import { createEndpointLoader } from "./store/endpoint-loader.ts";
import { deleteProject } from "./store/endpoints.ts";
import { createWorkers } from "./workers/create-workers.ts";

/** `ServiceHost` with the connection to guardrail, opened by `chatProgram`; `now` and `wrapStep` are for tests. */
export interface ChatDependencies extends ServiceHost {
  /** The guardrail service; the caller closes its connection. */
  readonly guardrail: GuardrailRpc;
  /** Monotonic milliseconds. */
  readonly now?: () => number;
  /** Wraps each step of the pipeline, for tests that observe steps. */
  readonly wrapStep?: (step: ListedStep) => ListedStep;
}

const monotonicNow = (): number => performance.now();

const same = (step: ListedStep): ListedStep => step;

/** Projects whose names are cached, for events that no call raises. */
const knownProjectsMax = 10_000;

const migrations = new URL("../prisma/migrations", import.meta.url);

/** The chat service: AI endpoints, providers, credentials, and the pipeline of every model call. */
export function createChatService(config: ChatConfig, host: ChatDependencies): Service {
  const { keyring, spillFolder } = config;
  const database = { config, schema: "chat", migrations, sealing: { keyring, columns: sealedColumns } };
  return createService({ name: "chat", host, database, outbox: true, feed: true }, (kernel) => {
    const parts = composeParts(kernel, config, host);
    const { store, catalog, allowances, workers, health, now, sessions, audit, adapters } = parts;
    kernel.feed.subscribe({ onChange: (payload) => forget(catalog, payload), onGap: () => catalog.expireAll() });
    const { guardrail, wrapStep = same } = host;
    const pipeline = composePipeline({ ...parts, kernel, config, guardrail, wrapStep });
    const { log, gatewayLog, telemetry } = kernel;
    const { admit, countTexts } = parts;
    const readPrincipal = createPrincipalReader();
    const calls = { pipeline, admit, log, tracing: telemetry.tracing, countTexts, readPrincipal };
    const lists = createLists(kernel.database);
    const exportSecrets = createSecretExport(kernel.database, keyring, sealedColumns, log);
    const body = { sizeBytesMax: config.bodySizeBytesMax, timeoutMs: config.bodyTimeoutMs };
    return {
      rpc: [
        bindAdmin({
          operations,
          context: { store, allowances, keyring, health, now, ...workers, adapterFor: adapters.adapterFor },
          answerOnce: store.answerOnce,
          deleteProject: async (projectUuid) => await deleteProject(store, projectUuid),
          exportSecrets,
        }),
        bindRpc(ChatServiceDefinition, {
          complete: async (request, context) => await handleComplete(calls, request, context),
          listTools: async (request) => await handleListTools(lists.listExposedEndpoints, request),
        }),
        bindLeases(async (asks) => await allowances.renewWindows(asks)),
      ],
      http: createSurfaces({ ...calls, ...lists, gatewayLog, body }),
      parts: [
        { name: "workers", start: () => workers.start(), stop: () => workers.close() },
        { name: "providers", stop: () => adapters.close() },
        { name: "blocked calls", stop: async () => await audit.blocks.stop() },
        createSpillPart(spillFolder, "chat"),
        { name: "allowances", start: () => allowances.start(), stop: () => allowances.stop() },
        { name: "sessions", start: () => sessions.start(), stop: async () => await sessions.stop() },
      ],
    };
  });
}

function composeParts(kernel: OutboxKernel, config: ChatConfig, { now = monotonicNow }: ChatDependencies) {
  const { database, log, telemetry } = kernel;
  const audit = composeAudit(kernel);
  const workers = createWorkers(config);
  const { countTexts } = workers;
  const { keyring, spillFolder } = config;
  const { onBudgetEvent } = audit;
  const onBudgetEventKept = () => kernel.audit.announce();
  const budgetEvents = { onBudgetEvent, onBudgetEventKept };
  const ledger = { database, messages: kernel.feed };
  const allowances = createAllowances({ log, ...budgetEvents, ...ledger, replicaId: hostname(), spillFolder });
  const admit: Admit = (principal, user) => {
    audit.projects.set(principal.project.uuid, principal.project);
    return allowances.admit(principal, user);
  };
  return {
    store: openChatStore(kernel),
    catalog: new EndpointCatalog(createEndpointLoader(database, keyring), now, isDatabaseUnavailable),
    adapters: createProviderAdapters({ log, countTexts }),
    health: createProviderHealth(telemetry, now, audit.onRefused),
    sessions: createSessions(kernel, config),
    allowances,
    admit,
    audit,
    workers,
    countTexts,
    now,
  };
}

function createSessions(kernel: OutboxKernel, { keyring }: ChatConfig): SessionStore {
  const sessions = createSessionStore(kernel.database, kernel.log, keyring);
  // Without the broker, sessions of deleted tokens are deleted when they expire.
  const forgetTokens = createTokenConsumer(async (tokenIds) => await sessions.forgetTokens(tokenIds));
  kernel.consume(forgetTokens, { isEssential: false });
  return sessions;
}

/** Lists of a project's objects, read for each request. */
function createLists(database: Database) {
  return {
    listExposedEndpoints: async (projectUuid: string) => await listExposedEndpoints(database, projectUuid),
    listModels: async (projectUuid: string, slug?: string) => await listActiveEndpoints(database, projectUuid, slug),
  };
}

function composeAudit({ audit, log }: OutboxKernel) {
  const projects = new BoundedCache<string, ProjectReference>(knownProjectsMax);
  const blocks = new BlockSummaries<GuardrailEvent>({
    kindOf: ({ principal, endpointUuid, side }) => [principal.tokenId, principal.tokenName, endpointUuid, side],
    report: async ({ event: { endpointUuid: uuid, slug, ...call }, block, count, since }) =>
      await audit.add(endpointBlocked({ ...call, ...block, count, since }, { uuid, slug })),
    wallNow: Date.now,
  });
  return {
    blocks,
    projects,
    onRefused: (refusal: TargetRefusal) => void audit.add(targetRefused(refusal)),
    onBudgetEvent: createBudgetRecord((uuid) => projects.get(uuid), log),
  };
}

interface StepSources extends ReturnType<typeof composeParts> {
  readonly kernel: OutboxKernel;
  readonly config: ChatConfig;
  readonly guardrail: GuardrailRpc;
  readonly wrapStep: (step: ListedStep) => ListedStep;
}

function composePipeline(sources: StepSources): Pipeline {
  const { kernel, config, catalog, sessions, allowances, adapters, health, guardrail, now } = sources;
  const { log, gatewayLog, telemetry } = kernel;
  const { metrics } = telemetry;
  const { steps, judgeError } = createPipeline({
    log: { gatewayLog, wallNow: Date.now },
    findEndpoint: (projectUuid, slug) => catalog.find(projectUuid, slug),
    admit: sources.admit,
    session: { sessions, fit: createFitHistory(loadPriceBook) },
    budget: { ledger: allowances, loadPrices: loadPriceBook, wallNow: Date.now },
    guardrails: {
      client: createGuardrailClient(guardrail, config.guardrailTimeoutMs, now, telemetry.tracing),
      record: openGuardrailRecord(
        log,
        metrics,
        async (event, block) => await sources.audit.blocks.record(event, block),
      ),
    },
    checkText: sources.workers.checkText,
    provider: {
      adapterFor: adapters.adapterFor,
      bounds: config.attemptBounds,
      firstTokenTimeout: new FirstTokenTimeout(now, config.firstTokenFailoverMs),
      deadlineMs: config.callDeadlineMs,
      tracing: telemetry.tracing,
      health,
      now,
    },
  });
  return { steps: steps.map(sources.wrapStep), judgeError };
}

function forget(catalog: EndpointCatalog<CompiledEndpoint>, payload: string): void {
  const change = JSON.parse(payload) as ConfigurationChange;
  if (change.subject === "endpoint") catalog.forget(change);
  else catalog.forgetAll();
}
