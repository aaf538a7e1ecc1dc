import { type Environment, type EnvReader, readKeyring } from "@gatehouse/config";
import { type EgressConfig, readEgressConfig } from "@gatehouse/egress";
import {
  type DatabaseConfig,
  type GatewayLogConfig,
  loadProcessConfig,
  type OwnProcessConfig,
  readGatewayLogConfig,
  readPoolConfig,
  readRpcAddress,
} from "@gatehouse/service";
import type { Keyring } from "@gatehouse/vault";

/** Settings of `createApiProxyService`: without the addresses of peers, which may run in this process. */
export interface ApiProxyConfig extends DatabaseConfig {
  readonly keyring: Keyring;
  readonly egress: EgressConfig;
  /** Addresses that this gateway listens on, such as `127.0.0.1:8080`; requests to them are refused. */
  readonly ownAddresses: readonly string[];
  readonly proxy: ProxyBounds;
  /** Bound of one question to the guardrail service. */
  readonly guardrailTimeoutMs: number;
}

/** Bounds of requests and connections, milliseconds and bytes. */
export interface ProxyBounds {
  /** Largest body of a request; 0: no bound. */
  readonly bodySizeBytesMax: number;
  readonly connectTimeoutMs: number;
  /** From the request's last byte to the head of the upstream's reply; default of endpoints. */
  readonly headersTimeoutMs: number;
  /** Longest silence in a body, of the request or of the reply. */
  readonly idleTimeoutMs: number;
  /** Longest silence of a WebSocket in both directions. */
  readonly upgradeIdleTimeoutMs: number;
  /** Connections per upstream. */
  readonly connectionsMax: number;
  /** Bound of one question about rate limits. */
  readonly allowanceTimeoutMs: number;
  /** Bound of one call of a token endpoint. */
  readonly oauthTimeoutMs: number;
}

/** Configuration of one process, with the addresses of peers in other processes; its host adds the addresses that it listens on. */
export interface ApiProxyMemberConfig extends Omit<ApiProxyConfig, "ownAddresses"> {
  /** `host:port` of the chat service, which counts rate limits. */
  readonly chatRpcAddress: string;
  /** `host:port` of the guardrail service. */
  readonly guardrailRpcAddress: string;
}

type ApiProxyProcessConfig = ApiProxyMemberConfig & OwnProcessConfig & GatewayLogConfig;

/** Settings from the environment, without those of the host. */
export type ApiProxySettings = Omit<ApiProxyMemberConfig, "databaseUrl" | "keyring">;

const minuteMs = 60_000;

/** Reads the settings that all hosts share; see docs/configuration.md. */
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

/** @throws ConfigError naming every invalid setting */
export function loadConfig(environment: Environment): ApiProxyProcessConfig {
  return loadProcessConfig(environment, "api-proxy", (env) => ({
    ...readApiProxyConfig(env),
    ...readGatewayLogConfig(env),
    keyring: readKeyring(env),
  }));
}
