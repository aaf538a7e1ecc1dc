import { createRateLimits, type LedgerClient } from "@gatehouse/limits";
import { createProjectDispatcher, createProjectMcpHandler, createRecordOutcome, FreeLists } from "@gatehouse/mcp";
import { createService, type Service, type ServiceHost } from "@gatehouse/service";
import { createBridgeServer } from "./app/bridge-server.ts";
import { ToolCatalogue } from "./app/tool-catalogue.ts";
import { type ChatRpc, createChatClient } from "./clients/chat.ts";
import type { McpBridgeConfig } from "./config.ts";
import type { BridgeContext } from "./domain/chat-call.ts";
import { createToolCatalogueStore } from "./store/tool-catalogues.ts";

/** `ServiceHost` with the connections to chat, opened by `mcpBridgeProgram`; `wallNow` is for tests. */
export interface McpBridgeDependencies extends ServiceHost {
  /** The chat service; the caller closes its connection. */
  readonly chat: ChatRpc;
  readonly ledger: LedgerClient;
  /** Epoch milliseconds. */
  readonly wallNow?: () => number;
}

/** Id in the router's table. */
const route = "mcp_bridge";
const migrations = new URL("../prisma/migrations", import.meta.url);

/** MCP Bridge: the exposed endpoints of an AI gateway project as MCP tools. */
export function createMcpBridgeService(config: McpBridgeConfig, host: McpBridgeDependencies): Service {
  const { chat: rpc, ledger, wallNow = Date.now } = host;
  // Optional: without Postgres, only the earlier tools of projects are unavailable.
  const database = { config, schema: "mcp_bridge", migrations, isOptional: true };
  return createService({ name: "mcp-bridge", host, database }, (kernel) => {
    const { log } = kernel;
    const chat = createChatClient(rpc, config);
    const catalogue = new ToolCatalogue(chat.listTools, createToolCatalogueStore(kernel.database), wallNow, (err) =>
      log.warn({ err }, "The last known tools could not be kept or read."),
    );
    const rateLimits = createRateLimits(ledger, log);
    const record = createRecordOutcome(kernel.gatewayLog, route, wallNow);
    const recordedByChat = new WeakSet<BridgeContext>();
    const server = createBridgeServer({
      serviceName: config.serviceName,
      catalogue,
      complete: chat.complete,
      lists: new FreeLists(wallNow),
      countList: async ({ principal, user }) => void (await rateLimits.count(principal, user)),
      onRecorded: (context) => void recordedByChat.add(context),
    });
    const dispatch = createProjectDispatcher(server, {
      record,
      wallNow,
      isRecordedElsewhere: (context) => recordedByChat.has(context),
    });
    return {
      http: createProjectMcpHandler({
        route,
        siblings: host.siblings,
        dispatch,
        toCaller: (known, { span }) => ({ ...known, traceparent: span.traceparent }),
        body: { sizeBytesMax: config.bodySizeBytesMax, timeoutMs: config.bodyTimeoutMs },
        log,
        record,
        wallNow,
      }),
      parts: [
        { name: "tool catalogue", start: () => catalogue.prune(), stop: () => catalogue.settled() },
        { name: "rate limits", start: () => rateLimits.start(), stop: async () => await rateLimits.stop() },
      ],
    };
  });
}
