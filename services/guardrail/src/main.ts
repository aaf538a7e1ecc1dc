import process from "node:process";
import { runService } from "@gatehouse/service";
import { loadConfig } from "./config.ts";
import { createGuardrailProcess } from "./process.ts";

await runService({ name: "guardrail", loadConfig, create: createGuardrailProcess }, process);
