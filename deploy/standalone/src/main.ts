import process from "node:process";
import { runMain } from "@gatehouse/local-start";
import { runStandalone } from "./run-standalone.ts";

await runMain(process, "Gatehouse in one process", async () => await runStandalone(process));
