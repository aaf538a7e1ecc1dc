import { listOwnAddresses } from "@gatehouse/egress";
import { openTransport } from "@gatehouse/events";
import type { Service } from "@gatehouse/service";
import type { Telemetry } from "@gatehouse/telemetry";
import { createWebhookDispatcherService } from "./app.ts";
import type { WebhookDispatcherProcessConfig } from "./config.ts";

/** The webhook dispatcher as a separate process, which consumes events from the broker. */
export function createWebhookDispatcherProcess(config: WebhookDispatcherProcessConfig, telemetry: Telemetry): Service {
  const events = openTransport(config.events, "webhook-dispatcher", telemetry);
  const { host, httpPort, rpcPort } = config.host;
  const ownAddresses = [httpPort, rpcPort].flatMap((port) => listOwnAddresses(host, port));
  const service = createWebhookDispatcherService(config, { telemetry, events, ownAddresses });
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
