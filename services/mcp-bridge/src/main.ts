import process from "node:process";
import { runService } from "@gatehouse/service";
import { mcpBridgeProgram } from "./program.ts";

await runService(mcpBridgeProgram, process);
