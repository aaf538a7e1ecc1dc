import { createRateLimits, type LedgerClient } from "@gatehouse/limits";
import {
  createMcpDispatcher,
  ListAllowance,
  createProjectMcpHandler,
  createRecordOutcome,
  recordRequests,
} from "@gatehouse/mcp";
import { createService, type Service, type ServiceHost } from "@gatehouse/service";
import { createBridgeServer } from "./app/bridge-server.ts";
import { ToolCatalogue } from "./app/tool-catalogue.ts";
import { type ChatRpc, createChatClient } from "./clients/chat.ts";
import type { McpBridgeConfig } from "./config.ts";
import { createToolCatalogueStore } from "./store/tool-catalogues.ts";

/** Host of the service, with the way to chat. */
export interface McpBridgeOverrides extends ServiceHost {
  /** The chat service; the caller closes what is behind it. */
  readonly chat: ChatRpc;
  /** The ledger of rate limits, in this process or another. */
  readonly ledger: LedgerClient;
  readonly now?: () => Date;
}

const migrations = new URL("../prisma/migrations", import.meta.url);

/** MCP Bridge: the endpoints of an AI gateway project that are exposed as tools, for MCP clients. */
export function createMcpBridgeService(config: McpBridgeConfig, host: McpBridgeOverrides): Service {
  const { chat: rpc, ledger, now = () => new Date() } = host;
  // Without Postgres it lacks only the tools of the time before.
  const database = { config, schema: "mcp_bridge", migrations, isOptional: true };
  return createService({ name: "mcp-bridge", host, database }, (kernel) => {
    const { log } = kernel;
    const chat = createChatClient(rpc, config);
    const catalogue = new ToolCatalogue(chat.listTools, createToolCatalogueStore(kernel.database), now, (err) =>
      log.warn({ err }, "The last known tools could not be kept or read."),
    );
    const nowMs = () => now().getTime();
    const rateLimits = createRateLimits(ledger, log);
    const record = createRecordOutcome(kernel.gatewayLog, "mcp_bridge", nowMs);
    const server = createBridgeServer({
      serviceName: config.serviceName,
      catalogue,
      complete: chat.complete,
      lists: new ListAllowance(nowMs),
      countList: async ({ principal, user }) => void (await rateLimits.count(principal, user)),
      record,
      now: nowMs,
    });
    return {
      http: createProjectMcpHandler({
        dispatch: recordRequests(createMcpDispatcher(server), record, nowMs, (method) => method !== "tools/call"),
        toCaller: (known, { span }) => ({ ...known, traceparent: span.traceparent }),
        body: { sizeBytesMax: config.bodySizeBytesMax, timeoutMs: config.bodyTimeoutMs },
        log,
        record,
        now: nowMs,
      }),
      parts: [
        { name: "tool catalogue", start: () => catalogue.prune(), stop: () => catalogue.settled() },
        { name: "rate limits", start: () => rateLimits.start(), stop: async () => await rateLimits.stop() },
      ],
    };
  });
}
