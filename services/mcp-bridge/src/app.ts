import { openDatabase } from "@gatehouse/database";
import { type GatewayLog, noGatewayLog } from "@gatehouse/gateway-log";
import { CallsInFlight, createMcpDispatcher, ListAllowance } from "@gatehouse/json-rpc";
import { isReady, type Service } from "@gatehouse/service";
import type { Telemetry } from "@gatehouse/telemetry";
import { type AllowanceClient, createAdmitList } from "./clients/allowance.ts";
import { type ChatRpc, createChatClient } from "./clients/chat.ts";
import type { McpBridgeConfig } from "./config.ts";
import { createBridgeServer } from "./domain/bridge-server.ts";
import { recordRequests } from "./domain/request-outcome.ts";
import { ToolCatalogue } from "./domain/tool-catalogue.ts";
import { createGatewayRecord } from "./gateway-record.ts";
import { createBridgeHandler } from "./http/mcp.ts";
import { createToolCatalogueStore } from "./store/tool-catalogues.ts";

export interface McpBridgeOverrides {
  readonly telemetry: Telemetry;
  /** The chat service; the caller closes what is behind it. */
  readonly chat: ChatRpc;
  /** The rate limits, which the chat service keeps. */
  readonly allowance: AllowanceClient;
  /** Its owner starts and stops it. */
  readonly gatewayLog?: GatewayLog;
  readonly now?: () => Date;
}

const migrations = new URL("../prisma/migrations", import.meta.url);

/** MCP Bridge: the endpoints of an AI gateway project that are exposed as tools, for MCP clients. */
export function createMcpBridgeService(
  config: McpBridgeConfig,
  { telemetry, chat: rpc, allowance, gatewayLog = noGatewayLog, now = () => new Date() }: McpBridgeOverrides,
): Service {
  const { log } = telemetry;
  const database = openDatabase({
    url: config.databaseUrl,
    schema: "mcp_bridge",
    connectionsMax: config.databaseConnectionsMax,
    log,
  });
  const store = createToolCatalogueStore(database);
  const chat = createChatClient({ rpc, listTimeoutMs: config.listTimeoutMs, callTimeoutMs: config.callTimeoutMs });
  const catalogue = new ToolCatalogue({
    store,
    listTools: chat.listTools,
    now,
    onFailure: (err) => log.warn({ err }, "The last known tools could not be kept or read."),
  });
  const nowMs = () => now().getTime();
  const record = createGatewayRecord(gatewayLog, nowMs);
  const { serviceName } = config;
  const lists = new ListAllowance(nowMs);
  const admitList = createAdmitList(allowance, config.listTimeoutMs);
  const server = createBridgeServer({
    serviceName,
    catalogue,
    complete: chat.complete,
    lists,
    admitList,
    record,
    now: nowMs,
  });

  return {
    name: "mcp-bridge",
    rpc: [],
    http: createBridgeHandler({
      dispatch: recordRequests(createMcpDispatcher(server), record, nowMs),
      inFlight: new CallsInFlight(),
      body: { sizeBytesMax: config.bodySizeBytesMax, timeoutMs: config.bodyTimeoutMs },
      log,
      record,
      now: nowMs,
    }),
    async start() {
      await database.migrate(migrations);
      await catalogue.prune();
    },
    async stop() {
      await catalogue.settled();
      await store.close();
      await database.close();
    },
    // Without chat it still says what it can do, and without Postgres it lacks only the tools of the time before.
    readiness: async () => await Promise.resolve(isReady),
  };
}
