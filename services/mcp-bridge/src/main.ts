import process from "node:process";
import { runService } from "@gatehouse/service";
import { loadConfig } from "./config.ts";
import { createMcpBridgeProcess } from "./process.ts";

await runService({ name: "mcp-bridge", loadConfig, create: createMcpBridgeProcess }, process);
