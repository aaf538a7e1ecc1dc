import { type Environment, EnvReader } from "@gatehouse/config";
import { type EventsConfig, readEventsConfig } from "@gatehouse/events";
import { defaultPorts, type Ports, type ServiceName } from "@gatehouse/trust";
import { type HostConfig, readDatabaseConfig, readHostConfig } from "./host-config.ts";
import type { DatabaseConfig } from "./kernel.ts";

/** Settings of a service in a separate process, in addition to its own. */
export interface OwnProcessConfig extends DatabaseConfig {
  readonly host: HostConfig;
  readonly events: EventsConfig;
}

/**
 * Loads the settings of a service with a database.
 * @param place default ports, or the listed service that has some.
 * @param read reads the service's own settings.
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
