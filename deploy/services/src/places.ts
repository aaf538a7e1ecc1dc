import { once } from "node:events";
import { createServer } from "node:net";
import { defaultPorts, type ServiceName, serviceNames } from "@gatehouse/trust";

/** Where a service is on this machine. */
export interface Place {
  readonly name: ServiceName;
  readonly httpPort: number;
  readonly rpcPort: number;
}

/** Ports for all services: their own numbers where these are free, else others. */
export async function choosePlaces(routerPort: number): Promise<readonly Place[]> {
  const taken = new Set<number>([routerPort]);
  const choose = async (wanted: number) => {
    const port = await freePort(taken.has(wanted) ? 0 : wanted, taken);
    taken.add(port);
    return port;
  };
  const places: Place[] = [];
  for (const name of serviceNames) {
    const { http, rpc } = defaultPorts(name);
    if (name === "router") places.push({ name, httpPort: routerPort, rpcPort: 0 });
    else places.push({ name, httpPort: await choose(http), rpcPort: await choose(rpc) });
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
