import { join } from "node:path";
import { apiProxyProgram } from "@gatehouse/api-proxy";
import { chatProgram } from "@gatehouse/chat";
import { consoleFolder } from "@gatehouse/console";
import { controlPlaneProgram } from "@gatehouse/control-plane";
import { listOwnAddresses } from "@gatehouse/egress";
import { createInProcessTransport, type EventTransport, openTransport } from "@gatehouse/events";
import { createGatewayLog, type GatewayLog, noGatewayLog } from "@gatehouse/gateway-log";
import { guardrailProgram } from "@gatehouse/guardrail";
import { postgresProblem } from "@gatehouse/local-start";
import { logbookProgram } from "@gatehouse/logbook";
import { mcpAggregatorProgram } from "@gatehouse/mcp-aggregator";
import { mcpBridgeProgram } from "@gatehouse/mcp-bridge";
import { type RouterMemberConfig, routerProgram, type RouterService } from "@gatehouse/router";
import { type ProcessHost, type Service, ServiceSet } from "@gatehouse/service";
import type { Telemetry } from "@gatehouse/telemetry";
import { checkpointPurpose, keyringPurposes, type SealingService } from "@gatehouse/trust";
import { deriveKeyring, deriveSecret, type Secret } from "@gatehouse/vault";
import { webhookDispatcherProgram } from "@gatehouse/webhook-dispatcher";
import type { StandaloneConfig } from "./config.ts";

/** Settings and resources of one product, opened by the process that hosts it. */
export interface ProductParts {
  readonly config: StandaloneConfig;
  readonly databaseUrl: Secret;
  readonly rootSecret: Secret;
  readonly telemetry: Telemetry;
  /** Receives the first admin key, once, before it is stored. */
  readonly onAdminKeyCreated: (key: Secret) => void;
}

/** A composed product; `start` fails with the first service that cannot start. */
export interface Product {
  port(): number;
  start(): Promise<void>;
  stop(): Promise<void>;
}

/** All services in this process, connected by direct calls. */
export function composeProduct(parts: ProductParts): Product {
  const members = new Members({ ...parts, ...ownPlaces(parts) });
  const consumers = members.addConsumers();
  const publishers = [...members.addDataPlane(), members.addControlPlane(parts.onAdminKeyCreated)];
  const router = members.addRouter();
  return { port: router.port, ...members.runTogether(consumers, publishers, router) };
}

interface MembersParts extends Pick<ProductParts, "config" | "databaseUrl" | "rootSecret" | "telemetry"> {
  /** Transport of events for the services of this process. */
  readonly events: EventTransport;
  /** Spill folder of this process alone. */
  readonly spillFolder: string;
}

/** The services of one process with common settings; each is added after those that it calls. */
export class Members {
  readonly #parts: MembersParts;
  readonly #set = new ServiceSet();
  readonly #gatewayLog: GatewayLog;
  readonly #host: ProcessHost;

  /** @param special further members of the host, such as connections to services in another process */
  constructor(parts: MembersParts, special: Partial<ProcessHost> = {}) {
    const { config, telemetry, events, spillFolder } = parts;
    const { host, port, operations } = config.router.router;
    this.#parts = parts;
    this.#gatewayLog = config.gatewayLog
      ? createGatewayLog({ ...telemetry, transport: events, spillFolder: join(spillFolder, "gateway-log") })
      : noGatewayLog;
    this.#host = {
      telemetry,
      events,
      gatewayLog: this.#gatewayLog,
      ...(config.databaseUrl === undefined ? { databaseProblem: postgresProblem(config.home) } : {}),
      ownAddresses: [...listOwnAddresses(host, port), ...listOwnAddresses(operations.host, operations.port)],
      connect(target) {
        throw new Error(`${target} is not in this process.`);
      },
      ...special,
    };
  }

  /** Adds logbook and webhooks, which store the events of all. */
  addConsumers(): readonly Service[] {
    const { config, databaseUrl, rootSecret } = this.#parts;
    const checkpointKey = deriveSecret(rootSecret, checkpointPurpose);
    const logbook = { ...config.logbook, databaseUrl, checkpointKey, dataFolder: join(config.home, "logbook") };
    const keyring = deriveKeyring(rootSecret, keyringPurposes["webhook-dispatcher"]);
    const webhooks = { ...config.webhookDispatcher, databaseUrl, keyring };
    return [
      this.#set.add((host) => logbookProgram.create(logbook, host), this.#host),
      this.#set.add((host) => webhookDispatcherProgram.create(webhooks, host), this.#host),
    ];
  }

  /** Adds the services that process calls. */
  addDataPlane(): readonly Service[] {
    const { config, databaseUrl, spillFolder } = this.#parts;
    const keyrings = {
      guardrail: this.#keyring("guardrail"),
      chat: this.#keyring("chat"),
      apiProxy: this.#keyring("api-proxy"),
      mcpAggregator: this.#keyring("mcp-aggregator"),
    };
    const guardrail = { ...config.guardrail, databaseUrl, keyring: keyrings.guardrail };
    const chat = { ...config.chat, databaseUrl, keyring: keyrings.chat, spillFolder };
    const apiProxy = { ...config.apiProxy, databaseUrl, keyring: keyrings.apiProxy };
    const mcpAggregator = { ...config.mcpAggregator, databaseUrl, keyring: keyrings.mcpAggregator };
    const mcpBridge = { ...config.mcpBridge, databaseUrl };
    return [
      this.#set.add((host) => guardrailProgram.create(guardrail, host), this.#host),
      this.#set.add((host) => chatProgram.create(chat, host), this.#host),
      this.#set.add((host) => apiProxyProgram.create(apiProxy, host), this.#host),
      this.#set.add((host) => mcpBridgeProgram.create(mcpBridge, host), this.#host),
      this.#set.add((host) => mcpAggregatorProgram.create(mcpAggregator, host), this.#host),
    ];
  }

  /** Add it after the services that it administers. */
  addControlPlane(onAdminKeyCreated: (key: Secret) => void): Service {
    const { config, databaseUrl } = this.#parts;
    const settings = { ...config.controlPlane, databaseUrl, onAdminKeyCreated };
    return this.#set.add((host) => controlPlaneProgram.create(settings, host), this.#host);
  }

  /** Add it last: its port opens the gateway to clients. */
  addRouter(config: Partial<RouterMemberConfig> = {}): RouterService {
    const settings = { ...this.#parts.config.router, consoleFolder, ...config };
    return this.#set.add((host) => routerProgram.create(settings, host), this.#host);
  }

  /**
   * Runs the services together with the transport of their events.
   * @param consumers services that store events
   * @param publishers services that publish events
   */
  runTogether(
    consumers: readonly Service[],
    publishers: readonly Service[],
    router?: RouterService,
  ): Pick<Product, "start" | "stop"> & Required<Pick<Service, "giveUpWhenSilent">> {
    const { events } = this.#parts;
    const gatewayLog = this.#gatewayLog;
    const giveUpWhenSilent = () => [...consumers, ...publishers].forEach((service) => service.giveUpWhenSilent?.());
    return {
      giveUpWhenSilent,
      async start() {
        // Each waits for migrations. Services that store events start before those that publish any, and the router opens its
        // port last.
        await Promise.all(consumers.map(async (service) => await service.start()));
        await Promise.all(publishers.map(async (service) => await service.start()));
        await events.start();
        await gatewayLog.start();
        await router?.start();
      },
      async stop() {
        giveUpWhenSilent();
        await router?.stop();
        for (const service of publishers.toReversed()) await service.stop();
        const [logbook, ...others] = consumers;
        for (const service of others) await service.stop();
        // The logbook still stores the others' last entries.
        await gatewayLog.stop();
        await events.stop();
        await logbook?.stop();
      },
    };
  }

  #keyring(service: SealingService) {
    const { config, rootSecret } = this.#parts;
    return { ...deriveKeyring(rootSecret, keyringPurposes[service]), references: config.secrets };
  }
}

/** Transport of events, within this process or over NATS where its URL is set, and the spill folder. */
export function ownPlaces({ config, telemetry }: Pick<ProductParts, "config" | "telemetry">) {
  const { events, home } = config;
  return {
    events: events.natsUrl === undefined ? createInProcessTransport() : openTransport(events, "standalone", telemetry),
    spillFolder: join(home, "spill"),
  };
}
