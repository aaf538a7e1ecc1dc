import process from "node:process";
import { GuardrailServiceDefinition } from "@gatehouse/proto/guardrail";
import { runService } from "@gatehouse/service";
import { createChatService } from "./app.ts";
import { loadConfig } from "./config.ts";

await runService(
  {
    name: "chat",
    loadConfig,
    create(config, host) {
      const channel = host.connect("guardrail", {
        address: config.guardrailRpcAddress,
        timeoutMs: config.guardrailTimeoutMs,
      });
      return createChatService(config, { ...host, guardrail: channel.client(GuardrailServiceDefinition) });
    },
  },
  process,
);
