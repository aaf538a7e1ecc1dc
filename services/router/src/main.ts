import process from "node:process";
import { runService } from "@gatehouse/service";
import { routerProgram } from "./program.ts";

await runService(routerProgram, process);
