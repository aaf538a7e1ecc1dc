import { type Environment, type EnvReader } from "@gatehouse/config";
import {
  type BodyConfig,
  type DatabaseConfig,
  loadProcessConfig,
  type OwnProcessConfig,
  readBodyConfig,
  readPoolConfig,
  readResendsLostCalls,
  readRpcAddress,
  readSpillConfig,
  type SpillConfig,
} from "@gatehouse/service";

/** Configuration of the bridge, in any host. */
export interface McpBridgeConfig extends DatabaseConfig, BodyConfig {
  /** `serverInfo.name` of `initialize`. */
  readonly serviceName: string;
  /** One question to chat for a project's tools. */
  readonly listTimeoutMs: number;
  /** One tool call, from the question to chat until its reply. */
  readonly callTimeoutMs: number;
  /** Whether a call that a killed chat held is sent to another. */
  readonly resendsLostCalls: boolean;
}

/** Configuration of one process, with the addresses of peers in other processes. */
export interface McpBridgeMemberConfig extends McpBridgeConfig {
  /** `host:port` of chat's gRPC. */
  readonly chatRpcAddress: string;
}

type McpBridgeProcessConfig = McpBridgeMemberConfig & OwnProcessConfig & SpillConfig;

const minuteMs = 60_000;
/** Chat keeps the deadline of a call itself and says which provider was late; this service only waits for that answer. */
const chatMarginMs = 15_000;

/** Reads the settings that are the same in every way to run the service; docs/configuration.md has the table. */
export function readMcpBridgeConfig(env: EnvReader): Omit<McpBridgeMemberConfig, "databaseUrl"> {
  const milliseconds = (name: string, fallback: number) =>
    env.integer(name, { default: fallback, min: 1, max: 60 * minuteMs });
  return {
    ...readPoolConfig(env),
    ...readBodyConfig(env),
    serviceName: env.text("SERVICE_NAME", "Gatehouse"),
    listTimeoutMs: milliseconds("MCP_LIST_TIMEOUT_MS", 5_000),
    callTimeoutMs: milliseconds("CALL_DEADLINE_MS", 10 * minuteMs) + chatMarginMs,
    resendsLostCalls: readResendsLostCalls(env),
    chatRpcAddress: readRpcAddress(env, "CHAT_RPC_ADDRESS", "chat"),
  };
}

/** @throws ConfigError with every problem, by name. */
export function loadConfig(environment: Environment): McpBridgeProcessConfig {
  return loadProcessConfig(environment, "mcp-bridge", (env) => ({
    ...readMcpBridgeConfig(env),
    ...readSpillConfig(env),
  }));
}
