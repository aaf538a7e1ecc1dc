import { observePeers } from "@gatehouse/peers";
import { createPrincipalSigner, type ServiceHandler } from "@gatehouse/principal";
import { PrincipalServiceDefinition } from "@gatehouse/proto/control-plane";
import { combineReadiness, type MemberHost, type Part, type ServiceProgram } from "@gatehouse/service";
import { createRouterService, type RouterDependencies, type RouterService } from "./app.ts";
import { createProxiedHandler } from "./clients/proxied-handler.ts";
import { createRemoteHandler } from "./clients/remote-service.ts";
import { describePeers, openServicePeers, type ServicePeers } from "./clients/service-peers.ts";
import { ServiceAgent } from "./clients/service-tls-options.ts";
import { loadConfig, type RouterMemberConfig } from "./config.ts";
import { brokenStreamEvent } from "./domain/broken-stream-event.ts";
import { type IsRepeatable, repeatsModelCalls, repeatsSafeMethods } from "./domain/repeatable-call.ts";

export {
  checkPorts,
  createRouterService,
  type RouterDependencies,
  type RouterService,
  toOperationsPortError,
} from "./app.ts";
export { createProxiedHandler } from "./clients/proxied-handler.ts";
export { createRemoteHandler, type RemoteHandlerOptions, type RemoteServiceBounds } from "./clients/remote-service.ts";
export {
  loadConfig,
  readRouterConfig,
  readRouterMemberConfig,
  type RouterConfig,
  type RouterMemberConfig,
  type RouterProcessConfig,
} from "./config.ts";
export { describeRoute, type Route, routes, type ServiceName } from "./domain/route-table.ts";
export { openServicePeers, type ServicePeers } from "./clients/service-peers.ts";

/** The router in any set of services: calls those in its process directly, and forwards to the others. */
export const routerProgram = {
  name: "router",
  loadConfig,
  create: createRouterMember,
} satisfies ServiceProgram<RouterMemberConfig>;

type Target = keyof RouterDependencies["services"];

function createRouterMember(config: RouterMemberConfig, host: MemberHost): RouterService {
  const { questionTimeoutMs: timeoutMs } = config.router.authentication;
  const channel = host.connect("control-plane", { address: config.controlPlaneRpcAddress, timeoutMs });
  const connections = new ServiceConnections(config, host);
  return createRouterService(config.router, {
    ...host,
    principals: channel.client(PrincipalServiceDefinition),
    services: {
      chat: connections.to("chat"),
      "api-proxy": connections.to("api-proxy"),
      "mcp-bridge": connections.to("mcp-bridge"),
      "mcp-aggregator": connections.to("mcp-aggregator"),
      "control-plane": connections.to("control-plane"),
    },
    consoleFolder: config.consoleFolder,
    ...(config.sharedPort === undefined ? {} : { sharedPort: config.sharedPort }),
    async servicesReadiness() {
      const beside = await combineReadiness(host.neighbours());
      return { ready: beside.ready, problems: [...beside.problems, ...describePeers(connections.peers).problems] };
    },
    parts: [connections],
  });
}

/** Requests that are repeated after their process was lost. Calls of an upstream's tools are not: the tool may have acted. */
const repeatable: Readonly<Partial<Record<Target, IsRepeatable>>> = {
  chat: repeatsModelCalls,
  // The bridge's tools are endpoints of models.
  "mcp-bridge": repeatsModelCalls,
  "api-proxy": repeatsSafeMethods,
};

/** Handlers of the services in this process, and peers of the others. */
class ServiceConnections implements Part {
  readonly name = "connections to services";
  readonly #config: RouterMemberConfig;
  readonly #host: MemberHost;
  /** By service name. */
  readonly peers: Record<string, ServicePeers> = {};

  constructor(config: RouterMemberConfig, host: MemberHost) {
    this.#config = config;
    this.#host = host;
  }

  start(): void {
    for (const peers of Object.values(this.peers)) peers.start();
  }

  stop(): void {
    for (const peers of Object.values(this.peers)) peers.close();
  }

  to(target: Target): ServiceHandler {
    const beside = this.#host.local(target);
    if (beside === undefined) return this.#toPeers(target);
    if (beside.http === undefined) throw new Error(`${target} has no HTTP handler.`);
    return beside.http;
  }

  #toPeers(target: Target): ServiceHandler {
    const { forwarding } = this.#config;
    const { trust, tls, telemetry } = this.#host;
    if (trust === undefined) throw new Error(`The router has no keys to sign what it asks ${target}.`);
    const isCarrying = target === "chat";
    const peers = openServicePeers({
      service: target,
      url: this.#urlOf(target),
      ...forwarding,
      tls,
      isCarrying,
    });
    // The Control Plane is also reached by gRPC.
    observePeers(telemetry.metrics, `${target} (HTTP)`, peers);
    this.peers[target] = peers;
    const isRepeatable = forwarding.resendsLostCalls ? repeatable[target] : undefined;
    const repeats = isRepeatable === undefined ? {} : { isRepeatable };
    const connection = { peers, signer: createPrincipalSigner(trust, target), bounds: forwarding };
    if (target === "control-plane") {
      const agent = tls === undefined ? undefined : new ServiceAgent(tls, target);
      return createProxiedHandler(peers, connection.signer, forwarding.headersTimeoutMs, agent);
    }
    if (target === "api-proxy") {
      const { upgradeIdleTimeoutMs } = forwarding;
      return createRemoteHandler({ ...connection, ...repeats, passesCallerOn: true, upgradeIdleTimeoutMs });
    }
    return createRemoteHandler({ ...connection, ...repeats, ...(target === "chat" ? { brokenStreamEvent } : {}) });
  }

  #urlOf(target: Target): string {
    const { chatUrl, apiProxyUrl, mcpBridgeUrl, mcpAggregatorUrl, controlPlaneUrl } = this.#config;
    const urls = {
      chat: chatUrl,
      "api-proxy": apiProxyUrl,
      "mcp-bridge": mcpBridgeUrl,
      "mcp-aggregator": mcpAggregatorUrl,
      "control-plane": controlPlaneUrl,
    };
    return urls[target];
  }
}
