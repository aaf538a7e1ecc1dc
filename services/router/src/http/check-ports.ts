import { once } from "node:events";
import { createServer, type Server } from "node:net";
import { codeOf } from "@gatehouse/errors";
import { UnusablePortError } from "@gatehouse/service";
import type { RouterConfig } from "../config.ts";

/**
 * Listens on both ports and closes them, so that a start that must fail does so before anything is created.
 * @throws the platform's error for the port of clients (`EADDRINUSE`, `EACCES`), OperationsPortError for the other
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

/** The operations port is in use or not permitted. The message addresses the operator. */
export class OperationsPortError extends UnusablePortError {
  override readonly name = "OperationsPortError";

  static of(port: number, cause: unknown): OperationsPortError {
    const code = codeOf(cause) ?? "unknown";
    const message = `The operations port ${port} cannot be opened (${code}). Set OPS_PORT to a free port, or to 0 for any.`;
    return new OperationsPortError(message, { cause });
  }
}
