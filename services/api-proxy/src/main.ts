import process from "node:process";
import { runService } from "@gatehouse/service";
import { apiProxyProgram } from "./program.ts";

await runService(apiProxyProgram, process);
