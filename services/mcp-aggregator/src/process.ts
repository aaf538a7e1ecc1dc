import { createEgressGuard } from "@gatehouse/egress";
import { openTransport } from "@gatehouse/events";
import { createGatewayLog } from "@gatehouse/gateway-log";
import { AllowanceServiceDefinition } from "@gatehouse/proto/chat-calls";
import { openRpcChannel } from "@gatehouse/rpc";
import type { Service } from "@gatehouse/service";
import type { Telemetry } from "@gatehouse/telemetry";
import { createMcpAggregatorService } from "./app.ts";
import type { McpAggregatorProcessConfig } from "./config.ts";

/** The aggregator in a process of its own: limits over gRPC, events over the broker. */
export function createMcpAggregatorProcess(config: McpAggregatorProcessConfig, telemetry: Telemetry): Service {
  const { log, metrics } = telemetry;
  const channel = openRpcChannel({
    address: config.chatRpcAddress,
    service: "mcp-aggregator",
    internalKey: config.host.internalKey,
    timeoutMs: config.allowanceTimeoutMs,
  });
  const events = openTransport(config.events, "mcp-aggregator", telemetry);
  const gatewayLog = createGatewayLog({ transport: events, spillFolder: config.spillFolder, log, metrics });
  const service = createMcpAggregatorService(config, {
    telemetry,
    allowance: channel.client(AllowanceServiceDefinition),
    events,
    gatewayLog,
    guard: createEgressGuard({ allow: config.egress.allow, logger: log }),
  });
  return {
    ...service,
    async start() {
      await events.start();
      await gatewayLog.start();
      await service.start();
    },
    async stop() {
      await service.stop();
      await gatewayLog.stop();
      await events.stop();
      channel.close();
    },
  };
}
