import { findFreePort } from "@gatehouse/ports";
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
  for (let preferred = wanted === 0 ? undefined : wanted; ; preferred = undefined) {
    const found = await findFreePort(preferred);
    if (!taken.has(found)) return found;
  }
}
