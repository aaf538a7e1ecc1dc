import type { ServiceProgram } from "@gatehouse/service";
import { createWebhookDispatcherService } from "./app.ts";
import { loadConfig, type WebhookDispatcherConfig } from "./config.ts";

export { createWebhookDispatcherService, type WebhookDispatcherDependencies } from "./app.ts";
export { readWebhookDispatcherConfig, type WebhookDispatcherConfig } from "./config.ts";
export { type Checkpoint, type OnCheckpoint } from "./domain/delivery.ts";

/** Entry for every host: a process (`main.ts`), standalone, or a set of services. Connects to no other service. */
export const webhookDispatcherProgram: ServiceProgram<WebhookDispatcherConfig> = {
  name: "webhook-dispatcher",
  loadConfig,
  create: (config, host) => createWebhookDispatcherService(config, host),
};
