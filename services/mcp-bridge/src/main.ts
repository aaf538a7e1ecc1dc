import process from "node:process";
import { AllowanceServiceDefinition, ChatServiceDefinition } from "@gatehouse/proto/chat-calls";
import { runService } from "@gatehouse/service";
import { createMcpBridgeService } from "./app.ts";
import { loadConfig } from "./config.ts";

await runService(
  {
    name: "mcp-bridge",
    loadConfig,
    create(config, host) {
      const channel = host.connect("chat", { address: config.chatRpcAddress, timeoutMs: config.listTimeoutMs });
      const chat = channel.client(ChatServiceDefinition);
      return createMcpBridgeService(config, { ...host, chat, ledger: channel.client(AllowanceServiceDefinition) });
    },
  },
  process,
);
