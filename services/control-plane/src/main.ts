import process from "node:process";
import { runService } from "@gatehouse/service";
import { createControlPlaneProcess } from "./app.ts";
import { loadConfig } from "./config.ts";

await runService({ name: "control-plane", loadConfig, create: createControlPlaneProcess }, process);
