import { resolve } from "node:path";
import { type ApiProxySettings, readApiProxyConfig } from "@gatehouse/api-proxy";
import { type ChatMemberConfig, readChatConfig } from "@gatehouse/chat";
import { type Environment, EnvReader, readSecretSource } from "@gatehouse/config";
import { readControlPlaneConfig } from "@gatehouse/control-plane";
import { type EgressConfig, readEgressConfig } from "@gatehouse/egress";
import { type EventsConfig, readEventsConfig } from "@gatehouse/events";
import { readMcpAggregatorConfig } from "@gatehouse/mcp-aggregator";
import type { ProviderKeys } from "@gatehouse/local-start";
import { readLogbookConfig } from "@gatehouse/logbook";
import { readMcpBridgeConfig } from "@gatehouse/mcp-bridge";
import { readRouterMemberConfig, type RouterMemberConfig } from "@gatehouse/router";
import { logLevels, readPoolConfig } from "@gatehouse/service";
import type { LogLevel } from "@gatehouse/telemetry";
import type { Secret, SecretSource } from "@gatehouse/vault";
import { readWebhookDispatcherConfig } from "@gatehouse/webhook-dispatcher";

/** Settings of the product on one machine; docs/configuration.md has the table. */
export interface StandaloneConfig {
  /** Absolute path of the data folder. */
  readonly home: string;
  /** Absent: a Postgres of our own in the data folder. */
  readonly databaseUrl: Secret | undefined;
  /** Whether the first start makes a demo project. */
  readonly demo: boolean;
  readonly logLevel: LogLevel;
  readonly otlpEndpoint: string | undefined;
  /** How events travel; within this process where no broker is named. */
  readonly events: EventsConfig;
  readonly router: Omit<RouterMemberConfig, "consoleFolder">;
  readonly chat: Omit<ChatMemberConfig, "databaseUrl" | "keyring" | "spillFolder">;
  readonly apiProxy: ApiProxySettings;
  readonly guardrail: ReturnType<typeof readPoolConfig>;
  readonly mcpBridge: ReturnType<typeof readMcpBridgeConfig>;
  readonly mcpAggregator: ReturnType<typeof readMcpAggregatorConfig>;
  /** Addresses that calls of tenants may reach, beside public ones. */
  readonly egress: EgressConfig;
  /** Whether the outcomes of requests are kept. */
  readonly gatewayLog: boolean;
  readonly logbook: ReturnType<typeof readLogbookConfig>;
  readonly webhookDispatcher: ReturnType<typeof readWebhookDispatcherConfig>;
  readonly controlPlane: ReturnType<typeof readControlPlaneConfig>;
  readonly providerKeys: ProviderKeys;
  /** Sources that references to secrets may name. */
  readonly secrets: SecretSource;
}

/** @throws ConfigError with every problem, by name. */
export function loadConfig(environment: Environment): StandaloneConfig {
  // In one process the gateway is reachable from this machine only, unless HOST says otherwise.
  const env = new EnvReader({ HOST: "127.0.0.1", OPS_HOST: "127.0.0.1", ...environment });
  const config: StandaloneConfig = {
    home: resolve(env.text("GATEHOUSE_HOME", ".gatehouse")),
    databaseUrl: readDatabaseUrl(env),
    demo: env.oneOf("GATEHOUSE_DEMO", ["on", "off"], "on") === "on",
    logLevel: env.oneOf("LOG_LEVEL", logLevels, "warn"),
    otlpEndpoint: env.optionalText("OTEL_EXPORTER_OTLP_ENDPOINT"),
    events: readEventsConfig(env),
    router: readRouterMemberConfig(env),
    chat: readChatConfig(env),
    apiProxy: readApiProxyConfig(env),
    guardrail: readPoolConfig(env),
    mcpBridge: readMcpBridgeConfig(env),
    mcpAggregator: readMcpAggregatorConfig(env),
    egress: readEgressConfig(env),
    gatewayLog: env.oneOf("GATEWAY_LOG", ["on", "off"], "on") === "on",
    logbook: readLogbookConfig(env),
    webhookDispatcher: readWebhookDispatcherConfig(env),
    controlPlane: readControlPlaneConfig(env),
    secrets: readSecretSource(env),
    providerKeys: { openai: env.optionalSecret("OPENAI_API_KEY"), anthropic: env.optionalSecret("ANTHROPIC_API_KEY") },
  };
  env.finish();
  return config;
}

function readDatabaseUrl(env: EnvReader): Secret | undefined {
  const url = env.optionalSecret("DATABASE_URL");
  if (url !== undefined && !/^postgres(ql)?:\/\//.test(url.reveal())) {
    env.problem("DATABASE_URL", "must start with postgresql://");
  }
  return url;
}
