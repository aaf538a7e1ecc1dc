import process from "node:process";
import { loadConfig } from "./config.ts";
import { runWorker } from "./workers/run-worker.ts";

// The primary has read the same settings, and refused wrong ones.
runWorker(process, loadConfig(process.env));
