import { type Environment, type EnvReader, readServiceName } from "@gatehouse/config";
import {
  type BodyConfig,
  type DatabaseConfig,
  type GatewayLogConfig,
  loadProcessConfig,
  type OwnProcessConfig,
  readBodyConfig,
  readGatewayLogConfig,
  readPoolConfig,
  readResendsLostCalls,
  readRpcAddress,
} from "@gatehouse/service";

/** Settings of `createMcpBridgeService`: without the address of chat, which may run in this process. */
export interface McpBridgeConfig extends DatabaseConfig, BodyConfig {
  /** `serverInfo.name` of `initialize`. */
  readonly serviceName: string;
  /** Bound of one question to chat for a project's tools, milliseconds. */
  readonly listTimeoutMs: number;
  /** Bound of one tool call at chat, milliseconds. */
  readonly callTimeoutMs: number;
  /** Whether a call at a killed chat process is repeated at another. */
  readonly resendsLostCalls: boolean;
}

/** Configuration of one process, with the addresses of peers in other processes. */
export interface McpBridgeMemberConfig extends McpBridgeConfig {
  /** `host:port` of chat's gRPC. */
  readonly chatRpcAddress: string;
}

type McpBridgeProcessConfig = McpBridgeMemberConfig & OwnProcessConfig & GatewayLogConfig;

const minuteMs = 60_000;
/** Chat enforces the deadline of a call and names the late provider; this service waits longer to receive that answer. */
const chatMarginMs = 15_000;

/** Reads the settings that all hosts share; see docs/configuration.md. */
export function readMcpBridgeConfig(env: EnvReader): Omit<McpBridgeMemberConfig, "databaseUrl"> {
  const milliseconds = (name: string, fallback: number) =>
    env.integer(name, { default: fallback, min: 1, max: 60 * minuteMs });
  return {
    ...readPoolConfig(env),
    ...readBodyConfig(env),
    serviceName: readServiceName(env),
    listTimeoutMs: milliseconds("MCP_LIST_TIMEOUT_MS", 5_000),
    callTimeoutMs: milliseconds("CALL_DEADLINE_MS", 10 * minuteMs) + chatMarginMs,
    resendsLostCalls: readResendsLostCalls(env),
    chatRpcAddress: readRpcAddress(env, "CHAT_RPC_ADDRESS", "chat"),
  };
}

/** @throws ConfigError naming every invalid setting */
export function loadConfig(environment: Environment): McpBridgeProcessConfig {
  return loadProcessConfig(environment, "mcp-bridge", (env) => ({
    ...readMcpBridgeConfig(env),
    ...readGatewayLogConfig(env),
  }));
}
