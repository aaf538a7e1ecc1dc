import { type Environment, EnvReader } from "@gatehouse/config";
import { type EventsConfig, readEventsConfig } from "@gatehouse/events";
import { type DatabaseConfig, type HostConfig, readDatabaseConfig, readHostConfig } from "@gatehouse/service";

/** What the guardrail service needs, wherever it runs. */
export type GuardrailConfig = DatabaseConfig;

export interface GuardrailProcessConfig extends GuardrailConfig {
  readonly host: HostConfig;
  readonly events: EventsConfig;
}

/** @throws ConfigError with every problem, by name. */
export function loadConfig(environment: Environment): GuardrailProcessConfig {
  const env = new EnvReader(environment);
  const config = {
    ...readDatabaseConfig(env),
    host: readHostConfig(env, { http: 8083, rpc: 9083 }),
    events: readEventsConfig(env),
  };
  env.finish();
  return config;
}
