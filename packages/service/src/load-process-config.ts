import { type Environment, EnvReader } from "@gatehouse/config";
import { type EventsConfig, readEventsConfig } from "@gatehouse/events";
import { defaultPorts, type Ports, type ServiceName } from "@gatehouse/trust";
import { type HostConfig, readDatabaseConfig, readHostConfig } from "./host-config.ts";
import type { DatabaseConfig } from "./kernel.ts";

/** Settings of a service in a separate process, beside those that it has in every process. */
export interface OwnProcessConfig extends DatabaseConfig {
  readonly host: HostConfig;
  readonly events: EventsConfig;
}

/**
 * Loads the settings of a service with a database.
 * @param place ports where the settings choose none, or the listed service that has some.
 * @param read those that it has beside the ones of every service.
 * @throws ConfigError with every problem, by name.
 */
export function loadProcessConfig<Config extends object>(
  environment: Environment,
  place: ServiceName | Ports,
  read: (env: EnvReader) => Config,
): Config & OwnProcessConfig {
  const env = new EnvReader(environment);
  const config = {
    ...read(env),
    ...readDatabaseConfig(env),
    host: readHostConfig(env, typeof place === "string" ? defaultPorts(place) : place),
    events: readEventsConfig(env),
  };
  env.finish();
  return config;
}
