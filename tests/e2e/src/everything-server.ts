import { createRequire } from "node:module";
import { setTimeout as delay } from "node:timers/promises";
import { findFreePort } from "@gatehouse/ports";
import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { StreamableHTTPClientTransport } from "@modelcontextprotocol/sdk/client/streamableHttp.js";
import { startChild } from "./child.ts";

const require = createRequire(import.meta.url);
const readyTimeoutMs = 15_000;

export interface EverythingServer {
  readonly url: string;
  /** The names of its tools, as it lists them to the official client. */
  readonly tools: readonly string[];
  stop(): Promise<void>;
}

/** The published `@modelcontextprotocol/server-everything`: sessions, event streams, a mandatory handshake. */
export async function startEverythingServer(): Promise<EverythingServer> {
  const port = await findFreePort();
  const script = require.resolve("@modelcontextprotocol/server-everything/dist/index.js");
  const child = startChild(script, { PORT: String(port) }, { args: ["streamableHttp"] });
  const url = `http://127.0.0.1:${port}/mcp`;
  try {
    return { url, tools: await listTools(url), stop: async () => void (await child.stop()) };
  } catch (cause) {
    await child.stop();
    throw new Error(`server-everything did not start:\n${child.output()}`, { cause });
  }
}

async function listTools(url: string): Promise<readonly string[]> {
  for (const until = Date.now() + readyTimeoutMs; ;) {
    const client = new Client({ name: "gatehouse-e2e", version: "1.0.0" });
    try {
      await client.connect(new StreamableHTTPClientTransport(new URL(url)));
      const { tools } = await client.listTools();
      await client.close();
      return tools.map(({ name }) => name);
    } catch (err) {
      if (Date.now() > until) throw err;
      await delay(50);
    }
  }
}
