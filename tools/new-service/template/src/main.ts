import process from "node:process";
import { runService } from "@gatehouse/service";
import { createTemplateService } from "./app.ts";
import { loadConfig } from "./config.ts";

await runService({ name: "template", loadConfig, create: createTemplateService }, process);
