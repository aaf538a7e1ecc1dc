import { type RunnableService, toRunnable } from "@gatehouse/service";
import type { ServiceName } from "@gatehouse/trust";

/** Programs by service, loaded only where needed; each comes after those that it calls. */
const programs: Readonly<Record<ServiceName, () => Promise<RunnableService>>> = {
  logbook: async () => toRunnable((await import("@gatehouse/logbook")).logbookProgram),
  "webhook-dispatcher": async () =>
    toRunnable((await import("@gatehouse/webhook-dispatcher")).webhookDispatcherProgram),
  guardrail: async () => toRunnable((await import("@gatehouse/guardrail")).guardrailProgram),
  chat: async () => toRunnable((await import("@gatehouse/chat")).chatProgram),
  "mcp-bridge": async () => toRunnable((await import("@gatehouse/mcp-bridge")).mcpBridgeProgram),
  "mcp-aggregator": async () => toRunnable((await import("@gatehouse/mcp-aggregator")).mcpAggregatorProgram),
  "api-proxy": async () => toRunnable((await import("@gatehouse/api-proxy")).apiProxyProgram),
  "control-plane": async () => toRunnable((await import("@gatehouse/control-plane")).controlPlaneProgram),
  router: async () => toRunnable((await import("@gatehouse/router")).routerProgram),
};

/** Loads the programs of a set of services, each after those that it calls. */
export async function loadPrograms(names: ReadonlySet<ServiceName>): Promise<readonly RunnableService[]> {
  const wanted = Object.entries(programs).filter(([name]) => (names as ReadonlySet<string>).has(name));
  return await Promise.all(wanted.map(async ([, load]) => await load()));
}
