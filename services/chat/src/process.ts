import { join } from "node:path";
import { openTransport } from "@gatehouse/events";
import { openGatewayLog } from "@gatehouse/gateway-log";
import { GuardrailServiceDefinition } from "@gatehouse/proto/guardrail";
import { openRpcChannel } from "@gatehouse/rpc";
import type { Service } from "@gatehouse/service";
import type { Telemetry } from "@gatehouse/telemetry";
import { createChatService } from "./app.ts";
import type { ChatProcessConfig } from "./config.ts";

/** The chat service in a process of its own, reaching the guardrail service over gRPC and the logbook over the broker. */
export function createChatProcess(config: ChatProcessConfig, telemetry: Telemetry): Service {
  const { log, metrics } = telemetry;
  const channel = openRpcChannel({
    address: config.guardrailRpcAddress,
    service: "chat",
    internalKey: config.host.internalKey,
    timeoutMs: config.guardrailTimeoutMs,
  });
  const transport = openTransport(config.events, "chat", telemetry);
  const spillFolder = join(config.spillFolder, "gateway-log-chat");
  const gatewayLog = openGatewayLog(config.events, { transport, spillFolder, log, metrics });
  const guardrail = channel.client(GuardrailServiceDefinition);
  const service = createChatService(config, { telemetry, guardrail, events: transport, gatewayLog });
  return {
    ...service,
    async start() {
      await transport.start();
      await gatewayLog.start();
      await service.start();
    },
    async stop() {
      await service.stop();
      await gatewayLog.stop();
      await transport.stop();
      channel.close();
    },
  };
}
