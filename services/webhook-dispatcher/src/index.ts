export { createWebhookDispatcherService, type WebhookDispatcherOverrides } from "./app.ts";
export { readWebhookDispatcherConfig, type WebhookDispatcherConfig } from "./config.ts";
export { type Checkpoint, type OnCheckpoint } from "./domain/delivery.ts";
export { webhookDispatcherProgram } from "./program.ts";
