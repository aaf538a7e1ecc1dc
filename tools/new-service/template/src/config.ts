import { type Environment, EnvReader } from "@gatehouse/config";
import { type EventsConfig, readEventsConfig } from "@gatehouse/events";
import { type DatabaseConfig, type HostConfig, readDatabaseConfig, readHostConfig } from "@gatehouse/service";

/** Settings of the template service, wherever it runs. */
export type TemplateConfig = DatabaseConfig;

export interface TemplateProcessConfig extends TemplateConfig {
  readonly host: HostConfig;
  readonly events: EventsConfig;
}

/** @throws ConfigError with every problem, by name. */
export function loadConfig(environment: Environment): TemplateProcessConfig {
  const env = new EnvReader(environment);
  const config = {
    ...readDatabaseConfig(env),
    host: readHostConfig(env, { http: 8099, rpc: 9099 }),
    events: readEventsConfig(env),
  };
  env.finish();
  return config;
}
