import process from "node:process";
import { requireNode } from "@gatehouse/node-version";

requireNode(process);
const { runService } = await import("@gatehouse/service");
const { apiProxyProgram } = await import("./program.ts");
await runService(apiProxyProgram, process);
