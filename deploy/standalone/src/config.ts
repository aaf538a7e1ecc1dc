import { availableParallelism } from "node:os";
import { resolve } from "node:path";
import { type ApiProxySettings, readApiProxyConfig } from "@gatehouse/api-proxy";
import { type ChatMemberConfig, readChatConfig } from "@gatehouse/chat";
import {
  type Environment,
  EnvReader,
  type OtlpExport,
  presentSettings,
  readOtlpExport,
  readSecretSource,
} from "@gatehouse/config";
import { readControlPlaneConfig } from "@gatehouse/control-plane";
import { type EventsConfig, readEventsConfig } from "@gatehouse/events";
import { readGuardrailConfig } from "@gatehouse/guardrail";
import type { ProviderKeys } from "@gatehouse/local-start";
import { readLogbookConfig } from "@gatehouse/logbook";
import { readMcpAggregatorConfig } from "@gatehouse/mcp-aggregator";
import { readMcpBridgeConfig } from "@gatehouse/mcp-bridge";
import { readRouterMemberConfig, type RouterMemberConfig } from "@gatehouse/router";
import { logLevels, readIsLogging, readOptionalDatabaseUrl } from "@gatehouse/service";
import type { LogLevel } from "@gatehouse/telemetry";
import type { Secret, SecretSource } from "@gatehouse/vault";
import { readWebhookDispatcherConfig } from "@gatehouse/webhook-dispatcher";

/** Settings of the product on one machine; docs/configuration.md has the table. */
export interface StandaloneConfig {
  /** Absolute path of the data folder. */
  readonly home: string;
  /** Absent: a Postgres in the data folder. */
  readonly databaseUrl: Secret | undefined;
  /** Processes that answer calls; with 1, one process does everything. */
  readonly workers: number;
  /** Whether the first start creates a demo project. */
  readonly demo: boolean;
  readonly logLevel: LogLevel;
  readonly otlp: OtlpExport | undefined;
  /** Broker for events; without one they stay within this process. */
  readonly events: EventsConfig;
  readonly router: Omit<RouterMemberConfig, "consoleFolder">;
  readonly chat: Omit<ChatMemberConfig, "databaseUrl" | "keyring" | "spillFolder">;
  readonly apiProxy: ApiProxySettings;
  readonly guardrail: ReturnType<typeof readGuardrailConfig>;
  readonly mcpBridge: ReturnType<typeof readMcpBridgeConfig>;
  readonly mcpAggregator: ReturnType<typeof readMcpAggregatorConfig>;
  /** Whether the outcomes of requests are recorded. */
  readonly gatewayLog: boolean;
  readonly logbook: ReturnType<typeof readLogbookConfig>;
  readonly webhookDispatcher: ReturnType<typeof readWebhookDispatcherConfig>;
  readonly controlPlane: ReturnType<typeof readControlPlaneConfig>;
  readonly providerKeys: ProviderKeys;
  readonly secrets: SecretSource;
}

/** Most workers: each has five pools of connections to the database. */
const workersMax = 64;
/** Time during which a stopping worker asks its clients for new connections, which reach other workers. */
const workerStopNoticeMs = 1_000;

/** @throws ConfigError with every problem, by name. */
export function loadConfig(environment: Environment): StandaloneConfig {
  // By default the gateway is reachable from this machine only.
  const env = new EnvReader({ HOST: "127.0.0.1", OPS_HOST: "127.0.0.1", ...presentSettings(environment) });
  const workers = readWorkers(env);
  const config: StandaloneConfig = {
    workers,
    home: resolve(env.text("GATEHOUSE_HOME", ".gatehouse")),
    databaseUrl: readDatabaseUrl(env),
    demo: env.oneOf("GATEHOUSE_DEMO", ["on", "off"], "on") === "on",
    logLevel: env.oneOf("LOG_LEVEL", logLevels, "warn"),
    otlp: readOtlpExport(env),
    events: readEventsConfig(env),
    router: readRouterMemberConfig(env, workers === 1 ? 0 : workerStopNoticeMs),
    chat: readChatConfig(env),
    apiProxy: readApiProxyConfig(env),
    guardrail: readGuardrailConfig(env),
    mcpBridge: readMcpBridgeConfig(env),
    mcpAggregator: readMcpAggregatorConfig(env),
    gatewayLog: readIsLogging(env),
    logbook: readLogbookConfig(env),
    webhookDispatcher: readWebhookDispatcherConfig(env),
    controlPlane: readControlPlaneConfig(env),
    secrets: readSecretSource(env),
    providerKeys: { openai: env.optionalSecret("OPENAI_API_KEY"), anthropic: env.optionalSecret("ANTHROPIC_API_KEY") },
  };
  env.finish();
  return config;
}

/** Parses `WORKERS`: a number, or `auto` for one per core. */
function readWorkers(env: EnvReader): number {
  const text = env.text("WORKERS", "1");
  if (text === "auto") return Math.min(availableParallelism(), workersMax);
  const count = Number(text);
  if (Number.isInteger(count) && count >= 1 && count <= workersMax) return count;
  env.problem("WORKERS", `must be auto, or a whole number from 1 to ${workersMax}`);
  return 1;
}

function readDatabaseUrl(env: EnvReader): Secret | undefined {
  const url = readOptionalDatabaseUrl(env);
  if (url !== undefined && !/^postgres(ql)?:\/\//.test(url.reveal())) {
    env.problem("DATABASE_URL", "must start with postgresql://");
  }
  return url;
}
