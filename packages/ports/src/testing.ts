import { once } from "node:events";
import { type AddressInfo, connect, createServer, type Socket } from "node:net";

/**
 * Origin without a server. The system never assigns ports below 1,024 by itself, whereas a free port may be another test's by the
 * time it is used.
 */
export const nowhere = "http://127.0.0.1:1";

/** A proxy that can stop all traffic, like a stopped process, or break it, like a killed one. */
export interface TestProxy {
  readonly port: number;
  /** Number of connections that clients have opened, refused ones included. */
  readonly attempts: number;
  freeze(): void;
  thaw(): void;
  /** Resets every connection. */
  cut(): void;
  /** Resets every connection, and new ones until `accept`. */
  refuse(): void;
  accept(): void;
  close(): Promise<void>;
}

/** Starts a proxy to a port of the loopback address. */
export async function startTestProxy(port: number): Promise<TestProxy> {
  const sockets = new Set<Socket>();
  let attempts = 0;
  const pairs = new Set<readonly [Socket, Socket]>();
  let isRefusing = false;
  let isFrozen = false;
  const pass = ([client, upstream]: readonly [Socket, Socket]) => client.pipe(upstream).pipe(client);
  const server = createServer((client) => {
    attempts += 1;
    if (isRefusing) {
      client.on("error", () => {}).resetAndDestroy();
      return;
    }
    const upstream = connect(port, "127.0.0.1");
    for (const socket of [client, upstream]) {
      sockets.add(socket);
      socket.on("error", () => {}).on("close", () => sockets.delete(socket));
    }
    const pair = [client, upstream] as const;
    pairs.add(pair);
    client.on("close", () => {
      upstream.destroy();
      pairs.delete(pair);
    });
    upstream.on("close", () => client.destroy());
    if (!isFrozen) pass(pair);
  }).listen(0, "127.0.0.1");
  await once(server, "listening");
  const cut = () => sockets.forEach((socket) => socket.resetAndDestroy());
  return {
    port: (server.address() as AddressInfo).port,
    get attempts() {
      return attempts;
    },
    freeze() {
      isFrozen = true;
      // A pipe would resume its source as soon as the other side reads on.
      for (const socket of sockets) socket.unpipe().pause();
    },
    thaw() {
      isFrozen = false;
      pairs.forEach(pass);
    },
    cut,
    refuse() {
      isRefusing = true;
      cut();
    },
    accept() {
      isRefusing = false;
    },
    async close() {
      server.close();
      cut();
      await once(server, "close");
    },
  };
}
