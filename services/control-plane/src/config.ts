import { type Environment, type EnvReader, readPublicUrl, readSecretSource } from "@gatehouse/config";
import { type EgressConfig, readEgressConfig } from "@gatehouse/egress";
import { adminKeyBodyLengthMin, isAcceptableAdminKey } from "@gatehouse/principal";
import {
  type BodyConfig,
  type DatabaseConfig,
  loadProcessConfig,
  type OwnProcessConfig,
  type PeerRpcConfig,
  readBodyConfig,
  readPoolConfig,
  readRpcAddress,
  readSpillConfig,
  type SpillConfig,
} from "@gatehouse/service";
import { operationOwners, type ServiceName, settingPrefix } from "@gatehouse/trust";
import type { Secret } from "@gatehouse/vault";
import type { SessionBounds } from "./domain/console-session.ts";
import { readSignInProviders } from "./domain/sign-in/read-providers.ts";
import type { SignInProvider } from "./domain/sign-in/sign-in-provider.ts";

const minuteMs = 60_000;
const hourMs = 60 * minuteMs;

/** Settings of the service in any host. */
export interface ControlPlaneConfig extends DatabaseConfig, BodyConfig {
  /** The product's name, as MCP clients see it. */
  readonly serviceName: string;
  /** An admin key that the operator chose. */
  readonly adminKey: Secret | undefined;
  /** False switches that key off, once another owner exists. */
  readonly adminKeyEnabled: boolean;
  /** Bounds of sessions of people at the console. */
  readonly sessions: SessionBounds;
  readonly signIn: SignInConfig;
  /** Permitted targets for requests to issuers of JWTs and identity providers. */
  readonly egress: EgressConfig;
}

/** Ways to sign in at the console. */
interface SignInConfig {
  /** The gateway's address for browsers, such as `https://gateway.example.com`; undefined where it is not known. */
  readonly publicUrl: string | undefined;
  /** None without a public URL. */
  readonly providers: readonly SignInProvider[];
}

/** The way to a service, by its name. */
export interface NamedPeerRpcConfig extends PeerRpcConfig {
  readonly name: ServiceName;
}

/** Configuration of one process, with the addresses of peers in other processes. */
export interface ControlPlaneMemberConfig extends ControlPlaneConfig {
  /** Where a minted admin key goes while standard output is no terminal. */
  readonly adminKeyFile: string;
  /** Takes a minted admin key instead; see `ControlPlaneDependencies`. */
  readonly onAdminKeyCreated?: (key: Secret) => void;
  /** The services that own operations, in the order in which they remove a deleted project. */
  readonly owners: readonly NamedPeerRpcConfig[];
  /** Owns no operations, and is asked for its state. */
  readonly mcpBridge: NamedPeerRpcConfig;
}

type ControlPlaneProcessConfig = ControlPlaneMemberConfig & OwnProcessConfig & SpillConfig;

/** Reads the settings that are the same in every way to run the service; docs/configuration.md has the table. */
export function readControlPlaneConfig(env: EnvReader): Omit<ControlPlaneMemberConfig, "databaseUrl"> {
  return {
    ...readPoolConfig(env),
    serviceName: env.text("SERVICE_NAME", "Gatehouse"),
    adminKey: readAdminKey(env),
    adminKeyEnabled: env.oneOf("GATEHOUSE_ADMIN_KEY_ENABLED", ["true", "false"], "true") === "true",
    ...readBodyConfig(env),
    sessions: {
      idleMs: env.integer("CONSOLE_SESSION_IDLE_MS", { default: 2 * hourMs, min: minuteMs, max: 30 * 24 * hourMs }),
      lifeMs: env.integer("CONSOLE_SESSION_LIFE_MS", { default: 12 * hourMs, min: minuteMs, max: 30 * 24 * hourMs }),
    },
    signIn: readSignInConfig(env),
    egress: readEgressConfig(env),
    adminKeyFile: env.text("ADMIN_KEY_FILE", "./initial-admin-key"),
    owners: operationOwners.map((name) => readPeer(env, name)),
    mcpBridge: readPeer(env, "mcp-bridge"),
  };
}

/** @throws ConfigError with every problem, by name. */
export function loadConfig(environment: Environment): ControlPlaneProcessConfig {
  return loadProcessConfig(environment, "control-plane", (env) => ({
    ...readControlPlaneConfig(env),
    ...readSpillConfig(env),
  }));
}

/** Reads `PUBLIC_URL` and `SIGN_IN_PROVIDERS`; docs/administrators.md describes them. Problems stay in `env`. */
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

/** `GATEHOUSE_ADMIN_KEY`, checked; a problem with it is recorded in `env`. */
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
