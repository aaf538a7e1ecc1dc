import process from "node:process";
import { runService } from "@gatehouse/service";
import { createGuardrailService } from "./app.ts";
import { loadConfig } from "./config.ts";

await runService({ name: "guardrail", loadConfig, create: createGuardrailService }, process);
