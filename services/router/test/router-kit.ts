import { createServer, type RequestListener, type Server } from "node:http";
import { type AddressInfo, connect } from "node:net";
import { EnvReader } from "@gatehouse/config";
import { createInProcessTransport } from "@gatehouse/events";
import type { GatewayLog } from "@gatehouse/gateway-log";
import type { ServiceHandler } from "@gatehouse/principal";
import { createPrincipalSigner } from "@gatehouse/principal";
import { PrincipalServiceDefinition } from "@gatehouse/proto/control-plane";
import { openRpcChannel } from "@gatehouse/rpc";
import { isReady, type Readiness } from "@gatehouse/service";
import { createSilentTelemetry, type Telemetry } from "@gatehouse/telemetry";
import { createTestTrust } from "@gatehouse/trust/testing";
import {
  createProxiedHandler,
  createRemoteHandler,
  createRouterService,
  openServicePeers,
  readRouterConfig,
  type RouterConfig,
  type RouterDependencies,
  type RouterService,
  type ServicePeers,
} from "../src/program.ts";
import { FakeControlPlane } from "./fake-control-plane.ts";

export const trust = createTestTrust();

export interface RouterKit {
  readonly controlPlane: FakeControlPlane;
  readonly router: RouterService;
  readonly origin: string;
  /** Origin of `/readyz` and `/metrics`. */
  readonly operationsOrigin: string;
  readonly telemetry: Telemetry;
  close(): Promise<void>;
}

export interface KitOptions {
  readonly chat?: ServiceHandler | { readonly origin: string };
  readonly controlPlaneHttp?: ServiceHandler | { readonly origin: string };
  readonly bridge?: ServiceHandler;
  readonly aggregator?: ServiceHandler;
  readonly env?: Readonly<Record<string, string>>;
  readonly overrides?: Partial<RouterDependencies>;
  readonly telemetry?: Telemetry;
  readonly gatewayLog?: GatewayLog;
  readonly servicesReadiness?: () => Promise<Readiness>;
  readonly consoleFolder?: string;
}

/** Answers with the context of the caller that the service received, after reading the body. */
export const echo: ServiceHandler = async (req, res, { principal, requestId, ipAddress }) => {
  const chunks: Buffer[] = [];
  for await (const chunk of req) chunks.push(chunk as Buffer);
  const body = { ok: true, principal, requestId, ipAddress, path: req.url, body: Buffer.concat(chunks).toString() };
  res.writeHead(200, { "content-type": "application/json" }).end(JSON.stringify(body));
};

export function testConfig(env: Readonly<Record<string, string>> = {}): RouterConfig {
  const reader = new EnvReader({ HOST: "127.0.0.1", PORT: "0", OPS_HOST: "127.0.0.1", OPS_PORT: "0", ...env });
  const config = readRouterConfig(reader);
  reader.finish();
  return config;
}

/** A router on a separate port over real HTTP, with a control plane over real gRPC. */
export async function startRouter(options: KitOptions = {}): Promise<RouterKit> {
  const {
    chat = echo,
    controlPlaneHttp = echo,
    bridge = echo,
    aggregator = echo,
    env = {},
    overrides = {},
    telemetry = createSilentTelemetry(),
  } = options;
  const controlPlane = new FakeControlPlane(trust.of("control-plane"));
  await controlPlane.start();
  const channel = openRpcChannel({
    address: controlPlane.address,
    target: "control-plane",
    trust: trust.of("router"),
    timeoutMs: 2_000,
  });
  const opened: ServicePeers[] = [];
  const open = (url: string) => {
    const peers = openServicePeers({ service: "chat", url, connectionsMax: 512 });
    opened.push(peers);
    return peers;
  };
  const signer = createPrincipalSigner(trust.of("router"), "chat");
  const remoteChat = typeof chat === "function" ? chat : createRemoteHandler({ peers: open(chat.origin), signer });
  const proxied =
    typeof controlPlaneHttp === "function"
      ? controlPlaneHttp
      : createProxiedHandler(open(controlPlaneHttp.origin), signer, 5_000);
  const router = createRouterService(testConfig(env), {
    principals: channel.client(PrincipalServiceDefinition),
    services: {
      "api-proxy": proxied,
      chat: remoteChat,
      "control-plane": proxied,
      "mcp-bridge": bridge,
      "mcp-aggregator": aggregator,
    },
    telemetry,
    events: createInProcessTransport(),
    ...(options.gatewayLog === undefined ? {} : { gatewayLog: options.gatewayLog }),
    ...(options.consoleFolder === undefined ? {} : { consoleFolder: options.consoleFolder }),
    servicesReadiness: options.servicesReadiness ?? (async () => isReady),
    ...overrides,
  });
  await router.start();
  return {
    controlPlane,
    router,
    telemetry,
    origin: `http://127.0.0.1:${router.port()}`,
    operationsOrigin: `http://127.0.0.1:${router.operationsPort()}`,
    async close() {
      await router.stop();
      channel.close();
      for (const peers of opened) peers.close();
      await controlPlane.stop();
    },
  };
}

export interface ScriptedServer {
  readonly origin: string;
  close(): void;
}

export async function startScripted(listener: RequestListener): Promise<ScriptedServer> {
  const server: Server = createServer((req, res) => {
    // The router's probe.
    if (req.url === "/healthz") res.end('{"ok":true}');
    else listener(req, res);
  });
  await new Promise<void>((resolve) => void server.listen(0, "127.0.0.1", resolve));
  return {
    origin: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    close: () => {
      server.close();
      server.closeAllConnections();
    },
  };
}

/** Polls until a condition holds that another process or stream causes. */
export async function until(condition: () => boolean | Promise<boolean>, timeoutMs = 5_000): Promise<void> {
  const deadline = performance.now() + timeoutMs;
  while (!(await condition())) {
    if (performance.now() > deadline) throw new Error(`Not so within ${timeoutMs} ms.`);
    await new Promise((resolve) => void setTimeout(resolve, 5));
  }
}

/** Sends raw bytes and resolves with the whole response once the connection is closed. */
export function sendRaw(origin: string, ...parts: readonly string[]): Promise<string> {
  return new Promise((resolve, reject) => {
    const socket = connect(Number(new URL(origin).port), "127.0.0.1");
    const chunks: Buffer[] = [];
    socket.on("data", (chunk: Buffer) => chunks.push(chunk));
    socket.on("close", () => resolve(Buffer.concat(chunks).toString("latin1")));
    socket.on("error", reject);
    for (const part of parts) socket.write(part);
  });
}
