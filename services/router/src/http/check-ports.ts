import { once } from "node:events";
import { createServer, type Server } from "node:net";
import { ConfigError } from "@gatehouse/config";
import { hostProblem, toPortError } from "@gatehouse/service";
import type { RouterConfig } from "../config.ts";

/**
 * Listens on both ports and closes them, so that a start that must fail does so before anything is created.
 * @throws ConfigError that names each host which is no address of this machine, the platform's error for the port of clients
 * (`EADDRINUSE`, `EACCES`), UnusablePortError for the other
 */
export async function checkPorts({
  host,
  port,
  operations,
}: Pick<RouterConfig, "host" | "port" | "operations">): Promise<void> {
  const [clients, own] = await Promise.allSettled([listen(host, port), listen(operations.host, operations.port)]);
  const held = [clients, own].flatMap((outcome) => (outcome.status === "fulfilled" ? [outcome.value] : []));
  await Promise.all(held.map(async (server) => await new Promise((resolve) => server.close(resolve))));
  const problems = [hostProblem("HOST", failureOf(clients)), hostProblem("OPS_HOST", failureOf(own))];
  const found = problems.filter((problem) => problem !== undefined);
  if (found.length > 0) throw new ConfigError(found);
  if (clients.status === "rejected") throw clients.reason;
  if (own.status === "rejected") throw toOperationsPortError(operations.port, own.reason);
}

function failureOf(outcome: PromiseSettledResult<unknown>): unknown {
  return outcome.status === "rejected" ? outcome.reason : undefined;
}

async function listen(host: string, port: number): Promise<Server> {
  const server = createServer().listen(port, host);
  await once(server, "listening");
  return server;
}

/** Names the setting of the operations port in a failure to open it. */
export function toOperationsPortError(port: number, failure: unknown): unknown {
  return toPortError({ purpose: "operations", port, settings: { host: "OPS_HOST", port: "OPS_PORT" } }, failure);
}
