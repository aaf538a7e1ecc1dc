import process from "node:process";
import { runService } from "@gatehouse/service";
import { createChatService } from "./app.ts";
import { loadConfig } from "./config.ts";

await runService(
  { name: "chat", loadConfig, create: (config, telemetry) => createChatService(config, { telemetry }) },
  process,
);
