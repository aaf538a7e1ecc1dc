import { createEgressGuard } from "@gatehouse/egress";
import { AllowanceServiceDefinition } from "@gatehouse/proto/chat-calls";
import { GuardrailServiceDefinition } from "@gatehouse/proto/guardrail";
import type { ServiceProgram } from "@gatehouse/service";
import { createMcpAggregatorService } from "./app.ts";
import { loadConfig, type McpAggregatorMemberConfig } from "./config.ts";

export { createMcpAggregatorService, type McpAggregatorDependencies } from "./app.ts";
export {
  type McpAggregatorConfig,
  type McpAggregatorMemberConfig,
  readMcpAggregatorConfig,
  type UpstreamBoundsConfig,
} from "./config.ts";

/** Entry for every host: a process (`main.ts`), standalone, or a set of services. Connects to chat and guardrail. */
export const mcpAggregatorProgram: ServiceProgram<McpAggregatorMemberConfig> = {
  name: "mcp-aggregator",
  loadConfig,
  create(config, host) {
    const { ownAddresses, telemetry } = host;
    const chat = host.connect("chat", { address: config.chatRpcAddress, timeoutMs: config.allowanceTimeoutMs });
    const { guardrailRpcAddress: address, guardrailTimeoutMs: timeoutMs } = config;
    const guardrail = host.connect("guardrail", { address, timeoutMs });
    return createMcpAggregatorService(config, {
      ...host,
      ledger: chat.client(AllowanceServiceDefinition),
      guardrail: guardrail.client(GuardrailServiceDefinition),
      guard: createEgressGuard({ allow: config.egress.allow, ownAddresses, logger: telemetry.log }),
    });
  },
};
