import process from "node:process";
import { runService } from "@gatehouse/service";
import { loadConfig } from "./config.ts";
import { createLogbookProcess } from "./process.ts";

await runService({ name: "logbook", loadConfig, create: createLogbookProcess }, process);
