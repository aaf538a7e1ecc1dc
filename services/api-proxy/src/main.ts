import process from "node:process";
import { AllowanceServiceDefinition } from "@gatehouse/proto/chat-calls";
import { GuardrailServiceDefinition } from "@gatehouse/proto/guardrail";
import { runService } from "@gatehouse/service";
import { createApiProxyService } from "./app.ts";
import { loadConfig } from "./config.ts";

await runService(
  {
    name: "api-proxy",
    loadConfig,
    create(config, host) {
      const chat = host.connect("chat", { address: config.chatRpcAddress, timeoutMs: config.proxy.allowanceTimeoutMs });
      const guardrail = host.connect("guardrail", {
        address: config.guardrailRpcAddress,
        timeoutMs: config.guardrailTimeoutMs,
      });
      return createApiProxyService(config, {
        ...host,
        ledger: chat.client(AllowanceServiceDefinition),
        guardrail: guardrail.client(GuardrailServiceDefinition),
      });
    },
  },
  process,
);
