import { once } from "node:events";
import { createServer } from "node:net";
import type { ServiceName } from "@gatehouse/trust";

/**
 * Every service that runs as a process, in the order in which they start: those that store events before those that have some
 * to tell, and the router, which opens the gateway to clients, last. They end in the reverse order.
 */
export const startOrder = [
  "logbook",
  "webhook-dispatcher",
  "guardrail",
  "chat",
  "mcp-bridge",
  "mcp-aggregator",
  "api-proxy",
  "control-plane",
  "router",
] as const satisfies readonly ServiceName[];

/** Where a service is on this machine. */
export interface Place {
  readonly name: ServiceName;
  readonly httpPort: number;
  readonly rpcPort: number;
}

/** The services' own numbers, as docs/configuration.md lists them; the router's is set by `PORT`. */
const httpPorts: Readonly<Record<ServiceName, number>> = {
  router: 0,
  "control-plane": 8081,
  chat: 8082,
  guardrail: 8083,
  "mcp-bridge": 8084,
  "mcp-aggregator": 8085,
  "api-proxy": 8086,
  "webhook-dispatcher": 8087,
  logbook: 8088,
};
const rpcOffset = 1_000;

/** Ports for all services: their own numbers where these are free, else others. */
export async function choosePlaces(routerPort: number): Promise<readonly Place[]> {
  const taken = new Set<number>([routerPort]);
  const choose = async (wanted: number) => {
    const port = await freePort(taken.has(wanted) ? 0 : wanted, taken);
    taken.add(port);
    return port;
  };
  const places: Place[] = [];
  for (const name of startOrder) {
    const httpPort = name === "router" ? routerPort : await choose(httpPorts[name]);
    places.push({ name, httpPort, rpcPort: name === "router" ? 0 : await choose(httpPorts[name] + rpcOffset) });
  }
  return places;
}

/** A port of loopback that was free a moment ago: `wanted`, or any other that is not `taken`. */
export async function freePort(wanted: number, taken: ReadonlySet<number> = new Set()): Promise<number> {
  for (let port = wanted; ; port = 0) {
    const found = await tryPort(port);
    if (found !== undefined && !taken.has(found)) return found;
  }
}

async function tryPort(port: number): Promise<number | undefined> {
  const server = createServer().listen(port, "127.0.0.1");
  try {
    await once(server, "listening");
  } catch {
    return undefined;
  }
  const address = server.address();
  const closed = once(server, "close");
  server.close();
  await closed;
  return address === null || typeof address === "string" ? undefined : address.port;
}
