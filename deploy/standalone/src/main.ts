import process from "node:process";
import { runMain } from "@gatehouse/local-start";
import { runStandalone } from "./run-standalone.ts";

await runMain(process, async () => await runStandalone(process));
