import process from "node:process";
import { runService } from "@gatehouse/service";
import { webhookDispatcherProgram } from "./program.ts";

await runService(webhookDispatcherProgram, process);
