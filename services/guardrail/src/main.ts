import process from "node:process";
import { runService } from "@gatehouse/service";
import { guardrailProgram } from "./program.ts";

await runService(guardrailProgram, process);
