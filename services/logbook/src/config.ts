import { type Environment, type EnvReader } from "@gatehouse/config";
import { type DatabaseConfig, loadProcessConfig, type OwnProcessConfig, readPoolConfig } from "@gatehouse/service";
import { refusePlaintext } from "@gatehouse/trust";
import type { Secret } from "@gatehouse/vault";
import { type Collector, parseCollectorHeaders } from "./domain/collector.ts";

/** Settings of the logbook in any host. */
export interface LogbookConfig extends DatabaseConfig {
  /** Time for which entries of the gateway log are kept. */
  readonly gatewayLogRetentionDays: number;
  /** Whether they are kept as rows here; their counts are in any case. */
  readonly keepsGatewayLogRows: boolean;
  /** An OTLP collector that gets them too; undefined where none does. */
  readonly gatewayLogCollector: Collector | undefined;
  /** Where `audit-checkpoints.jsonl` is: outside the database, and kept over restarts. */
  readonly dataFolder: string;
  /** Signs the checkpoints of the audit log. */
  readonly checkpointKey: Secret;
}

type LogbookProcessConfig = LogbookConfig & OwnProcessConfig;

/** Reads the settings that are the same in every way to run the service; docs/configuration.md has the table. */
export function readLogbookConfig(env: EnvReader): Omit<LogbookConfig, "databaseUrl" | "dataFolder" | "checkpointKey"> {
  const collector = readCollector(env);
  const keepsRows = env.oneOf("GATEWAY_LOG_ROWS", ["on", "off"], "on") === "on";
  if (!keepsRows && env.optionalText("GATEWAY_LOG_OTLP_ENDPOINT") === undefined)
    env.problem("GATEWAY_LOG_ROWS", "is off, so GATEWAY_LOG_OTLP_ENDPOINT must say where the entries go instead");
  return {
    ...readPoolConfig(env),
    keepsGatewayLogRows: keepsRows,
    gatewayLogCollector: collector,
    gatewayLogRetentionDays: env.integer("GATEWAY_LOG_RETENTION_DAYS", { default: 30, min: 1, max: 3_650 }),
  };
}

function readCollector(env: EnvReader): Collector | undefined {
  const name = "GATEWAY_LOG_OTLP_ENDPOINT";
  const headers = readCollectorHeaders(env);
  if (env.optionalText(name) === undefined) return undefined;
  const endpoint = env.url(name, "", ["http:", "https:"]);
  if (endpoint === "") return undefined;
  const { protocol, hostname, username, password } = new URL(endpoint);
  if (username + password !== "" || /[?#]/.test(endpoint))
    env.problem(
      name,
      "must be a base address without user, password, query and fragment: credentials belong in GATEWAY_LOG_OTLP_HEADERS",
    );
  if (protocol === "http:") refusePlaintext(env, name, [hostname]);
  return { endpoint, headers };
}

function readCollectorHeaders(env: EnvReader): Secret | undefined {
  const name = "GATEWAY_LOG_OTLP_HEADERS";
  const headers = env.optionalSecret(name);
  if (headers !== undefined && parseCollectorHeaders(headers.reveal()) === undefined)
    env.problem(name, "must be name=value, or several after commas, with values percent-encoded where need be");
  return headers;
}

/** @throws ConfigError with every problem, by name. */
export function loadConfig(environment: Environment): LogbookProcessConfig {
  return loadProcessConfig(environment, "logbook", (env) => ({
    ...readLogbookConfig(env),
    dataFolder: env.text("LOGBOOK_DATA_FOLDER", "./logbook"),
    checkpointKey: readCheckpointKey(env),
  }));
}

/** A shorter one can be guessed, and with it a checkpoint be forged; 32 bytes are 43 characters of base64url. */
const checkpointKeyCharsMin = 32;

function readCheckpointKey(env: EnvReader): Secret {
  const name = "AUDIT_CHECKPOINT_KEY";
  const key = env.requiredSecret(name, "32 random bytes, made by: gatehouse keys init");
  if (env.optionalSecret(name) !== undefined && key.reveal().length < checkpointKeyCharsMin)
    env.problem(name, `must have at least ${checkpointKeyCharsMin} characters; gatehouse keys init makes one`);
  return key;
}
