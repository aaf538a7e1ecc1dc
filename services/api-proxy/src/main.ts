import process from "node:process";
import { runService } from "@gatehouse/service";
import { loadConfig } from "./config.ts";
import { createApiProxyProcess } from "./process.ts";

await runService({ name: "api-proxy", loadConfig, create: createApiProxyProcess }, process);
