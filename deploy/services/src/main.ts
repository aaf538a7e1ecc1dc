import process from "node:process";
import { runMain } from "@gatehouse/local-start";
import { loadConfig } from "./config.ts";
import { runServices } from "./run-services.ts";

await runMain(process, "Gatehouse as services", async () => await runServices(loadConfig(process.env), process));
