import { join } from "node:path";
import { postRequest } from "../call.ts";
import { startListener } from "../child-process.ts";
import { packageFolder } from "../paths.ts";
import type { Subject } from "../subject.ts";

export interface McpServers {
  readonly origin: string;
  /** The server at a path without a gateway, as the subject `direct`. */
  direct(path: string): Subject;
  readonly stop: () => Promise<void>;
}

/** The body of a call of the tool `echo`. */
export function echoCall(name: string): object {
  return { jsonrpc: "2.0", id: 1, method: "tools/call", params: { name, arguments: { message: "hello" } } };
}

/** Starts the MCP servers of `src/mcp-server.ts`. */
export async function startMcpServers(): Promise<McpServers> {
  const { port, stop } = await startListener([process.execPath, join(packageFolder, "src", "mcp-server.ts")]);
  const headers = { accept: "application/json, text/event-stream" };
  return {
    origin: `http://127.0.0.1:${port}`,
    direct: (path) => ({
      name: "direct",
      port,
      prepare: async () => await Promise.resolve(postRequest(path, echoCall("echo"), headers)),
    }),
    stop: () => stop(),
  };
}
