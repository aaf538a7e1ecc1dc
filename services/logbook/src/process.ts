import { openTransport } from "@gatehouse/events";
import type { Service } from "@gatehouse/service";
import type { Telemetry } from "@gatehouse/telemetry";
import { createLogbookService } from "./app.ts";
import type { LogbookProcessConfig } from "./config.ts";

/** The logbook as a separate process, which consumes events and log entries from the broker. */
export function createLogbookProcess(config: LogbookProcessConfig, telemetry: Telemetry): Service {
  const events = openTransport(config.events, "logbook", telemetry);
  const service = createLogbookService(config, { telemetry, events });
  return {
    ...service,
    async start() {
      await service.start();
      await events.start();
    },
    async stop() {
      await events.stop();
      await service.stop();
    },
  };
}
