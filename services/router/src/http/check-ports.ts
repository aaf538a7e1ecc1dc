import { once } from "node:events";
import { createServer, type Server } from "node:net";
import type { RouterConfig } from "../config.ts";
import { OperationsPortError } from "./operations-port-error.ts";

/**
 * Listens on both ports of a router and lets go of them, so that a start that must fail does so before anything is made.
 * @throws the platform's error for the port of clients (`EADDRINUSE`, `EACCES`), OperationsPortError for the other.
 */
export async function checkPorts({ host, port, operations }: RouterConfig): Promise<void> {
  const held: Server[] = [];
  try {
    held.push(await listen(host, port));
    held.push(
      await listen(operations.host, operations.port).catch((cause: unknown) => {
        throw OperationsPortError.of(operations.port, cause);
      }),
    );
  } finally {
    await Promise.all(held.map(async (server) => await new Promise((resolve) => server.close(resolve))));
  }
}

async function listen(host: string, port: number): Promise<Server> {
  const server = createServer().listen(port, host);
  await once(server, "listening");
  return server;
}
