import process from "node:process";
import { runService } from "@gatehouse/service";
import { loadConfig } from "./config.ts";
import { createMcpAggregatorProcess } from "./process.ts";

await runService({ name: "mcp-aggregator", loadConfig, create: createMcpAggregatorProcess }, process);
