import { openProcessLog } from "@gatehouse/gateway-log";
import { createPrincipalSigner } from "@gatehouse/principal";
import { PrincipalServiceDefinition } from "@gatehouse/proto/control-plane";
import { openRpcChannel } from "@gatehouse/rpc";
import { createTelemetry, type Telemetry } from "@gatehouse/telemetry";
import { Agent } from "undici";
import { createRouterService, type RouterService } from "./app.ts";
import { createProxiedHandler } from "./clients/proxied-service.ts";
import { createRemoteReadiness } from "./clients/remote-readiness.ts";
import { createRemoteHandler } from "./clients/remote-service.ts";
import type { RouterProcessConfig } from "./config.ts";

export interface RouterProcess {
  readonly router: RouterService;
  readonly telemetry: Telemetry;
  /** Ends the connections to the services, after the router has stopped. */
  close(): Promise<void>;
}

const connectTimeoutMs = 2_000;
const readinessTimeoutMs = 1_000;

/** Composes the router for a process of its own: every service is reached over the network. */
export function createRouterProcess(config: RouterProcessConfig): RouterProcess {
  const { internalKey, upstream, controlPlaneUrl, chatUrl, logLevel, otlpEndpoint } = config;
  const telemetry = createTelemetry({ service: "router", logLevel, otlpEndpoint });
  const { events, spillFolder } = config;
  const log = openProcessLog({ events, spillFolder, service: "router", telemetry });
  const channel = openRpcChannel({
    address: config.controlPlaneRpcAddress,
    service: "router",
    internalKey,
    timeoutMs: config.router.authentication.questionTimeoutMs,
  });
  const dispatcher = new Agent({ connections: upstream.connectionsMax, connect: { timeout: connectTimeoutMs } });
  const signer = createPrincipalSigner(internalKey);
  const [chatOrigin, controlPlaneOrigin] = [new URL(chatUrl).origin, new URL(controlPlaneUrl).origin];
  const remote = (url: string) =>
    createRemoteHandler({ origin: new URL(url).origin, dispatcher, signer, bounds: upstream });
  const router = createRouterService(config.router, {
    principals: channel.client(PrincipalServiceDefinition),
    services: {
      "api-proxy": createRemoteHandler({
        origin: new URL(config.apiProxyUrl).origin,
        dispatcher,
        signer,
        bounds: upstream,
        passesCallerOn: true,
        upgradeIdleTimeoutMs: upstream.upgradeIdleTimeoutMs,
      }),
      chat: remote(chatUrl),
      "mcp-bridge": remote(config.mcpBridgeUrl),
      "mcp-aggregator": remote(config.mcpAggregatorUrl),
      "control-plane": createProxiedHandler({
        origin: controlPlaneOrigin,
        signer,
        timeoutMs: upstream.headersTimeoutMs,
      }),
    },
    telemetry,
    gatewayLog: log.gatewayLog,
    consoleFolder: config.consoleFolder,
    servicesReadiness: createRemoteReadiness({
      origins: { "control-plane": controlPlaneOrigin, chat: chatOrigin },
      dispatcher,
      timeoutMs: readinessTimeoutMs,
    }),
  });
  return {
    router: { ...router, start: async () => await log.start().then(async () => await router.start()) },
    telemetry,
    async close() {
      await log.stop();
      channel.close();
      await dispatcher.close();
      await telemetry.shutdown();
    },
  };
}
