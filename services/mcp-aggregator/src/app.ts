import { bindAdmin } from "@gatehouse/admin";
import { AuditQueue, createOutboxRelay } from "@gatehouse/audit";
import {
  ChangeFeed,
  createResealer,
  type Database,
  isAnswering,
  isDatabaseUnavailable,
  openDatabase,
} from "@gatehouse/database";
import { createEgressDispatcher, type EgressGuard } from "@gatehouse/egress";
import type { EventTransport } from "@gatehouse/events";
import { type GatewayLog, noGatewayLog } from "@gatehouse/gateway-log";
import { BlockSummaries, createGuardrailClient, type GuardrailRpc } from "@gatehouse/guardrail-client";
import { CallsInFlight, createMcpDispatcher, ListAllowance } from "@gatehouse/json-rpc";
import { isReady, type Readiness, type Service } from "@gatehouse/service";
import type { Telemetry } from "@gatehouse/telemetry";
import type { Dispatcher } from "undici";
import { type AllowanceClient, createAdmit } from "./clients/allowance.ts";
import { ByteAccount } from "./clients/byte-account.ts";
import { SessionTotal } from "./clients/session-pool.ts";
import { repliesHeldMax, sessionsOfAllMax } from "./clients/upstream-bounds.ts";
import { UpstreamClient } from "./clients/upstream-client.ts";
import type { McpAggregatorConfig } from "./config.ts";
import { createUpstreamBreaker } from "./domain/upstream-breaker.ts";
import { type GuardedSide, ToolGuard } from "./domain/guard-tools.ts";
import { AggregatingServer } from "./domain/gateway.ts";
import { recordRequests } from "./domain/request-outcome.ts";
import { UpstreamRegistry } from "./domain/project-upstreams.ts";
import { createTryUpstream } from "./domain/try-upstream.ts";
import type { ConnectUpstream } from "./domain/upstream-connection.ts";
import { UpstreamRuntime } from "./domain/upstream-runtime.ts";
import { upstreamOperations } from "./admin/upstream-operations.ts";
import { createGatewayRecord } from "./gateway-record.ts";
import { guardrailBlocked } from "./events.ts";
import { createGuardrailRecord } from "./guardrail-record.ts";
import { createMcpHandler } from "./http/mcp.ts";
import { createAggregatorStore, type UpstreamTransactor } from "./store/aggregator-store.ts";
import { readKept } from "./store/catalogues.ts";
import { keepListing } from "./store/keep-listing.ts";
import { readActiveUpstreams } from "./store/registered-upstreams.ts";
import { sealedColumns } from "./store/upstream-record.ts";
import { deleteProject } from "./store/upstreams.ts";

export interface McpAggregatorOverrides {
  readonly telemetry: Telemetry;
  /** The rate limits, which the chat service keeps. */
  readonly allowance: AllowanceClient;
  /** Holds calls and results against policies that cover MCP. */
  readonly guardrail: GuardrailRpc;
  /** Carries audit events; whoever hosts the service starts and stops it. */
  readonly events: EventTransport;
  /** Its owner starts and stops it. */
  readonly gatewayLog?: GatewayLog;
  /** Judges where calls to upstreams may go. */
  readonly guard: EgressGuard;
  /** The way to upstreams; one behind the guard where absent. Closed with the service only where the service made it. */
  readonly dispatcher?: Dispatcher;
  /** Milliseconds of a monotonic clock. */
  readonly now?: () => number;
  /** Milliseconds since 1970. */
  readonly wallNow?: () => number;
  /** From 0 up to 1. */
  readonly random?: () => number;
}

const migrations = new URL("../prisma/migrations", import.meta.url);
const sweepIntervalMs = 30_000;
/** What goes on with upstreams is bounded by each call; this only ends what nothing else would. */
const headersTimeoutMs = 0;

/** Gateway mode: the upstream MCP servers of `mcp_gateway` projects, their tools and their calls. */
export function createMcpAggregatorService(config: McpAggregatorConfig, overrides: McpAggregatorOverrides): Service {
  const { telemetry } = overrides;
  const { database, changes, store, relay, audit, blocks } = openState(config, overrides);
  const ownDispatcher = overrides.dispatcher === undefined ? createDispatcher(config, overrides.guard) : undefined;
  const parts = createParts({
    config,
    overrides,
    database,
    blocks,
    transact: store.transact,
    dispatcher: ownDispatcher,
  });
  const { registry } = parts;
  const resealer = createResealer({ database, keyring: config.keyring, columns: sealedColumns, telemetry });
  let sweeping: NodeJS.Timeout | undefined;

  return {
    name: "mcp-aggregator",
    rpc: [parts.admin],
    http: parts.http,
    async start() {
      await database.migrate(migrations);
      changes.subscribe({
        onChange: (projectUuid) => {
          registry.noteChange(projectUuid);
          relay.wake();
        },
        onGap: () => registry.noteGap(),
      });
      await changes.start();
      relay.start();
      resealer.start();
      sweeping = setInterval(() => registry.sweep(), sweepIntervalMs).unref();
    },
    async stop() {
      clearInterval(sweeping);
      await resealer.stop();
      await changes.stop();
      await registry.close();
      await blocks.stop();
      await audit.stop();
      await ownDispatcher?.destroy();
      await relay.stop();
      await store.close();
      await database.close();
    },
    readiness: async () => await databaseReadiness(database),
  };
}

/** What the service keeps in its database, and what tells of it. */
function openState({ databaseUrl, databaseConnectionsMax }: McpAggregatorConfig, overrides: McpAggregatorOverrides) {
  const { telemetry, events: transport, wallNow = () => Date.now() } = overrides;
  const { log, metrics } = telemetry;
  const database = openDatabase({
    url: databaseUrl,
    schema: "mcp_aggregator",
    connectionsMax: databaseConnectionsMax,
    log,
  });
  const changes = new ChangeFeed(database, log);
  const store = createAggregatorStore(database, changes);
  const relay = createOutboxRelay({ database, transport, service: "mcp-aggregator", log, metrics });
  const audit = new AuditQueue({ database, log, onRecorded: () => relay.wake() });
  const blocks = new BlockSummaries<GuardedSide>({
    kindOf: ({ request: { principal }, side }) => [
      principal.tokenId,
      principal.tokenName,
      principal.project.uuid,
      side,
    ],
    tell: async ({ event: { request, side, tool }, block, count, since }) => {
      const { principal, requestId, ipAddress, traceparent } = request;
      const call = { principal, requestId, ipAddress, traceparent, side, tool };
      await audit.add(guardrailBlocked({ ...call, ...block, count, since }));
    },
    now: wallNow,
  });
  return { database, changes, store, relay, audit, blocks };
}

function createDispatcher({ upstreamBounds }: McpAggregatorConfig, guard: EgressGuard): Dispatcher {
  const { connectTimeoutMs, connectionsMax, idleTimeoutMs } = upstreamBounds;
  return createEgressDispatcher({
    guard,
    connectTimeoutMs,
    connectionsMax,
    headersTimeoutMs,
    bodyTimeoutMs: idleTimeoutMs,
  });
}

interface PartOptions {
  readonly config: McpAggregatorConfig;
  readonly overrides: McpAggregatorOverrides;
  readonly database: Database;
  readonly blocks: BlockSummaries<GuardedSide>;
  readonly transact: UpstreamTransactor;
  readonly dispatcher: Dispatcher | undefined;
}

function createParts(options: PartOptions) {
  const { config, overrides, database, transact } = options;
  const { guard, telemetry, now = () => performance.now(), wallNow = () => Date.now() } = overrides;
  const record = createGatewayRecord(overrides.gatewayLog ?? noGatewayLog, wallNow);
  const { keyring, serviceName, upstreamBounds } = config;
  const dispatcher = options.dispatcher ?? overrides.dispatcher;
  if (dispatcher === undefined) throw new TypeError("There is no way to the upstreams.");
  const account = new ByteAccount(upstreamBounds.replyBytesMax * repliesHeldMax.ofAll);
  const sessions = new SessionTotal(sessionsOfAllMax);
  const connect: ConnectUpstream = (upstream, era) => {
    return new UpstreamClient(upstream, era, {
      dispatcher,
      bounds: upstreamBounds,
      account,
      sessions,
      serviceName,
      now,
    });
  };
  const registry = createRegistry(options, connect);
  const checkUrl = async (url: string) => await guard.checkToSave(url);
  const server = new AggregatingServer({
    serviceName,
    find: (projectUuid) => registry.find(projectUuid),
    admit: createAdmit(overrides.allowance),
    lists: new ListAllowance(wallNow),
    guard: createGuard(options),
    tracing: telemetry.tracing,
    listTotalTimeoutMs: upstreamBounds.listTotalTimeoutMs,
  });
  const writer = { transact, keyring };
  return {
    registry,
    admin: bindAdmin({
      operations: upstreamOperations,
      context: { database, writer, registry, checkUrl, tryUpstream: createTryUpstream({ checkUrl, connect, now }) },
      deleteProject: async (projectUuid) => await deleteProject(writer, projectUuid),
    }),
    http: createMcpHandler({
      dispatch: recordRequests(createMcpDispatcher(server), record, wallNow),
      inFlight: new CallsInFlight(),
      bodyBounds: { sizeBytesMax: config.bodySizeBytesMax, timeoutMs: config.bodyTimeoutMs },
      log: telemetry.log,
      record,
      wallNow,
    }),
  };
}

function createGuard({ config, overrides, blocks }: PartOptions): ToolGuard {
  const { guardrail: rpc, telemetry, now = () => performance.now() } = overrides;
  const { log, tracing } = telemetry;
  return new ToolGuard({
    client: createGuardrailClient({ rpc, timeoutMs: config.guardrailTimeoutMs, now, tracing }),
    record: createGuardrailRecord(log, async (side, block) => await blocks.note(side, block)),
  });
}

function createRegistry({ config, overrides, database }: PartOptions, connect: ConnectUpstream) {
  const { now = () => performance.now(), wallNow = () => Date.now(), random = Math.random } = overrides;
  const { log } = overrides.telemetry;
  return new UpstreamRegistry({
    read: async (projectUuid) => await readActiveUpstreams(database, config.keyring, projectUuid),
    readKept: async (upstreamIds) => await readKept(database, upstreamIds),
    create: (upstream, kept) => {
      const connection = connect(upstream, kept.catalogue?.era ?? "unknown");
      return new UpstreamRuntime(upstream, kept, {
        connection,
        breaker: createUpstreamBreaker(now, random),
        now,
        wallNow,
        // Tools are listed also while the database is away.
        keep: async (current, listing) => {
          const parts = { upstream: current, listing, era: connection.era, listedAt: new Date(wallNow()) };
          return await keepListing(database, parts).catch((err: unknown) => {
            log.warn({ err, upstream_id: current.id }, "An upstream's tools could not be written down.");
            return undefined;
          });
        },
      });
    },
    now,
    isUnavailable: isDatabaseUnavailable,
  });
}

async function databaseReadiness(database: Database): Promise<Readiness> {
  if (await isAnswering(database)) return isReady;
  return { ready: false, problems: ["the database is not available"] };
}
