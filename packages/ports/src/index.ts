import { randomInt } from "node:crypto";
import { once } from "node:events";
import { connect, createServer } from "node:net";

const loopback = "127.0.0.1";

/**
 * Range of chosen ports: below those that Linux (32,768), macOS and Windows (49,152) give to outgoing connections, one of which
 * could otherwise take the port of a server while it starts again.
 */
const [portMin, portMax] = [10_240, 32_767];

/** Ports found by this process; servers use them later, so none is returned twice. */
const found = new Set<number>();

/**
 * A port of the loopback address that is free now: `preferred` if it is, else one chosen at random below those of outgoing
 * connections, and never one that this process has found before.
 */
export async function findFreePort(preferred?: number): Promise<number> {
  let port = preferred !== undefined && (await isFree(preferred)) ? preferred : undefined;
  while (port === undefined) {
    const picked = randomInt(portMin, portMax + 1);
    if (!found.has(picked) && (await isFree(picked))) port = picked;
  }
  found.add(port);
  return port;
}

/** Whether a server accepts connections at a port of the loopback address now. */
export async function isListening(port: number): Promise<boolean> {
  const socket = connect({ port, host: loopback });
  try {
    await once(socket, "connect");
    return true;
  } catch {
    return false;
  } finally {
    socket.destroy();
  }
}

function isFree(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const server = createServer();
    server.once("error", () => resolve(false));
    server.listen({ port, host: loopback, exclusive: true }, () => server.close(() => resolve(true)));
  });
}
