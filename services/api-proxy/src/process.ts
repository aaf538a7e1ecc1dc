import { openProcessLog } from "@gatehouse/gateway-log";
import { AllowanceServiceDefinition } from "@gatehouse/proto/chat-calls";
import { GuardrailServiceDefinition } from "@gatehouse/proto/guardrail";
import { openRpcChannel } from "@gatehouse/rpc";
import type { Service } from "@gatehouse/service";
import type { Telemetry } from "@gatehouse/telemetry";
import { createApiProxyService } from "./app.ts";
import type { ApiProxyProcessConfig } from "./config.ts";

/** The API proxy in a process of its own, asking the chat service's ledger over gRPC. */
export function createApiProxyProcess(config: ApiProxyProcessConfig, telemetry: Telemetry): Service {
  const channel = openRpcChannel({
    address: config.chatRpcAddress,
    service: "api-proxy",
    internalKey: config.host.internalKey,
    timeoutMs: config.proxy.allowanceTimeoutMs,
  });
  const guardrails = openRpcChannel({
    address: config.guardrailRpcAddress,
    service: "api-proxy",
    internalKey: config.host.internalKey,
    timeoutMs: config.guardrailTimeoutMs,
  });
  const { events, spillFolder } = config;
  const log = openProcessLog({ events, spillFolder, service: "api-proxy", telemetry });
  const service = createApiProxyService(config, {
    telemetry,
    allowances: channel.client(AllowanceServiceDefinition),
    guardrail: guardrails.client(GuardrailServiceDefinition),
    events: log.transport,
    gatewayLog: log.gatewayLog,
  });
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
      guardrails.close();
    },
  };
}
