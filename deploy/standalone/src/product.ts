import { join } from "node:path";
import { createApiProxyService } from "@gatehouse/api-proxy";
import { createChatService } from "@gatehouse/chat";
import { createControlPlaneService } from "@gatehouse/control-plane";
import { createEgressGuard, listOwnAddresses } from "@gatehouse/egress";
import { createInProcessTransport, type EventTransport, openTransport } from "@gatehouse/events";
import { noGatewayLog } from "@gatehouse/gateway-log";
import { createGuardrailService } from "@gatehouse/guardrail";
import { createMcpAggregatorService } from "@gatehouse/mcp-aggregator";
import { createMcpBridgeService } from "@gatehouse/mcp-bridge";
import { ApiProxyAdminServiceDefinition } from "@gatehouse/proto/api-proxy";
import { LogbookServiceDefinition } from "@gatehouse/proto/logbook";
import { UpstreamAdminServiceDefinition } from "@gatehouse/proto/mcp-aggregator";
import { WebhookAdminServiceDefinition } from "@gatehouse/proto/webhook-dispatcher";
import { ChatAdminServiceDefinition } from "@gatehouse/proto/chat";
import { AllowanceServiceDefinition, ChatServiceDefinition } from "@gatehouse/proto/chat-calls";
import { PrincipalServiceDefinition } from "@gatehouse/proto/control-plane";
import { GuardrailAdminServiceDefinition, GuardrailServiceDefinition } from "@gatehouse/proto/guardrail";
import type { ServiceHandler } from "@gatehouse/principal";
import { createRouterService } from "@gatehouse/router";
import { connectLocally, connectToAbsent, type RpcBinding, type RpcClient } from "@gatehouse/rpc";
import { combineReadiness, type Service } from "@gatehouse/service";
import type { Telemetry } from "@gatehouse/telemetry";
import { deriveKeyring, type Secret } from "@gatehouse/vault";
import type { StandaloneConfig } from "./config.ts";

export interface ProductParts {
  readonly config: StandaloneConfig;
  readonly databaseUrl: Secret;
  readonly rootSecret: Secret;
  readonly telemetry: Telemetry;
  /** Told the first admin key, once. */
  readonly onAdminKeyCreated: (key: Secret) => void;
}

export interface Product {
  /** The router's port. */
  port(): number;
  start(): Promise<void>;
  stop(): Promise<void>;
}

/** All services in this process, connected by direct calls. */
export function composeProduct({
  config,
  databaseUrl,
  rootSecret,
  telemetry,
  onAdminKeyCreated,
}: ProductParts): Product {
  const events = openEvents(config, telemetry);
  const guardrail = createGuardrailService({ ...config.guardrail, databaseUrl }, { telemetry, events });
  const chat = composeChat({ config, databaseUrl, rootSecret, telemetry, events, guardrail });
  const apiProxy = composeApiProxy({ config, databaseUrl, rootSecret, telemetry, events, chat });
  const mcpAggregator = composeMcpAggregator({ config, databaseUrl, rootSecret, telemetry, events, chat });
  const controlPlane = createControlPlaneService(
    { ...config.controlPlane, databaseUrl },
    {
      telemetry,
      events,
      chat: connectTo(chat, ChatAdminServiceDefinition),
      guardrail: connectTo(guardrail, GuardrailAdminServiceDefinition),
      upstreams: connectTo(mcpAggregator, UpstreamAdminServiceDefinition),
      apiProxy: connectTo(apiProxy, ApiProxyAdminServiceDefinition),
      webhooks: connectToAbsent(WebhookAdminServiceDefinition, "webhook-dispatcher"),
      logbook: connectToAbsent(LogbookServiceDefinition, "logbook"),
      onAdminKeyCreated,
    },
  );
  const mcpBridge = createMcpBridgeService(
    { ...config.mcpBridge, databaseUrl },
    { telemetry, chat: connectTo(chat, ChatServiceDefinition) },
  );
  const behind = [guardrail, chat, apiProxy, mcpBridge, mcpAggregator, controlPlane] as const;
  const router = createRouterService(config.router, {
    principals: connectTo(controlPlane, PrincipalServiceDefinition),
    services: {
      "api-proxy": handlerOf(apiProxy),
      chat: handlerOf(chat),
      "control-plane": handlerOf(controlPlane),
      "mcp-bridge": handlerOf(mcpBridge),
      "mcp-aggregator": handlerOf(mcpAggregator),
    },
    telemetry,
    servicesReadiness: async () => await combineReadiness(behind),
  });
  return {
    port: router.port,
    async start() {
      // Each waits for migrations; the router opens its port when everything behind it is there.
      await Promise.all(behind.map(async (service) => await service.start()));
      await events.start();
      await router.start();
    },
    async stop() {
      await router.stop();
      for (const service of behind.toReversed()) await service.stop();
      await events.stop();
    },
  };
}

/** One way for the events of all services: within this process, or over NATS where its address is given. */
function openEvents({ events }: StandaloneConfig, telemetry: Telemetry): EventTransport {
  return events.natsUrl === undefined ? createInProcessTransport() : openTransport(events, "standalone", telemetry);
}

interface ChatParts extends Omit<ProductParts, "onAdminKeyCreated"> {
  readonly events: EventTransport;
  readonly guardrail: Service;
}

function composeChat({ config, databaseUrl, rootSecret, telemetry, events, guardrail }: ChatParts): Service {
  const keyring = deriveKeyring(rootSecret, "chat/credentials");
  return createChatService(
    { ...config.chat, databaseUrl, keyring, spillFolder: join(config.home, "spill") },
    { telemetry, events, guardrail: connectTo(guardrail, GuardrailServiceDefinition) },
  );
}

interface ApiProxyParts extends Omit<ProductParts, "onAdminKeyCreated"> {
  readonly events: EventTransport;
  readonly chat: Service;
}

/** Requests to the router itself could go round for ever, so its addresses are no upstream's. */
function composeApiProxy({ config, databaseUrl, rootSecret, telemetry, events, chat }: ApiProxyParts): Service {
  const keyring = deriveKeyring(rootSecret, "api-proxy/credentials");
  const ownAddresses = listOwnAddresses(config.router.host, config.router.port);
  return createApiProxyService(
    { ...config.apiProxy, databaseUrl, keyring, ownAddresses },
    { telemetry, events, allowances: connectTo(chat, AllowanceServiceDefinition), gatewayLog: noGatewayLog },
  );
}

function composeMcpAggregator({ config, databaseUrl, rootSecret, telemetry, events, chat }: ApiProxyParts): Service {
  const keyring = deriveKeyring(rootSecret, "mcp-aggregator/upstreams");
  const ownAddresses = listOwnAddresses(config.router.host, config.router.port);
  const guard = createEgressGuard({ allow: config.egress.allow, ownAddresses, logger: telemetry.log });
  return createMcpAggregatorService(
    { ...config.mcpAggregator, databaseUrl, keyring },
    { telemetry, events, guard, allowance: connectTo(chat, AllowanceServiceDefinition) },
  );
}

function connectTo<Definition extends RpcBinding["definition"]>(
  service: Service,
  definition: Definition,
): RpcClient<Definition> {
  const binding = service.rpc.find((candidate) => candidate.definition === definition);
  if (binding === undefined) throw new Error(`${service.name} lacks a gRPC service that another one needs.`);
  return connectLocally(binding as unknown as RpcBinding<Definition>);
}

function handlerOf({ name, http }: Service): ServiceHandler {
  if (http === undefined) throw new Error(`${name} has no HTTP face.`);
  return http;
}
