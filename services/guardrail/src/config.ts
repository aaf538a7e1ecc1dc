import { type Environment, type EnvReader, readKeyring } from "@gatehouse/config";
import { type EgressConfig, readEgressConfig } from "@gatehouse/egress";
import {
  type DatabaseConfig,
  loadProcessConfig,
  type OwnProcessConfig,
  readKnownTextsMax,
  readPoolConfig,
} from "@gatehouse/service";
import type { Keyring } from "@gatehouse/vault";

/** Settings of the guardrail service, wherever it runs. */
export interface GuardrailConfig extends DatabaseConfig {
  /** Seals the secrets of guardrails elsewhere. */
  readonly keyring: Keyring;
  readonly egress: EgressConfig;
  /** Texts whose judgement a process remembers, so that calls that repeat them are judged faster; 0 remembers none. */
  readonly knownTextsMax: number;
}

type GuardrailProcessConfig = GuardrailConfig & OwnProcessConfig;

/** Reads the settings that are the same in every way to run the service; docs/configuration.md has the table. */
export function readGuardrailConfig(env: EnvReader): Omit<GuardrailConfig, "databaseUrl" | "keyring"> {
  return {
    ...readPoolConfig(env),
    egress: readEgressConfig(env),
    knownTextsMax: readKnownTextsMax(env),
  };
}

/** @throws ConfigError with every problem, by name. */
export function loadConfig(environment: Environment): GuardrailProcessConfig {
  return loadProcessConfig(environment, "guardrail", (env) => ({
    ...readGuardrailConfig(env),
    keyring: readKeyring(env),
  }));
}
