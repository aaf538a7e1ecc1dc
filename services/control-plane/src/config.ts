import { type Environment, type EnvReader, readPublicUrl, readSecretSource, readServiceName } from "@gatehouse/config";
import { type EgressConfig, readEgressConfig } from "@gatehouse/egress";
import { adminKeyBodyLengthMin, isAcceptableAdminKey } from "@gatehouse/principal";
import {
  type BodyConfig,
  type DatabaseConfig,
  type GatewayLogConfig,
  loadProcessConfig,
  type OwnProcessConfig,
  type PeerRpcConfig,
  readBodyConfig,
  readGatewayLogConfig,
  readPoolConfig,
  readRpcAddress,
} from "@gatehouse/service";
import { operationOwners, type ServiceName, settingPrefix } from "@gatehouse/trust";
import type { Secret } from "@gatehouse/vault";
import type { SessionBounds } from "./domain/console-session.ts";
import { readSignInProviders } from "./domain/sign-in/read-providers.ts";
import type { SignInProvider } from "./domain/sign-in/sign-in-provider.ts";

const minuteMs = 60_000;
const hourMs = 60 * minuteMs;

/** Settings of `createControlPlaneService`: without the addresses of peers, which may run in this process. */
export interface ControlPlaneConfig extends DatabaseConfig, BodyConfig {
  /** The product's name, as shown to MCP clients. */
  readonly serviceName: string;
  /** An admin key chosen by the operator. */
  readonly adminKey: Secret | undefined;
  /** False disables that key, once another owner exists. */
  readonly adminKeyEnabled: boolean;
  readonly sessions: SessionBounds;
  readonly signIn: SignInConfig;
  /** Permitted addresses of JWT issuers and identity providers. */
  readonly egress: EgressConfig;
}

interface SignInConfig {
  /** The gateway's origin for browsers, such as `https://gateway.example.com`; undefined: unknown. */
  readonly publicUrl: string | undefined;
  /** Empty without a public URL. */
  readonly providers: readonly SignInProvider[];
}

/** A service with its gRPC address and timeout, from `<SERVICE>_RPC_ADDRESS` and `<SERVICE>_RPC_TIMEOUT_MS`. */
export interface NamedPeerRpcConfig extends PeerRpcConfig {
  readonly name: ServiceName;
}

/** Configuration of one process, with the addresses of peers in other processes. */
export interface ControlPlaneMemberConfig extends ControlPlaneConfig {
  /** Destination of a generated admin key while standard output is not a terminal. */
  readonly adminKeyFile: string;
  /** Replaces that file; see `ControlPlaneDependencies`. */
  readonly onAdminKeyCreated?: (key: Secret) => void;
  /** Services that own operations, in the order in which they delete a project. */
  readonly owners: readonly NamedPeerRpcConfig[];
  /** Owns no operations; only its state is read. */
  readonly mcpBridge: NamedPeerRpcConfig;
}

type ControlPlaneProcessConfig = ControlPlaneMemberConfig & OwnProcessConfig & GatewayLogConfig;

/** Reads the settings that all hosts share; see docs/configuration.md. */
export function readControlPlaneConfig(env: EnvReader): Omit<ControlPlaneMemberConfig, "databaseUrl"> {
  return {
    ...readPoolConfig(env),
    serviceName: readServiceName(env),
    adminKey: readAdminKey(env),
    adminKeyEnabled: env.oneOf("GATEHOUSE_ADMIN_KEY_ENABLED", ["true", "false"], "true") === "true",
    ...readBodyConfig(env),
    sessions: readSessionBounds(env),
    signIn: readSignInConfig(env),
    egress: readEgressConfig(env),
    adminKeyFile: env.text("ADMIN_KEY_FILE", "./initial-admin-key"),
    owners: operationOwners.map((name) => readPeer(env, name)),
    mcpBridge: readPeer(env, "mcp-bridge"),
  };
}

/** @throws ConfigError naming every invalid setting */
export function loadConfig(environment: Environment): ControlPlaneProcessConfig {
  return loadProcessConfig(environment, "control-plane", (env) => ({
    ...readControlPlaneConfig(env),
    ...readGatewayLogConfig(env),
  }));
}

function readSessionBounds(env: EnvReader): SessionBounds {
  const range = { min: minuteMs, max: 30 * 24 * hourMs };
  const lifeMs = env.integer("CONSOLE_SESSION_LIFE_MS", { default: 12 * hourMs, ...range });
  const atMost = { name: "CONSOLE_SESSION_LIFE_MS", value: lifeMs };
  return { lifeMs, idleMs: env.integer("CONSOLE_SESSION_IDLE_MS", { default: 2 * hourMs, ...range, atMost }) };
}

/** Reads `PUBLIC_URL` and `SIGN_IN_PROVIDERS`, described in docs/administrators.md. Problems stay in `env`. */
export function readSignInConfig(env: EnvReader): SignInConfig {
  const publicUrl = readPublicUrl(env);
  const source = env.optionalText("SIGN_IN_PROVIDERS");
  if (source === undefined) return { publicUrl, providers: [] };
  if (publicUrl === undefined) {
    env.problem("PUBLIC_URL", "is required with SIGN_IN_PROVIDERS: browsers are sent back there");
  }
  const secrets = readSecretSource(env);
  const { providers, problems } = readSignInProviders(source, (text) => secrets.given(text, null));
  for (const problem of problems) env.problem("SIGN_IN_PROVIDERS", problem);
  return { publicUrl, providers };
}

function readPeer(env: EnvReader, name: ServiceName): NamedPeerRpcConfig {
  const prefix = settingPrefix(name);
  return {
    name,
    address: readRpcAddress(env, `${prefix}_RPC_ADDRESS`, name),
    timeoutMs: env.integer(`${prefix}_RPC_TIMEOUT_MS`, { default: 10_000, min: 100, max: 600_000 }),
  };
}

/** Reads `GATEHOUSE_ADMIN_KEY`; a problem is recorded in `env`. */
function readAdminKey(env: EnvReader): Secret | undefined {
  const key = env.optionalSecret("GATEHOUSE_ADMIN_KEY");
  if (key !== undefined && !isAcceptableAdminKey(key.reveal())) {
    env.problem(
      "GATEHOUSE_ADMIN_KEY",
      `must be svc_admin_ and at least ${adminKeyBodyLengthMin} more characters without spaces; make one with: echo svc_admin_$(openssl rand -hex 24)`,
    );
  }
  return key;
}
