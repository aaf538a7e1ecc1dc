import process from "node:process";
import { runService } from "@gatehouse/service";
import { logbookProgram } from "./program.ts";

await runService(logbookProgram, process);
