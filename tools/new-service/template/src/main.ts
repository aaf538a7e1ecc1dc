import process from "node:process";
import { runService } from "@gatehouse/service";
import { templateProgram } from "./program.ts";

await runService(templateProgram, process);
