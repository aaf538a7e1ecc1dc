import { openProcessLog } from "@gatehouse/gateway-log";
import { AllowanceServiceDefinition, ChatServiceDefinition } from "@gatehouse/proto/chat-calls";
import { openRpcChannel } from "@gatehouse/rpc";
import type { Service } from "@gatehouse/service";
import type { Telemetry } from "@gatehouse/telemetry";
import { createMcpBridgeService } from "./app.ts";
import type { McpBridgeProcessConfig } from "./config.ts";

/** The bridge in a process of its own, reaching the chat service over gRPC. */
export function createMcpBridgeProcess(config: McpBridgeProcessConfig, telemetry: Telemetry): Service {
  const channel = openRpcChannel({
    address: config.chatRpcAddress,
    service: "mcp-bridge",
    internalKey: config.host.internalKey,
    timeoutMs: config.listTimeoutMs,
  });
  const { events, spillFolder } = config;
  const log = openProcessLog({ events, spillFolder, service: "mcp-bridge", telemetry });
  const chat = channel.client(ChatServiceDefinition);
  const allowance = channel.client(AllowanceServiceDefinition);
  const service = createMcpBridgeService(config, { telemetry, chat, allowance, gatewayLog: log.gatewayLog });
  return {
    ...service,
    async start() {
      await log.start();
      await service.start();
    },
    async stop() {
      await service.stop();
      await log.stop();
      channel.close();
    },
  };
}
