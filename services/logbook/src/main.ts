import process from "node:process";
import { requireNode } from "@gatehouse/node-version";

requireNode(process);
const { runService } = await import("@gatehouse/service");
const { logbookProgram } = await import("./program.ts");
await runService(logbookProgram, process);
