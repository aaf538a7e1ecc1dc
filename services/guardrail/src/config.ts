import { type Environment, EnvReader, readKeyring } from "@gatehouse/config";
import { type EgressConfig, readEgressConfig } from "@gatehouse/egress";
import { type EventsConfig, readEventsConfig } from "@gatehouse/events";
import { type DatabaseConfig, type HostConfig, readDatabaseConfig, readHostConfig } from "@gatehouse/service";
import { defaultPorts } from "@gatehouse/trust";
import type { Keyring } from "@gatehouse/vault";

/** Settings of the guardrail service, wherever it runs. */
export interface GuardrailConfig extends DatabaseConfig {
  /** Seals the secrets of guardrails elsewhere. */
  readonly keyring: Keyring;
  readonly egress: EgressConfig;
}

interface GuardrailProcessConfig extends GuardrailConfig {
  readonly host: HostConfig;
  readonly events: EventsConfig;
}

/** @throws ConfigError with every problem, by name. */
export function loadConfig(environment: Environment): GuardrailProcessConfig {
  const env = new EnvReader(environment);
  const config = {
    ...readDatabaseConfig(env),
    egress: readEgressConfig(env),
    keyring: readKeyring(env),
    host: readHostConfig(env, defaultPorts("guardrail")),
    events: readEventsConfig(env),
  };
  env.finish();
  return config;
}
