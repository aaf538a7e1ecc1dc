import { join } from "node:path";
import { createApiProxyService } from "@gatehouse/api-proxy";
import { createChatService } from "@gatehouse/chat";
import { consoleFolder } from "@gatehouse/console";
import { createControlPlaneService } from "@gatehouse/control-plane";
import { createEgressGuard, listOwnAddresses } from "@gatehouse/egress";
import { createInProcessTransport, type EventTransport, openTransport } from "@gatehouse/events";
import { createGatewayLog, type GatewayLog, noGatewayLog } from "@gatehouse/gateway-log";
import { createGuardrailService } from "@gatehouse/guardrail";
import { createMcpAggregatorService } from "@gatehouse/mcp-aggregator";
import { checkpointPurpose, createLogbookService } from "@gatehouse/logbook";
import { createMcpBridgeService } from "@gatehouse/mcp-bridge";
import { AdminServiceDefinition } from "@gatehouse/proto/admin";
import { AllowanceServiceDefinition, ChatServiceDefinition } from "@gatehouse/proto/chat-calls";
import { PrincipalServiceDefinition } from "@gatehouse/proto/control-plane";
import { GuardrailServiceDefinition } from "@gatehouse/proto/guardrail";
import type { ServiceHandler } from "@gatehouse/principal";
import { createRouterService, type RouterService } from "@gatehouse/router";
import { connectLocally, type RpcBinding, type RpcClient } from "@gatehouse/rpc";
import { combineReadiness, type Service } from "@gatehouse/service";
import type { Telemetry } from "@gatehouse/telemetry";
import { deriveKeyring, deriveSecret, type Secret } from "@gatehouse/vault";
import { createWebhookDispatcherService } from "@gatehouse/webhook-dispatcher";
import type { StandaloneConfig } from "./config.ts";

export interface ProductParts {
  readonly config: StandaloneConfig;
  readonly databaseUrl: Secret;
  readonly rootSecret: Secret;
  readonly telemetry: Telemetry;
  /** Receives the first admin key, once, before it is stored. */
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
  const gatewayLog = openGatewayLog(config, telemetry, events);
  const host = { telemetry, events, gatewayLog };
  const shared = { config, databaseUrl, rootSecret, ...host };
  const logbook = composeLogbook(shared);
  const guardrail = composeGuardrail(shared);
  const chat = composeChat({ ...shared, guardrail });
  const apiProxy = composeApiProxy({ ...shared, chat, guardrail });
  const webhooks = composeWebhooks(shared);
  const mcpAggregator = composeMcpAggregator({ ...shared, chat, guardrail });
  const controlPlane = createControlPlaneService(
    { ...config.controlPlane, databaseUrl },
    {
      ...host,
      owners: [
        { name: "chat", client: connectTo(chat, AdminServiceDefinition) },
        { name: "api-proxy", client: connectTo(apiProxy, AdminServiceDefinition) },
        { name: "mcp-aggregator", client: connectTo(mcpAggregator, AdminServiceDefinition) },
        { name: "guardrail", client: connectTo(guardrail, AdminServiceDefinition) },
        { name: "webhook-dispatcher", client: connectTo(webhooks, AdminServiceDefinition) },
        { name: "logbook", client: connectTo(logbook, AdminServiceDefinition) },
      ],
      onAdminKeyCreated,
      ownAddresses: listOwnAddresses(config.router.host, config.router.port),
    },
  );
  const mcpBridge = createMcpBridgeService(
    { ...config.mcpBridge, databaseUrl },
    {
      ...host,
      chat: connectTo(chat, ChatServiceDefinition),
      ledger: connectTo(chat, AllowanceServiceDefinition),
    },
  );
  const publishers = [guardrail, chat, apiProxy, mcpBridge, mcpAggregator, controlPlane] as const;
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
    gatewayLog,
    consoleFolder,
    servicesReadiness: async () => await combineReadiness([logbook, webhooks, ...publishers]),
  });
  return runTogether({ router, logbook, webhooks, publishers, events, gatewayLog });
}

interface Together {
  readonly router: RouterService;
  readonly logbook: Service;
  readonly webhooks: Service;
  /** The other services, which say what happened. */
  readonly publishers: readonly Service[];
  readonly events: EventTransport;
  readonly gatewayLog: GatewayLog;
}

function runTogether({ router, logbook, webhooks, publishers, events, gatewayLog }: Together): Product {
  return {
    port: router.port,
    async start() {
      // Each waits for migrations. Who stores events is there before anybody has one to tell, and the router opens its port
      // when everything behind it is there.
      await Promise.all([logbook.start(), webhooks.start()]);
      await Promise.all(publishers.map(async (service) => await service.start()));
      await events.start();
      await gatewayLog.start();
      await router.start();
    },
    async stop() {
      await router.stop();
      for (const service of publishers.toReversed()) await service.stop();
      await webhooks.stop();
      // Entries that the others wrote last are still taken in.
      await gatewayLog.stop();
      await events.stop();
      await logbook.stop();
    },
  };
}

/** One way for the events of all services: within this process, or over NATS where its address is given. */
function openEvents({ events }: StandaloneConfig, telemetry: Telemetry): EventTransport {
  return events.natsUrl === undefined ? createInProcessTransport() : openTransport(events, "standalone", telemetry);
}

function openGatewayLog(config: StandaloneConfig, telemetry: Telemetry, transport: EventTransport): GatewayLog {
  const { log, metrics } = telemetry;
  const spillFolder = join(config.home, "spill", "gateway-log");
  return config.gatewayLog ? createGatewayLog({ transport, spillFolder, log, metrics }) : noGatewayLog;
}

interface LogbookParts extends Omit<ProductParts, "onAdminKeyCreated"> {
  readonly events: EventTransport;
}

function composeLogbook({ config, databaseUrl, rootSecret, telemetry, events }: LogbookParts): Service {
  const checkpointKey = deriveSecret(rootSecret, checkpointPurpose);
  const dataFolder = join(config.home, "logbook");
  return createLogbookService({ ...config.logbook, databaseUrl, checkpointKey, dataFolder }, { telemetry, events });
}

function composeGuardrail(parts: LogbookParts & Pick<ChatParts, "gatewayLog">): Service {
  const { config, databaseUrl, rootSecret, telemetry, events, gatewayLog } = parts;
  const { egress, secrets: references } = config;
  const keyring = { ...deriveKeyring(rootSecret, "guardrail/external"), references };
  const settings = { ...config.guardrail, databaseUrl, egress, keyring };
  return createGuardrailService(settings, { telemetry, events, gatewayLog });
}

interface ChatParts extends Omit<ProductParts, "onAdminKeyCreated"> {
  readonly events: EventTransport;
  readonly gatewayLog: GatewayLog;
  readonly guardrail: Service;
}

function composeChat(parts: ChatParts): Service {
  const { config, databaseUrl, rootSecret, telemetry, events, gatewayLog, guardrail } = parts;
  const keyring = { ...deriveKeyring(rootSecret, "chat/credentials"), references: config.secrets };
  return createChatService(
    { ...config.chat, databaseUrl, keyring, spillFolder: join(config.home, "spill") },
    { telemetry, events, gatewayLog, guardrail: connectTo(guardrail, GuardrailServiceDefinition) },
  );
}

interface ApiProxyParts extends Omit<ProductParts, "onAdminKeyCreated"> {
  readonly events: EventTransport;
  readonly gatewayLog: GatewayLog;
  readonly chat: Service;
  readonly guardrail: Service;
}

/** Requests to the router itself could go round for ever, so its addresses are no upstream's. */
function composeApiProxy(parts: ApiProxyParts): Service {
  const { config, databaseUrl, rootSecret, telemetry, events, gatewayLog, chat, guardrail } = parts;
  const keyring = { ...deriveKeyring(rootSecret, "api-proxy/credentials"), references: config.secrets };
  const ownAddresses = listOwnAddresses(config.router.host, config.router.port);
  return createApiProxyService(
    { ...config.apiProxy, databaseUrl, keyring, ownAddresses },
    {
      telemetry,
      events,
      gatewayLog,
      ledger: connectTo(chat, AllowanceServiceDefinition),
      guardrail: connectTo(guardrail, GuardrailServiceDefinition),
    },
  );
}

function composeWebhooks({ config, databaseUrl, rootSecret, telemetry, events }: LogbookParts): Service {
  const keyring = deriveKeyring(rootSecret, "webhook-dispatcher/roots");
  const ownAddresses = listOwnAddresses(config.router.host, config.router.port);
  return createWebhookDispatcherService(
    { ...config.webhookDispatcher, databaseUrl, keyring },
    { telemetry, events, ownAddresses },
  );
}

function composeMcpAggregator(parts: ApiProxyParts): Service {
  const { config, databaseUrl, rootSecret, telemetry, events, gatewayLog, chat, guardrail } = parts;
  const keyring = { ...deriveKeyring(rootSecret, "mcp-aggregator/upstreams"), references: config.secrets };
  const ownAddresses = listOwnAddresses(config.router.host, config.router.port);
  const guard = createEgressGuard({ allow: config.egress.allow, ownAddresses, logger: telemetry.log });
  return createMcpAggregatorService(
    { ...config.mcpAggregator, databaseUrl, keyring },
    {
      telemetry,
      events,
      gatewayLog,
      guard,
      ledger: connectTo(chat, AllowanceServiceDefinition),
      guardrail: connectTo(guardrail, GuardrailServiceDefinition),
    },
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
