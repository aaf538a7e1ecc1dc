import { once } from "node:events";
import { type AddressInfo, connect, createServer, type Socket } from "node:net";

/** A way to a broker that a test can break. */
export interface CutProxy {
  readonly url: string;
  /** Ends every connection, without a word to either side. */
  cut(): void;
  close(): Promise<void>;
}

export async function startCutProxy(url: string): Promise<CutProxy> {
  const target = Number(new URL(url).port);
  const sockets = new Set<Socket>();
  const server = createServer((client) => {
    const broker = connect(target, "127.0.0.1");
    for (const socket of [client, broker]) {
      sockets.add(socket);
      socket.on("error", () => {}).on("close", () => sockets.delete(socket));
    }
    client.pipe(broker).pipe(client);
  }).listen(0, "127.0.0.1");
  await once(server, "listening");
  const cut = () => sockets.forEach((socket) => socket.resetAndDestroy());
  return {
    url: `nats://127.0.0.1:${(server.address() as AddressInfo).port}`,
    cut,
    async close() {
      server.close();
      cut();
      await once(server, "close");
    },
  };
}
