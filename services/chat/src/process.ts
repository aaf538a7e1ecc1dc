import { openProcessLog } from "@gatehouse/gateway-log";
import { GuardrailServiceDefinition } from "@gatehouse/proto/guardrail";
import { openRpcChannel } from "@gatehouse/rpc";
import type { Service } from "@gatehouse/service";
import type { Telemetry } from "@gatehouse/telemetry";
import { createChatService } from "./app.ts";
import type { ChatProcessConfig } from "./config.ts";

/** The chat service in a process of its own, reaching the guardrail service over gRPC and the logbook over the broker. */
export function createChatProcess(config: ChatProcessConfig, telemetry: Telemetry): Service {
  const channel = openRpcChannel({
    address: config.guardrailRpcAddress,
    service: "chat",
    internalKey: config.host.internalKey,
    timeoutMs: config.guardrailTimeoutMs,
  });
  const { events, spillFolder } = config;
  const log = openProcessLog({ events, spillFolder, service: "chat", telemetry });
  const { transport, gatewayLog } = log;
  const guardrail = channel.client(GuardrailServiceDefinition);
  const service = createChatService(config, { telemetry, guardrail, events: transport, gatewayLog });
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
