import { type Environment, EnvReader } from "@gatehouse/config";
import { type EventsConfig, readEventsConfig } from "@gatehouse/events";
import {
  type DatabaseConfig,
  type HostConfig,
  readDatabaseConfig,
  readHostConfig,
  readPoolConfig,
} from "@gatehouse/service";
import type { Secret } from "@gatehouse/vault";
import { defaultPorts } from "@gatehouse/trust";

/** Settings of the logbook in any host. */
export interface LogbookConfig extends DatabaseConfig {
  /** How long entries of the gateway log are kept. */
  readonly gatewayLogRetentionDays: number;
  /** Where `audit-checkpoints.jsonl` is: outside the database, and kept over restarts. */
  readonly dataFolder: string;
  /** Signs the checkpoints of the audit log. */
  readonly checkpointKey: Secret;
}

export interface LogbookProcessConfig extends LogbookConfig {
  readonly host: HostConfig;
  readonly events: EventsConfig;
}

/** Reads the settings that are the same in every way to run the service; docs/configuration.md has the table. */
export function readLogbookConfig(
  env: EnvReader,
): Pick<LogbookConfig, "databaseConnectionsMax" | "gatewayLogRetentionDays"> {
  return {
    ...readPoolConfig(env),
    gatewayLogRetentionDays: env.integer("GATEWAY_LOG_RETENTION_DAYS", { default: 30, min: 1, max: 3_650 }),
  };
}

/** Purpose of the key derived for checkpoints. */
export const checkpointPurpose = "logbook/audit-checkpoints";

/** @throws ConfigError with every problem, by name. */
export function loadConfig(environment: Environment): LogbookProcessConfig {
  const env = new EnvReader(environment);
  const host = readHostConfig(env, defaultPorts("logbook"));
  const config = {
    ...readLogbookConfig(env),
    ...readDatabaseConfig(env),
    host,
    events: readEventsConfig(env),
    dataFolder: env.text("LOGBOOK_DATA_FOLDER", "./logbook"),
    checkpointKey: env.requiredSecret("AUDIT_CHECKPOINT_KEY", "32 random bytes, made by: gatehouse keys init"),
  };
  env.finish();
  return config;
}
