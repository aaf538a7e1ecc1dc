import { once } from "node:events";
import type { Server } from "node:http";
import type { AddressInfo } from "node:net";

/** A server on this machine with an MCP route. */
export interface McpServed {
  readonly url: string;
  stop(): Promise<void>;
}

/** Listens on a free port of this machine. */
export async function serveMcpPath(server: Server): Promise<McpServed> {
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/mcp`,
    async stop() {
      server.closeAllConnections();
      server.close();
      await once(server, "close");
    },
  };
}
