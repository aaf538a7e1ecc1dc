import { openProcessLog } from "@gatehouse/gateway-log";
import { createPrincipalSigner } from "@gatehouse/principal";
import { PrincipalServiceDefinition } from "@gatehouse/proto/control-plane";
import { observePeers } from "@gatehouse/peers";
import { openRpcChannel } from "@gatehouse/rpc";
import { createTelemetry, type Telemetry } from "@gatehouse/telemetry";
import { createRouterService, type RouterService } from "./app.ts";
import { createProxiedHandler } from "./clients/proxied-service.ts";
import { createRemoteHandler } from "./clients/remote-service.ts";
import { describePeers, openServicePeers } from "./clients/service-peers.ts";
import type { RouterProcessConfig } from "./config.ts";
import { brokenStreamEvent } from "./domain/broken-stream-event.ts";

export interface RouterProcess {
  readonly router: RouterService;
  readonly telemetry: Telemetry;
  /** Ends the connections to the services, after the router has stopped. */
  close(): Promise<void>;
}

/** Composes the router for a separate process: every service is reached over the network. */
export async function createRouterProcess(config: RouterProcessConfig): Promise<RouterProcess> {
  const { trust, upstream, logLevel, otlpEndpoint } = config;
  const telemetry = await createTelemetry({ service: "router", logLevel, otlpEndpoint });
  const { events, spillFolder } = config;
  const log = openProcessLog({ events, spillFolder, service: "router", telemetry });
  const channel = openRpcChannel({
    address: config.controlPlaneRpcAddress,
    target: "control-plane",
    trust,
    timeoutMs: config.router.authentication.questionTimeoutMs,
    metrics: telemetry.metrics,
  });
  const signerFor = (service: keyof typeof peers) => createPrincipalSigner(trust, service);
  const peers = openPeers(config);
  for (const [service, set] of Object.entries(peers)) observePeers(telemetry.metrics, httpPeers(service), set);
  const remote = (service: keyof typeof peers) =>
    createRemoteHandler({ peers: peers[service], signer: signerFor(service), bounds: upstream });
  const router = createRouterService(config.router, {
    principals: channel.client(PrincipalServiceDefinition),
    services: {
      "api-proxy": createRemoteHandler({
        peers: peers["api-proxy"],
        signer: signerFor("api-proxy"),
        bounds: upstream,
        passesCallerOn: true,
        upgradeIdleTimeoutMs: upstream.upgradeIdleTimeoutMs,
      }),
      chat: createRemoteHandler({ peers: peers.chat, signer: signerFor("chat"), bounds: upstream, brokenStreamEvent }),
      "mcp-bridge": remote("mcp-bridge"),
      "mcp-aggregator": remote("mcp-aggregator"),
      "control-plane": createProxiedHandler({
        peers: peers["control-plane"],
        signer: signerFor("control-plane"),
        timeoutMs: upstream.headersTimeoutMs,
      }),
    },
    telemetry,
    gatewayLog: log.gatewayLog,
    consoleFolder: config.consoleFolder,
    servicesReadiness: async () => await Promise.resolve(describePeers(peers)),
  });
  const all = Object.values(peers);
  return {
    router: {
      ...router,
      start: async () => {
        await log.start();
        for (const service of all) service.start();
        await router.start();
      },
    },
    telemetry,
    async close() {
      await log.stop();
      channel.close();
      for (const service of all) service.close();
      await telemetry.shutdown();
    },
  };
}

/** The Control Plane is reached by gRPC, too. */
function httpPeers(service: string): string {
  return `${service} (HTTP)`;
}

function openPeers({ upstream, ...config }: RouterProcessConfig) {
  const open = (service: string, url: string) =>
    openServicePeers({ service, url, connectionsMax: upstream.connectionsMax });
  return {
    chat: open("chat", config.chatUrl),
    "api-proxy": open("api-proxy", config.apiProxyUrl),
    "mcp-bridge": open("mcp-bridge", config.mcpBridgeUrl),
    "mcp-aggregator": open("mcp-aggregator", config.mcpAggregatorUrl),
    "control-plane": open("control-plane", config.controlPlaneUrl),
  };
}
