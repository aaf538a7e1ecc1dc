import { once } from "node:events";
import { connect, createServer } from "node:net";

const loopback = "127.0.0.1";

/** Ports found by this process; servers use them later, so none is returned twice. */
const found = new Set<number>();

/**
 * A port of the loopback address that is free now: `preferred` if it is, else one chosen by the system, and never one that this
 * process has found before.
 */
export async function findFreePort(preferred?: number): Promise<number> {
  let port = preferred === undefined ? undefined : await tryListen(preferred);
  while (port === undefined) {
    const picked = await listenOnce(0);
    if (!found.has(picked)) port = picked;
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

async function tryListen(port: number): Promise<number | undefined> {
  return await listenOnce(port).catch(() => undefined);
}

function listenOnce(port: number): Promise<number> {
  return new Promise((resolve, reject) => {
    const server = createServer();
    server.once("error", reject);
    server.listen({ port, host: loopback, exclusive: true }, () => {
      const address = server.address();
      server.close(() => resolve(typeof address === "object" && address !== null ? address.port : port));
    });
  });
}
