import { type Environment, EnvReader } from "@gatehouse/config";
import { type EventsConfig, readEventsConfig } from "@gatehouse/events";
import { type HostConfig, readHostConfig } from "@gatehouse/service";
import type { Secret } from "@gatehouse/vault";

/** What the guardrail service needs, wherever it runs. */
export interface GuardrailConfig {
  readonly databaseUrl: Secret;
  readonly databaseConnectionsMax: number;
}

export interface GuardrailProcessConfig extends GuardrailConfig {
  readonly host: HostConfig;
  readonly events: EventsConfig;
}

/** Reads the settings that are the same in every way to run the service; docs/configuration.md has the table. */
export function readGuardrailConfig(env: EnvReader): Omit<GuardrailConfig, "databaseUrl"> {
  return {
    databaseConnectionsMax: env.integer("DATABASE_CONNECTIONS_MAX", { default: 10, min: 2, max: 1_000 }),
  };
}

/** @throws ConfigError with every problem, by name. */
export function loadConfig(environment: Environment): GuardrailProcessConfig {
  const env = new EnvReader(environment);
  const config = {
    ...readGuardrailConfig(env),
    host: readHostConfig(env, { http: 8083, rpc: 9083 }),
    events: readEventsConfig(env),
    databaseUrl: env.requiredSecret("DATABASE_URL", "postgresql://user:password@host:5432/database"),
  };
  env.finish();
  return config;
}
