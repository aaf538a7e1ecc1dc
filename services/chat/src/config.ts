import { type Environment, type EnvReader, readKeyring } from "@gatehouse/config";
import type { AttemptBounds } from "@gatehouse/providers";
import {
  type BodyConfig,
  type DatabaseConfig,
  type GatewayLogConfig,
  loadProcessConfig,
  type OwnProcessConfig,
  readBodyConfig,
  readGatewayLogConfig,
  readKnownTextsMax,
  readPoolConfig,
  readRpcAddress,
  readSpillConfig,
  type SpillConfig,
} from "@gatehouse/service";
import type { Keyring } from "@gatehouse/vault";

/** Settings of the chat service in any host. */
export interface ChatConfig extends DatabaseConfig, BodyConfig, SpillConfig {
  readonly keyring: Keyring;
  readonly attemptBounds: AttemptBounds;
  /** Longest wait for a stream's first token while another target can be asked, milliseconds. */
  readonly firstTokenFailoverMs: number;
  /** Bound of one call over all its targets, streaming included, milliseconds. */
  readonly callDeadlineMs: number;
  /** Bound of one question to the guardrail service, milliseconds. */
  readonly guardrailTimeoutMs: number;
  /** Texts whose token counts are cached; 0: none. */
  readonly knownTextsMax: number;
}

/** Configuration of one process, with the addresses of peers in other processes. */
export interface ChatMemberConfig extends ChatConfig {
  /** `host:port` of the guardrail service. */
  readonly guardrailRpcAddress: string;
}

type ChatProcessConfig = ChatMemberConfig & OwnProcessConfig & GatewayLogConfig;

const minuteMs = 60_000;

/** Reads the settings that all hosts share; see docs/configuration.md. */
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

/** @throws ConfigError naming every invalid setting */
export function loadConfig(environment: Environment): ChatProcessConfig {
  return loadProcessConfig(environment, "chat", (env) => ({
    ...readChatConfig(env),
    ...readSpillConfig(env),
    ...readGatewayLogConfig(env),
    keyring: readKeyring(env),
  }));
}
