import { once } from "node:events";
import { createServer } from "node:net";
import { defaultPorts, type ServiceName, serviceNames } from "@gatehouse/trust";
import type { PortChoice } from "./port-choice.ts";

/** Ports chosen for one service of this run, by {@link choosePlaces}. `rpcPort` is 0 for the router, which serves no gRPC. */
export interface Place {
  readonly name: ServiceName;
  readonly httpPort: number;
  readonly rpcPort: number;
}

/** Port that claims all default ports: below those of gRPC, and of no service. */
const claimPort = 9_080;

/**
 * Chooses ports for all services: the defaults where free, else others. Services listen seconds after the choice, so only one of
 * two products that start at once may take the defaults.
 */
export async function choosePlaces(routerPort: number, ports: PortChoice): Promise<readonly Place[]> {
  ports.take(claimPort);
  const mayTakeUsual = await claimUsualPorts();
  const usual = (port: number) => (mayTakeUsual ? port : 0);
  const places: Place[] = [];
  for (const name of serviceNames) {
    const { http, rpc } = defaultPorts(name);
    if (name === "router") places.push({ name, httpPort: routerPort, rpcPort: 0 });
    else places.push({ name, httpPort: await ports.choose(usual(http)), rpcPort: await ports.choose(usual(rpc)) });
  }
  return places;
}

/** Holds the claim as long as this process lives. @returns whether it was granted. */
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
