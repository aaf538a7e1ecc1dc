import process from "node:process";
import { requireNode } from "@gatehouse/node-version";

requireNode(process);
const { runService } = await import("@gatehouse/service");
const { controlPlaneProgram } = await import("./program.ts");
await runService(controlPlaneProgram, process);
