import { type Environment, type EnvReader, readKeyring } from "@gatehouse/config";
import { type EgressConfig, readEgressConfig } from "@gatehouse/egress";
import {
  type DatabaseConfig,
  loadProcessConfig,
  type OwnProcessConfig,
  readPoolConfig,
  readRpcAddress,
  readSpillConfig,
  type SpillConfig,
} from "@gatehouse/service";
import type { Keyring } from "@gatehouse/vault";

/** Configuration of the API proxy, in any host. */
export interface ApiProxyConfig extends DatabaseConfig {
  /** Seals the secrets of endpoints and connections. */
  readonly keyring: Keyring;
  readonly egress: EgressConfig;
  /** Addresses that this gateway listens on, such as `127.0.0.1:8080`: nothing is passed on to them. */
  readonly ownAddresses: readonly string[];
  readonly proxy: ProxyBounds;
  /** One question to the guardrail service. */
  readonly guardrailTimeoutMs: number;
}

/** Bounds of one request and of its connections, milliseconds and bytes. */
export interface ProxyBounds {
  /** Largest body of a request; 0 for no bound. */
  readonly bodySizeBytesMax: number;
  readonly connectTimeoutMs: number;
  /** From the request's last byte to the head of the upstream's reply, where an endpoint has none. */
  readonly headersTimeoutMs: number;
  /** Longest silence inside a body, of the request or of the reply. */
  readonly idleTimeoutMs: number;
  /** Longest silence of a WebSocket, both ways. */
  readonly upgradeIdleTimeoutMs: number;
  /** Connections to one upstream. */
  readonly connectionsMax: number;
  /** One question about rate limits. */
  readonly allowanceTimeoutMs: number;
  /** One call of a token endpoint. */
  readonly oauthTimeoutMs: number;
}

/** Configuration of one process, with the addresses of peers in other processes; its host knows the addresses that it listens on. */
export interface ApiProxyMemberConfig extends Omit<ApiProxyConfig, "ownAddresses"> {
  /** `host:port` of the chat service, which counts requests against rate limits. */
  readonly chatRpcAddress: string;
  /** `host:port` of the guardrail service. */
  readonly guardrailRpcAddress: string;
}

type ApiProxyProcessConfig = ApiProxyMemberConfig & OwnProcessConfig & SpillConfig;

/** Settings from the environment, without those that the host supplies. */
export type ApiProxySettings = Omit<ApiProxyMemberConfig, "databaseUrl" | "keyring">;

const minuteMs = 60_000;

/** Reads the settings that are the same in every way to run the service; docs/configuration.md has the table. */
export function readApiProxyConfig(env: EnvReader): ApiProxySettings {
  const milliseconds = (name: string, fallback: number) =>
    env.integer(name, { default: fallback, min: 1, max: 60 * minuteMs });
  return {
    ...readPoolConfig(env),
    egress: readEgressConfig(env),
    chatRpcAddress: readRpcAddress(env, "CHAT_RPC_ADDRESS", "chat"),
    guardrailRpcAddress: readRpcAddress(env, "GUARDRAIL_RPC_ADDRESS", "guardrail"),
    guardrailTimeoutMs: milliseconds("GUARDRAIL_TIMEOUT_MS", 2_000),
    proxy: {
      bodySizeBytesMax: env.integer("PROXY_BODY_SIZE_BYTES_MAX", { default: 0, min: 0, max: Number.MAX_SAFE_INTEGER }),
      connectTimeoutMs: milliseconds("PROXY_CONNECT_TIMEOUT_MS", 5_000),
      headersTimeoutMs: milliseconds("PROXY_HEADERS_TIMEOUT_MS", minuteMs),
      idleTimeoutMs: milliseconds("PROXY_IDLE_TIMEOUT_MS", 5 * minuteMs),
      upgradeIdleTimeoutMs: milliseconds("PROXY_WEBSOCKET_IDLE_TIMEOUT_MS", 10 * minuteMs),
      connectionsMax: env.integer("PROXY_CONNECTIONS_MAX", { default: 1_024, min: 1, max: 65_535 }),
      allowanceTimeoutMs: milliseconds("ALLOWANCE_TIMEOUT_MS", 2_000),
      oauthTimeoutMs: milliseconds("OAUTH_TIMEOUT_MS", 10_000),
    },
  };
}

/** @throws ConfigError with every problem, by name. */
export function loadConfig(environment: Environment): ApiProxyProcessConfig {
  return loadProcessConfig(environment, "api-proxy", (env) => ({
    ...readApiProxyConfig(env),
    ...readSpillConfig(env),
    keyring: readKeyring(env),
  }));
}
