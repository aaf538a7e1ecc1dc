import { openTransport } from "@gatehouse/events";
import type { Service } from "@gatehouse/service";
import type { Telemetry } from "@gatehouse/telemetry";
import { createGuardrailService } from "./app.ts";
import type { GuardrailProcessConfig } from "./config.ts";

/** The guardrail service in a process of its own, whose events go out over NATS. */
export function createGuardrailProcess(config: GuardrailProcessConfig, telemetry: Telemetry): Service {
  const events = openTransport(config.events, "guardrail", telemetry);
  const service = createGuardrailService(config, { telemetry, events });
  return {
    ...service,
    async start() {
      await events.start();
      await service.start();
    },
    async stop() {
      await service.stop();
      await events.stop();
    },
  };
}
