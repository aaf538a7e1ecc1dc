import process from "node:process";
import { requireNode } from "@gatehouse/node-version";

requireNode(process);
const { runService } = await import("@gatehouse/service");
const { webhookDispatcherProgram } = await import("./program.ts");
await runService(webhookDispatcherProgram, process);
