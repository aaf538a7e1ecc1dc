import { AllowanceServiceDefinition, ChatServiceDefinition } from "@gatehouse/proto/chat-calls";
import type { ServiceProgram } from "@gatehouse/service";
import { createMcpBridgeService } from "./app.ts";
import { loadConfig, type McpBridgeMemberConfig } from "./config.ts";

export { createMcpBridgeService, type McpBridgeDependencies } from "./app.ts";
export { type McpBridgeConfig, type McpBridgeMemberConfig, readMcpBridgeConfig } from "./config.ts";

/** Entry for every host: a process (`main.ts`), standalone, or a set of services. Connects to chat. */
export const mcpBridgeProgram: ServiceProgram<McpBridgeMemberConfig> = {
  name: "mcp-bridge",
  loadConfig,
  create(config, host) {
    const channel = host.connect("chat", { address: config.chatRpcAddress, timeoutMs: config.listTimeoutMs });
    const chat = channel.client(ChatServiceDefinition);
    return createMcpBridgeService(config, { ...host, chat, ledger: channel.client(AllowanceServiceDefinition) });
  },
};
