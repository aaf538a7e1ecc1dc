import process from "node:process";
import { runService } from "@gatehouse/service";
import { loadConfig } from "./config.ts";
import { createChatProcess } from "./process.ts";

await runService({ name: "chat", loadConfig, create: createChatProcess }, process);
