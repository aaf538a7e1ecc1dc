import process from "node:process";
import { runService } from "@gatehouse/service";
import { controlPlaneProgram } from "./program.ts";

await runService(controlPlaneProgram, process);
