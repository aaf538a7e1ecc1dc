import { randomBytes } from "node:crypto";
import { once } from "node:events";
import { mkdtemp, rm } from "node:fs/promises";
import { createServer } from "node:net";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { createTestDatabase } from "@gatehouse/postgres/testing";
import { type Child, startChild } from "./child.ts";

/** The composed product as a client sees it, with what a test needs to administer and to end it. */
export interface Product {
  readonly url: string;
  readonly adminKey: string;
  /** Everything that its processes have printed. */
  output(): string;
  readonly processes: readonly Child[];
  stop(): Promise<void>;
}

export interface ProductOptions {
  readonly env?: Readonly<Record<string, string>>;
}

const readyTimeoutMs = 30_000;

/** Starts the product in one process, on a database of its own. */
export async function startStandalone({ env = {} }: ProductOptions = {}): Promise<Product> {
  const database = await createTestDatabase();
  const home = await mkdtemp(join(tmpdir(), "gatehouse-e2e-"));
  const port = await freePort();
  const adminKey = newAdminKey();
  const child = startChild("deploy/standalone/dist/main.js", {
    PORT: String(port),
    GATEHOUSE_HOME: home,
    GATEHOUSE_DEMO: "off",
    GATEHOUSE_ADMIN_KEY: adminKey,
    DATABASE_URL: database.url,
    ...env,
  });
  const cleanUp = async () => {
    await rm(home, { recursive: true, force: true });
    await database.drop();
  };
  return await becomeReady({ url: `http://127.0.0.1:${port}`, adminKey, children: [child], cleanUp });
}

/** Starts every service as a process of its own, talking HTTP and gRPC, on a database of their own. */
export async function startServices({ env = {} }: ProductOptions = {}): Promise<Product> {
  const database = await createTestDatabase();
  const [routerPort, controlHttp, controlRpc, chatHttp, chatRpc, ...ports] = await freePorts(9);
  const [guardrailHttp, guardrailRpc, bridgeHttp, bridgeRpc] = ports;
  const adminKey = newAdminKey();
  const common = {
    HOST: "127.0.0.1",
    GATEHOUSE_INTERNAL_KEY: randomBytes(32).toString("base64url"),
    ...env,
  };
  const guardrail = startChild("services/guardrail/dist/main.js", {
    ...common,
    PORT: String(guardrailHttp),
    RPC_PORT: String(guardrailRpc),
    DATABASE_URL: database.url,
  });
  const chat = startChild("services/chat/dist/main.js", {
    ...common,
    PORT: String(chatHttp),
    RPC_PORT: String(chatRpc),
    DATABASE_URL: database.url,
    GATEHOUSE_KEYRING: `k1:${randomBytes(32).toString("base64")}`,
    GUARDRAIL_RPC_ADDRESS: `127.0.0.1:${guardrailRpc}`,
  });
  const mcpBridge = startChild("services/mcp-bridge/dist/main.js", {
    ...common,
    PORT: String(bridgeHttp),
    RPC_PORT: String(bridgeRpc),
    DATABASE_URL: database.url,
    CHAT_RPC_ADDRESS: `127.0.0.1:${chatRpc}`,
  });
  const controlPlane = startChild("services/control-plane/dist/main.js", {
    ...common,
    PORT: String(controlHttp),
    RPC_PORT: String(controlRpc),
    DATABASE_URL: database.url,
    GATEHOUSE_ADMIN_KEY: adminKey,
    CHAT_RPC_ADDRESS: `127.0.0.1:${chatRpc}`,
    GUARDRAIL_RPC_ADDRESS: `127.0.0.1:${guardrailRpc}`,
  });
  const router = startChild("services/router/dist/main.js", {
    ...common,
    PORT: String(routerPort),
    CONTROL_PLANE_RPC_ADDRESS: `127.0.0.1:${controlRpc}`,
    CONTROL_PLANE_URL: `http://127.0.0.1:${controlHttp}`,
    CHAT_URL: `http://127.0.0.1:${chatHttp}`,
    MCP_BRIDGE_URL: `http://127.0.0.1:${bridgeHttp}`,
  });
  const children = [router, controlPlane, chat, guardrail, mcpBridge];
  const url = `http://127.0.0.1:${routerPort}`;
  // The router's readiness does not speak for services without which most calls go on.
  const alsoReady = [guardrailHttp, bridgeHttp].map((port) => `http://127.0.0.1:${port}`);
  return await becomeReady({ url, alsoReady, adminKey, children, cleanUp: async () => await database.drop() });
}

interface Starting {
  readonly url: string;
  /** Services that must be ready besides. */
  readonly alsoReady?: readonly string[];
  readonly adminKey: string;
  readonly children: readonly Child[];
  readonly cleanUp: () => Promise<void>;
}

async function becomeReady({ url, alsoReady = [], adminKey, children, cleanUp }: Starting): Promise<Product> {
  const output = () => children.map((child) => child.output()).join("\n");
  const stop = async () => {
    await Promise.all(children.map(async (child) => await child.stop()));
    await cleanUp();
  };
  try {
    for (const ready of [url, ...alsoReady]) await waitUntilReady(ready, children);
  } catch (cause) {
    await stop();
    throw new Error(`The product did not become ready:\n${output()}`, { cause });
  }
  return { url, adminKey, output, processes: children, stop };
}

async function waitUntilReady(url: string, children: readonly Child[]): Promise<void> {
  const until = Date.now() + readyTimeoutMs;
  while (Date.now() < until) {
    if (children.some((child) => child.process.exitCode !== null)) throw new Error("A process ended.");
    const reply = await fetch(`${url}/readyz`).catch(() => undefined);
    if (reply?.status === 200) return;
    await delay(50);
  }
  throw new Error(`Not ready within ${readyTimeoutMs} ms.`);
}

function newAdminKey(): string {
  return `svc_admin_${randomBytes(24).toString("hex")}`;
}

async function freePorts(count: number): Promise<number[]> {
  const ports: number[] = [];
  while (ports.length < count) {
    const port = await freePort();
    if (!ports.includes(port)) ports.push(port);
  }
  return ports;
}

/** A port that was free a moment ago. */
export async function freePort(): Promise<number> {
  const server = createServer().listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  server.close();
  await once(server, "close");
  return port;
}
