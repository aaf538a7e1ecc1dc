import process from "node:process";
import { runService } from "@gatehouse/service";
import { loadConfig } from "./config.ts";
import { createWebhookDispatcherProcess } from "./process.ts";

await runService({ name: "webhook-dispatcher", loadConfig, create: createWebhookDispatcherProcess }, process);
