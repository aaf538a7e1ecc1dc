import { ChangeFeed, type Database, isDatabaseUnavailable, openDatabase } from "@gatehouse/database";
import { isReady, type Readiness, type Service } from "@gatehouse/service";
import type { Telemetry } from "@gatehouse/telemetry";
import { createProviderAdapters } from "./clients/providers/index.ts";
import type { ChatConfig } from "./config.ts";
import { EndpointCatalog } from "./domain/endpoint-catalog.ts";
import type { Step } from "./domain/pipeline.ts";
import { createBodyStep } from "./domain/steps/body.ts";
import { createEndpointStep } from "./domain/steps/endpoint.ts";
import { createPromptStep } from "./domain/steps/prompt.ts";
import { createProviderStep, type ProviderStepOptions } from "./domain/steps/provider.ts";
import { countCallUsage } from "./domain/usage.ts";
import { createChatHandler } from "./http/chat.ts";
import { bindChatAdmin } from "./rpc/chat-admin.ts";
import { createStoreContext, parseChange } from "./store/chat-store.ts";
import { loadCompiledEndpoint } from "./store/compiled-endpoints.ts";

export interface ChatOverrides {
  readonly telemetry: Telemetry;
  /** Milliseconds of a monotonic clock. */
  readonly now?: () => number;
}

const migrations = new URL("../prisma/migrations", import.meta.url);

/** The chat service: AI endpoints, providers, credentials, and the pipeline that every chat call runs through. */
export function createChatService(
  config: ChatConfig,
  { telemetry, now = () => performance.now() }: ChatOverrides,
): Service {
  const { log } = telemetry;
  const database = openDatabase({
    url: config.databaseUrl,
    schema: "chat",
    connectionsMax: config.databaseConnectionsMax,
    log,
  });
  const changes = new ChangeFeed(database, log);
  const store = createStoreContext(database, changes);
  const catalog = createCatalog(database, config, now);
  const adapters = createProviderAdapters({ log });
  const steps = createSteps(catalog, { ...config, adapterFor: adapters.adapterFor, tracing: telemetry.tracing });

  return {
    name: "chat",
    rpc: [bindChatAdmin({ store, keyring: config.keyring })],
    http: createChatHandler({
      steps,
      body: { sizeBytesMax: config.bodySizeBytesMax, timeoutMs: config.bodyTimeoutMs },
      countUsage: countCallUsage,
      log,
    }),
    async start() {
      await database.migrate(migrations);
      changes.subscribe({ onChange: (payload) => forget(catalog, payload), onGap: () => catalog.forgetAll() });
      await changes.start();
    },
    async stop() {
      await changes.stop();
      await adapters.close();
      await store.prisma.$disconnect();
      await database.close();
    },
    readiness: async () => await databaseReadiness(database),
  };
}

type StepOptions = Pick<ProviderStepOptions, "adapterFor" | "tracing"> & ChatConfig;

/** The pipeline, in the order of the interface specification ("Request pipeline"). */
function createSteps(catalog: EndpointCatalog, options: StepOptions): readonly Step[] {
  const { adapterFor, tracing, attemptBounds: bounds, callDeadlineMs: deadlineMs } = options;
  return [
    createBodyStep(),
    createEndpointStep((projectUuid, slug) => catalog.find(projectUuid, slug)),
    createPromptStep(),
    createProviderStep({ adapterFor, tracing, bounds, deadlineMs }),
  ];
}

function createCatalog(database: Database, { keyring }: ChatConfig, now: () => number): EndpointCatalog {
  return new EndpointCatalog({
    load: async (projectUuid, slug) => await loadCompiledEndpoint(database, keyring, { projectUuid, slug }),
    now,
    isUnavailable: isDatabaseUnavailable,
  });
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
