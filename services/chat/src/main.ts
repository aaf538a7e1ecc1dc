import process from "node:process";
import { runService } from "@gatehouse/service";
import { chatProgram } from "./program.ts";

await runService(chatProgram, process);
