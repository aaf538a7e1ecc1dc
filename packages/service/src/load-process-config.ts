import { type Environment, EnvReader } from "@gatehouse/config";
import { type EventsConfig, readEventsConfig } from "@gatehouse/events";
import { defaultPorts, type ServiceName } from "@gatehouse/trust";
import { type HostConfig, readDatabaseConfig, readHostConfig, readSpillFolder } from "./host-config.ts";
import type { DatabaseConfig } from "./kernel.ts";

/** Settings of a service in a separate process, beside those that it has in every process. */
export interface OwnProcessConfig extends DatabaseConfig {
  readonly host: HostConfig;
  readonly events: EventsConfig;
  /** Where entries of the gateway log, and usage rows, wait while they cannot be stored. */
  readonly spillFolder: string;
}

/** Loads the settings of a service with a database that writes log entries. @throws ConfigError with every problem, by name. */
export function loadProcessConfig<Config extends object>(
  environment: Environment,
  name: ServiceName,
  read: (env: EnvReader) => Config,
): Config & OwnProcessConfig {
  const env = new EnvReader(environment);
  const config = {
    ...read(env),
    ...readDatabaseConfig(env),
    host: readHostConfig(env, defaultPorts(name)),
    events: readEventsConfig(env),
    spillFolder: readSpillFolder(env),
  };
  env.finish();
  return config;
}
