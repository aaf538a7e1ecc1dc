import { createEgressGuard } from "@gatehouse/egress";
import { openProcessLog } from "@gatehouse/gateway-log";
import { AllowanceServiceDefinition } from "@gatehouse/proto/chat-calls";
import { GuardrailServiceDefinition } from "@gatehouse/proto/guardrail";
import { openRpcChannel } from "@gatehouse/rpc";
import type { Service } from "@gatehouse/service";
import type { Telemetry } from "@gatehouse/telemetry";
import { createMcpAggregatorService } from "./app.ts";
import type { McpAggregatorProcessConfig } from "./config.ts";

/** The aggregator in a process of its own: limits over gRPC, events over the broker. */
export function createMcpAggregatorProcess(config: McpAggregatorProcessConfig, telemetry: Telemetry): Service {
  const channel = openRpcChannel({
    address: config.chatRpcAddress,
    service: "mcp-aggregator",
    internalKey: config.host.internalKey,
    timeoutMs: config.allowanceTimeoutMs,
  });
  const guardrails = openRpcChannel({
    address: config.guardrailRpcAddress,
    service: "mcp-aggregator",
    internalKey: config.host.internalKey,
    timeoutMs: config.guardrailTimeoutMs,
  });
  const { events, spillFolder } = config;
  const processLog = openProcessLog({ events, spillFolder, service: "mcp-aggregator", telemetry });
  const service = createMcpAggregatorService(config, {
    telemetry,
    allowance: channel.client(AllowanceServiceDefinition),
    guardrail: guardrails.client(GuardrailServiceDefinition),
    events: processLog.transport,
    gatewayLog: processLog.gatewayLog,
    guard: createEgressGuard({ allow: config.egress.allow, logger: telemetry.log }),
  });
  return {
    ...service,
    async start() {
      await processLog.start();
      await service.start();
    },
    async stop() {
      await service.stop();
      await processLog.stop();
      channel.close();
      guardrails.close();
    },
  };
}
