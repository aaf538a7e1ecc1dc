import type { IncomingMessage } from "node:http";
import { bindAdmin } from "@gatehouse/admin";
import { createSecretExport, isDatabaseUnavailable } from "@gatehouse/database";
import { createEgressDispatcher, type EgressGuard } from "@gatehouse/egress";
import {
  BlockSummaries,
  createGuardrailClient,
  createGuardrailRecord,
  type GuardrailRpc,
} from "@gatehouse/guardrail-client";
import { createRateLimits, type LedgerClient, type RateLimits } from "@gatehouse/limits";
import {
  createProjectDispatcher,
  createProjectMcpHandler,
  createRecordOutcome,
  FreeLists,
  type McpCaller,
} from "@gatehouse/mcp";
import type { RequestContext } from "@gatehouse/principal";
import { createService, type OutboxKernel, type Service, type ServiceHost } from "@gatehouse/service";
import type { Dispatcher } from "undici";
import { KnownStates } from "./admin/known-states.ts";
import { upstreamOperations } from "./admin/upstream-operations.ts";
import { AggregatingServer, type McpRequest } from "./app/aggregating-server.ts";
import { type GuardedSide, ToolGuard } from "./app/guard-tools.ts";
import { createTryUpstream } from "./app/try-upstream.ts";
import { UpstreamRegistry } from "./app/upstream-registry.ts";
import { UpstreamRuntime } from "./app/upstream-runtime.ts";
import { ByteAccount } from "./clients/byte-account.ts";
import { SessionTotal } from "./clients/session-pool.ts";
import { repliesHeldMax, sessionsOfAllMax } from "./clients/upstream-bounds.ts";
import { UpstreamClient } from "./clients/upstream-client.ts";
import { type ConnectUpstream, createUpstreamBreaker } from "./clients/upstream-connection.ts";
import type { McpAggregatorConfig } from "./config.ts";
import { hopsHeader } from "./domain/hops.ts";
import { toolBlocked } from "./events.ts";
import { readKept } from "./store/catalogues.ts";
import { keepListing } from "./store/keep-listing.ts";
import { readActiveUpstreams } from "./store/registered-upstreams.ts";
import { sealedColumns } from "./store/upstream-record.ts";
import { openUpstreamStore, type UpstreamStore } from "./store/upstream-store.ts";
import { deleteProject } from "./store/upstreams.ts";

/**
 * `ServiceHost` with chat, guardrail and egress, opened by `mcpAggregatorProgram`; clocks, chance and `dispatcher` are for tests.
 */
export interface McpAggregatorDependencies extends ServiceHost {
  /** The ledger of rate limits, in this process or another. */
  readonly ledger: LedgerClient;
  /** Judges calls and results by policies that cover MCP. */
  readonly guardrail: GuardrailRpc;
  /** Judges the addresses of upstreams. */
  readonly guard: EgressGuard;
  /** Dispatcher for upstreams; by default one behind the guard, which the service then closes. */
  readonly dispatcher?: Dispatcher;
  /** Monotonic milliseconds. */
  readonly now?: () => number;
  /** Epoch milliseconds. */
  readonly wallNow?: () => number;
  /** From 0 up to, but not including, 1. */
  readonly random?: () => number;
}

/** Id in the router's table. */
const route = "mcp_gateway";
const migrations = new URL("../prisma/migrations", import.meta.url);
const sweepIntervalMs = 30_000;
/** None: each call bounds its own wait for headers. */
const headersTimeoutMs = 0;

/** Gateway mode: the upstream MCP servers of `mcp_gateway` projects, their tools and their calls. */
export function createMcpAggregatorService(config: McpAggregatorConfig, host: McpAggregatorDependencies): Service {
  const sealing = { keyring: config.keyring, columns: sealedColumns };
  const database = { config, schema: "mcp_aggregator", migrations, sealing };
  return createService({ name: "mcp-aggregator", host, database, outbox: true, feed: true }, (kernel) => {
    const ownDispatcher = host.dispatcher === undefined ? createDispatcher(config, host.guard) : undefined;
    const blocks = createBlocks(kernel, host);
    const store = openUpstreamStore(kernel);
    const rateLimits = createRateLimits(host.ledger, kernel.log);
    const own = { blocks, store, rateLimits, dispatcher: ownDispatcher };
    const { registry, admin, http } = createParts({ kernel, config, host, ...own });
    kernel.feed.subscribe({
      onChange: (projectUuid) => registry.expireProject(projectUuid),
      onGap: () => registry.expireAll(),
    });
    let sweeping: NodeJS.Timeout | undefined;
    const sweep = () => void (sweeping = setInterval(() => registry.sweep(), sweepIntervalMs).unref());
    return {
      rpc: [admin],
      http,
      parts: [
        { name: "rate limits", start: () => rateLimits.start(), stop: async () => await rateLimits.stop() },
        { name: "egress", stop: async () => await ownDispatcher?.destroy() },
        { name: "blocked calls", stop: async () => await blocks.stop() },
        { name: "upstreams", stop: async () => await registry.close() },
        { name: "sweep", start: sweep, stop: () => clearInterval(sweeping) },
      ],
    };
  });
}

function createBlocks({ audit }: OutboxKernel, { wallNow = () => Date.now() }: McpAggregatorDependencies) {
  return new BlockSummaries<GuardedSide>({
    kindOf: ({ request: { principal }, side }) => [
      principal.tokenId,
      principal.tokenName,
      principal.project.uuid,
      side,
    ],
    report: async ({ event: { request, side, tool }, block, count, since }) => {
      const { principal, requestId, ipAddress, traceparent } = request;
      const call = { principal, requestId, ipAddress, traceparent, side };
      await audit.add(toolBlocked({ ...call, ...block, count, since }, tool));
    },
    wallNow,
  });
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
  readonly kernel: OutboxKernel;
  readonly config: McpAggregatorConfig;
  readonly host: McpAggregatorDependencies;
  readonly blocks: BlockSummaries<GuardedSide>;
  readonly store: UpstreamStore;
  readonly rateLimits: RateLimits;
  readonly dispatcher: Dispatcher | undefined;
}

function createParts(options: PartOptions) {
  const { kernel, config, host, store } = options;
  const { guard, now = () => performance.now(), wallNow = () => Date.now() } = host;
  const { database, telemetry } = kernel;
  const record = createRecordOutcome(kernel.gatewayLog, route, wallNow);
  const { keyring, serviceName, upstreamBounds } = config;
  const dispatcher = options.dispatcher ?? host.dispatcher;
  if (dispatcher === undefined) throw new TypeError("There is no way to the upstreams.");
  const account = new ByteAccount(upstreamBounds.replyBytesMax * repliesHeldMax.ofAll);
  const sessions = new SessionTotal(sessionsOfAllMax);
  const connect: ConnectUpstream = (upstream, protocolMode) => {
    return new UpstreamClient(upstream, protocolMode, {
      dispatcher,
      bounds: upstreamBounds,
      account,
      sessions,
      serviceName,
      now,
    });
  };
  const registry = createRegistry(options, connect);
  const checkUrl = async (url: string, argument: string) => await guard.checkToSave(url, argument);
  const server = new AggregatingServer({
    serviceName,
    find: (projectUuid) => registry.find(projectUuid),
    count: async ({ principal, user }) => void (await options.rateLimits.count(principal, user)),
    lists: new FreeLists(wallNow),
    guard: createGuard(options),
    tracing: telemetry.tracing,
    listTotalTimeoutMs: upstreamBounds.listTotalTimeoutMs,
  });
  const writer = { store, keyring };
  const states = new KnownStates({ registry, siblings: host.siblings, now });
  const tryUpstream = createTryUpstream(checkUrl, connect, now);
  return {
    registry,
    admin: bindAdmin({
      operations: upstreamOperations,
      context: { database, writer, registry, states, checkUrl, tryUpstream },
      answerOnce: store.answerOnce,
      deleteProject: async (projectUuid) => await deleteProject(writer, projectUuid),
      exportSecrets: createSecretExport(database, keyring, sealedColumns, telemetry.log),
    }),
    http: createProjectMcpHandler<McpRequest>({
      route,
      siblings: host.siblings,
      dispatch: createProjectDispatcher(server, { record, wallNow }),
      toCaller: toMcpRequest,
      withText: (request, { id, params }) => ({ ...request, id, params }),
      body: { sizeBytesMax: config.bodySizeBytesMax, timeoutMs: config.bodyTimeoutMs },
      log: telemetry.log,
      record,
      wallNow,
    }),
  };
}

function createGuard({ kernel, config, host, blocks }: PartOptions): ToolGuard {
  const { guardrail: rpc, now = () => performance.now() } = host;
  const { log, tracing } = kernel.telemetry;
  return new ToolGuard(
    createGuardrailClient(rpc, config.guardrailTimeoutMs, now, tracing),
    createGuardrailRecord({
      log,
      judged: "a call of a tool",
      fieldsOf: ({ request: { requestId, principal }, side }) => ({
        request_id: requestId,
        project: principal.project.uuid,
        side,
      }),
      onBlocked: async (side, block) => await blocks.record(side, block),
    }),
  );
}

function createRegistry({ kernel, config, host, store }: PartOptions, connect: ConnectUpstream) {
  const { now = () => performance.now(), wallNow = () => Date.now(), random = Math.random } = host;
  const { database, log } = kernel;
  return new UpstreamRegistry({
    read: async (projectUuid) => await readActiveUpstreams(database, config.keyring, projectUuid),
    readKept: async (upstreamIds) => await readKept(database, upstreamIds),
    create: (upstream, kept) => {
      const connection = connect(upstream, kept.catalogue?.protocolMode ?? "unknown");
      return new UpstreamRuntime(upstream, kept, {
        connection,
        breaker: createUpstreamBreaker(now, random),
        now,
        wallNow,
        // Tools are listed even without the database.
        keep: async (current, listing, shown) => {
          const parts = {
            upstream: current,
            listing,
            shown,
            protocolMode: connection.protocolMode,
            listedAt: new Date(wallNow()),
          };
          return await keepListing(store, parts).catch((err: unknown) => {
            log.warn({ err, upstream_id: current.id }, "An upstream's tools could not be saved; trying again.");
            return undefined;
          });
        },
      });
    },
    now,
    isUnavailable: isDatabaseUnavailable,
  });
}

function toMcpRequest(known: McpCaller, { span }: RequestContext, { headers }: IncomingMessage): McpRequest {
  const hops = headers[hopsHeader];
  return { ...known, hopsHeader: hops, traceparent: span.traceparent ?? "", id: undefined, params: undefined };
}
