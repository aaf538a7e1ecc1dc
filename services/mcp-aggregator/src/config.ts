import { type Environment, type EnvReader, readKeyring, readServiceName } from "@gatehouse/config";
import { type EgressConfig, readEgressConfig } from "@gatehouse/egress";
import {
  type BodyConfig,
  type DatabaseConfig,
  type GatewayLogConfig,
  loadProcessConfig,
  type OwnProcessConfig,
  readBodyConfig,
  readGatewayLogConfig,
  readPoolConfig,
  readRpcAddress,
} from "@gatehouse/service";
import type { Keyring } from "@gatehouse/vault";

/** Settings of `createMcpAggregatorService`: without the addresses of peers, which may run in this process. */
export interface McpAggregatorConfig extends DatabaseConfig, BodyConfig {
  readonly keyring: Keyring;
  /** ` MCP Gateway` is appended in `serverInfo.name`. */
  readonly serviceName: string;
  /** Bound of one question to the guardrail service. */
  readonly guardrailTimeoutMs: number;
  readonly upstreamBounds: UpstreamBoundsConfig;
}

/** Bounds of calls to upstreams, milliseconds and bytes. */
export interface UpstreamBoundsConfig {
  /** Resolution, TCP and TLS together. */
  readonly connectTimeoutMs: number;
  /** Bound of one `tools/list` of a client over all upstreams. */
  readonly listTotalTimeoutMs: number;
  /** Longest silence of a call. */
  readonly idleTimeoutMs: number;
  readonly handshakeTimeoutMs: number;
  readonly replyBytesMax: number;
  readonly sessionIdleMs: number;
  /** Open sessions per upstream. */
  readonly sessionsMax: number;
  /** Open connections per origin. */
  readonly connectionsMax: number;
}

/** Configuration of one process, with the addresses of peers in other processes. */
export interface McpAggregatorMemberConfig extends McpAggregatorConfig {
  readonly egress: EgressConfig;
  /** `host:port` of the chat service, which counts rate limits. */
  readonly chatRpcAddress: string;
  /** `host:port` of the guardrail service. */
  readonly guardrailRpcAddress: string;
  /** Bound of one question about rate limits. */
  readonly allowanceTimeoutMs: number;
}

type McpAggregatorProcessConfig = McpAggregatorMemberConfig & OwnProcessConfig & GatewayLogConfig;

const minuteMs = 60_000;
const mebibyte = 1024 * 1024;

/** Reads the settings that all hosts share; see docs/configuration.md. */
export function readMcpAggregatorConfig(env: EnvReader): Omit<McpAggregatorMemberConfig, "databaseUrl" | "keyring"> {
  const milliseconds = (name: string, fallback: number) =>
    env.integer(name, { default: fallback, min: 1, max: 60 * minuteMs });
  return {
    ...readPoolConfig(env),
    serviceName: readServiceName(env),
    guardrailTimeoutMs: milliseconds("GUARDRAIL_TIMEOUT_MS", 2_000),
    ...readBodyConfig(env),
    egress: readEgressConfig(env),
    allowanceTimeoutMs: env.integer("ALLOWANCE_TIMEOUT_MS", { default: 2_000, min: 1, max: minuteMs }),
    guardrailRpcAddress: readRpcAddress(env, "GUARDRAIL_RPC_ADDRESS", "guardrail"),
    chatRpcAddress: readRpcAddress(env, "CHAT_RPC_ADDRESS", "chat"),
    upstreamBounds: {
      connectTimeoutMs: milliseconds("MCP_UPSTREAM_CONNECT_TIMEOUT_MS", 2_000),
      listTotalTimeoutMs: milliseconds("MCP_UPSTREAM_LIST_TOTAL_TIMEOUT_MS", 7_500),
      idleTimeoutMs: milliseconds("MCP_UPSTREAM_IDLE_TIMEOUT_MS", minuteMs),
      handshakeTimeoutMs: milliseconds("MCP_UPSTREAM_HANDSHAKE_TIMEOUT_MS", 5_000),
      replyBytesMax: env.integer("MCP_UPSTREAM_REPLY_BYTES_MAX", {
        default: 16 * mebibyte,
        min: 1_024,
        max: 256 * mebibyte,
      }),
      sessionIdleMs: milliseconds("MCP_UPSTREAM_SESSION_IDLE_MS", 5 * minuteMs),
      sessionsMax: env.integer("MCP_UPSTREAM_SESSIONS_MAX", { default: 1_000, min: 1, max: 100_000 }),
      connectionsMax: env.integer("MCP_UPSTREAM_CONNECTIONS_MAX", { default: 256, min: 1, max: 10_000 }),
    },
  };
}

/** @throws ConfigError naming every invalid setting */
export function loadConfig(environment: Environment): McpAggregatorProcessConfig {
  return loadProcessConfig(environment, "mcp-aggregator", (env) => ({
    ...readMcpAggregatorConfig(env),
    ...readGatewayLogConfig(env),
    keyring: readKeyring(env),
  }));
}
