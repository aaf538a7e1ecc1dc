import { mkdirSync, writeFileSync } from "node:fs";
import { dirname, resolve } from "node:path";
import { operations as apiProxy } from "@gatehouse/api-proxy/operations";
import { operations as chat } from "@gatehouse/chat/operations";
import { operations as controlPlane } from "@gatehouse/control-plane/operations";
import { operations as guardrail } from "@gatehouse/guardrail/operations";
import { operations as logbook } from "@gatehouse/logbook/operations";
import { upstreamOperations as mcpAggregator } from "@gatehouse/mcp-aggregator/operations";
import { operations as webhookDispatcher } from "@gatehouse/webhook-dispatcher/operations";
import { writeOperationsFile } from "./operations-file.ts";

const [target] = process.argv.slice(2);
if (target === undefined) throw new Error("Usage: main.ts <file to write>");
const owners = [controlPlane, chat, guardrail, webhookDispatcher, mcpAggregator, apiProxy, logbook];
const path = resolve(target);
mkdirSync(dirname(path), { recursive: true });
writeFileSync(path, writeOperationsFile(owners.flat()));
