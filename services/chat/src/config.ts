import { type Environment, type EnvReader, readKeyring } from "@gatehouse/config";
import type { AttemptBounds } from "@gatehouse/providers";
import {
  type BodyConfig,
  type DatabaseConfig,
  loadProcessConfig,
  type OwnProcessConfig,
  readBodyConfig,
  readKnownTextsMax,
  readPoolConfig,
  readRpcAddress,
  readSpillConfig,
  type SpillConfig,
} from "@gatehouse/service";
import type { Keyring } from "@gatehouse/vault";

/** Settings of the chat service, wherever it runs. */
export interface ChatConfig extends DatabaseConfig, BodyConfig, SpillConfig {
  /** Seals provider credentials. */
  readonly keyring: Keyring;
  readonly attemptBounds: AttemptBounds;
  /** Wait for a stream's first token while another target can be asked. */
  readonly firstTokenFailoverMs: number;
  /** One call over all its targets, streaming included. */
  readonly callDeadlineMs: number;
  /** One question to the guardrail service. */
  readonly guardrailTimeoutMs: number;
  /** Texts whose tokens a process remembers; 0 remembers none. */
  readonly knownTextsMax: number;
}

/** Configuration of one process, with the addresses of peers in other processes. */
export interface ChatMemberConfig extends ChatConfig {
  /** `host:port` of the guardrail service. */
  readonly guardrailRpcAddress: string;
}

type ChatProcessConfig = ChatMemberConfig & OwnProcessConfig;

const minuteMs = 60_000;

/** Reads the settings that are the same in every way to run the service; docs/configuration.md has the table. */
export function readChatConfig(env: EnvReader): Omit<ChatMemberConfig, "databaseUrl" | "keyring" | "spillFolder"> {
  const milliseconds = (name: string, fallback: number, min = 1) =>
    env.integer(name, { default: fallback, min, max: 60 * minuteMs });
  return {
    ...readPoolConfig(env),
    ...readBodyConfig(env),
    attemptBounds: {
      connectMs: milliseconds("PROVIDER_CONNECT_TIMEOUT_MS", 5_000),
      headersMs: milliseconds("PROVIDER_HEADERS_TIMEOUT_MS", minuteMs),
      firstTokenMs: milliseconds("PROVIDER_FIRST_TOKEN_TIMEOUT_MS", minuteMs),
      idleMs: milliseconds("PROVIDER_IDLE_TIMEOUT_MS", 20_000),
      totalMs: milliseconds("PROVIDER_TOTAL_TIMEOUT_MS", 5 * minuteMs),
    },
    firstTokenFailoverMs: milliseconds("PROVIDER_FIRST_TOKEN_FAILOVER_MS", 15_000),
    callDeadlineMs: milliseconds("CALL_DEADLINE_MS", 10 * minuteMs),
    guardrailTimeoutMs: milliseconds("GUARDRAIL_TIMEOUT_MS", 2_000),
    knownTextsMax: readKnownTextsMax(env),
    guardrailRpcAddress: readRpcAddress(env, "GUARDRAIL_RPC_ADDRESS", "guardrail"),
  };
}

/** @throws ConfigError with every problem, by name. */
export function loadConfig(environment: Environment): ChatProcessConfig {
  return loadProcessConfig(environment, "chat", (env) => ({
    ...readChatConfig(env),
    ...readSpillConfig(env),
    keyring: readKeyring(env),
  }));
}
