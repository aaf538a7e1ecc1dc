import process from "node:process";
import { loadConfig } from "./config.ts";
import { runWorker } from "./workers/run-worker.ts";

// The primary has checked the same settings.
runWorker(process, loadConfig(process.env));
