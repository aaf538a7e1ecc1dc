import process from "node:process";
import { runService } from "@gatehouse/service";
import { createLogbookService } from "./app.ts";
import { loadConfig } from "./config.ts";

await runService({ name: "logbook", loadConfig, create: createLogbookService }, process);
