import process from "node:process";
import { createEgressGuard } from "@gatehouse/egress";
import { AllowanceServiceDefinition } from "@gatehouse/proto/chat-calls";
import { GuardrailServiceDefinition } from "@gatehouse/proto/guardrail";
import { runService } from "@gatehouse/service";
import { createMcpAggregatorService } from "./app.ts";
import { loadConfig } from "./config.ts";

await runService(
  {
    name: "mcp-aggregator",
    loadConfig,
    create(config, host) {
      const chat = host.connect("chat", { address: config.chatRpcAddress, timeoutMs: config.allowanceTimeoutMs });
      const guardrail = host.connect("guardrail", {
        address: config.guardrailRpcAddress,
        timeoutMs: config.guardrailTimeoutMs,
      });
      return createMcpAggregatorService(config, {
        ...host,
        ledger: chat.client(AllowanceServiceDefinition),
        guardrail: guardrail.client(GuardrailServiceDefinition),
        guard: createEgressGuard({ allow: config.egress.allow, logger: host.telemetry.log }),
      });
    },
  },
  process,
);
