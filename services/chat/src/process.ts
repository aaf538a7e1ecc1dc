import { GuardrailServiceDefinition } from "@gatehouse/proto/guardrail";
import { openRpcChannel } from "@gatehouse/rpc";
import type { Service } from "@gatehouse/service";
import type { Telemetry } from "@gatehouse/telemetry";
import { createChatService } from "./app.ts";
import type { ChatProcessConfig } from "./config.ts";

/** The chat service in a process of its own, reaching the guardrail service over gRPC. */
export function createChatProcess(config: ChatProcessConfig, telemetry: Telemetry): Service {
  const channel = openRpcChannel({
    address: config.guardrailRpcAddress,
    service: "chat",
    internalKey: config.host.internalKey,
    timeoutMs: config.guardrailTimeoutMs,
  });
  const service = createChatService(config, { telemetry, guardrail: channel.client(GuardrailServiceDefinition) });
  return {
    ...service,
    async stop() {
      await service.stop();
      channel.close();
    },
  };
}
