import { once } from "node:events";
import { createServer } from "node:net";
import { findFreePort } from "@gatehouse/ports";
import { defaultPorts, type ServiceName, serviceNames } from "@gatehouse/trust";

/** Where a service is on this machine. */
export interface Place {
  readonly name: ServiceName;
  readonly httpPort: number;
  readonly rpcPort: number;
}

/** Stands for all the usual ports: below those of gRPC, and of no service. */
const claimPort = 9_080;

/**
 * Ports for all services: their own numbers where these are free, else others. Services listen seconds after the choice, so of two
 * products that start at once one alone may take the usual numbers.
 */
export async function choosePlaces(routerPort: number): Promise<readonly Place[]> {
  const taken = new Set<number>([routerPort, claimPort]);
  const mayTakeUsual = await claimUsualPorts();
  const usual = (port: number) => (mayTakeUsual ? port : 0);
  const choose = async (wanted: number) => {
    const port = await freePort(taken.has(wanted) ? 0 : wanted, taken);
    taken.add(port);
    return port;
  };
  const places: Place[] = [];
  for (const name of serviceNames) {
    const { http, rpc } = defaultPorts(name);
    if (name === "router") places.push({ name, httpPort: routerPort, rpcPort: 0 });
    else places.push({ name, httpPort: await choose(usual(http)), rpcPort: await choose(usual(rpc)) });
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

/** Holds the claim for as long as this process lives. @returns whether it has it. */
async function claimUsualPorts(): Promise<boolean> {
  const server = createServer((socket) => socket.destroy())
    .listen(claimPort, "127.0.0.1")
    .unref();
  try {
    await once(server, "listening");
    return true;
  } catch {
    return false;
  }
}
