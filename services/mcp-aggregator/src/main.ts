import process from "node:process";
import { runService } from "@gatehouse/service";
import { mcpAggregatorProgram } from "./program.ts";

await runService(mcpAggregatorProgram, process);
