import { once } from "node:events";
import { type AddressInfo, connect, createServer, type Socket } from "node:net";

/**
 * The origin of a server that is not there. The system gives no program a port below 1,024 by itself, whereas a free one that was
 * looked for may be another test's by the time it is used.
 */
export const nowhere = "http://127.0.0.1:1";

/** A way to a server on which a test can stop all traffic, as with a process that is stopped, or break it, as with one that is killed. */
export interface TestProxy {
  readonly port: number;
  freeze(): void;
  thaw(): void;
  /** Ends every connection without a word to either side. */
  cut(): void;
  close(): Promise<void>;
}

/** Starts a proxy to a port of the loopback address. */
export async function startTestProxy(port: number): Promise<TestProxy> {
  const sockets = new Set<Socket>();
  const server = createServer((client) => {
    const upstream = connect(port, "127.0.0.1");
    for (const socket of [client, upstream]) {
      sockets.add(socket);
      socket.on("error", () => {}).on("close", () => sockets.delete(socket));
    }
    client.pipe(upstream).pipe(client);
  }).listen(0, "127.0.0.1");
  await once(server, "listening");
  const cut = () => sockets.forEach((socket) => socket.resetAndDestroy());
  return {
    port: (server.address() as AddressInfo).port,
    freeze: () => sockets.forEach((socket) => socket.pause()),
    thaw: () => sockets.forEach((socket) => socket.resume()),
    cut,
    async close() {
      server.close();
      cut();
      await once(server, "close");
    },
  };
}
