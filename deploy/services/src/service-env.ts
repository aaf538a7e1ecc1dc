import { join } from "node:path";
import { defaultSecretPrefix, type Environment } from "@gatehouse/config";
import type { HeldPort } from "@gatehouse/http";
import { checkpointPurpose, keyringPurposes, type RunTrust, type ServiceName, settingPrefix } from "@gatehouse/trust";
import { deriveKeyring, deriveSecret, formatKeyring, type Secret } from "@gatehouse/vault";
import type { RunCertificates } from "./certificates.ts";
import type { ServicesConfig } from "./config.ts";
import type { Place } from "./places.ts";

/** Parts common to all services of one run, from which {@link environmentOf} makes the environment of each process. */
export interface ServiceContext {
  readonly config: ServicesConfig;
  readonly rootSecret: Secret;
  readonly trust: RunTrust;
  /** Absent where the services communicate without TLS, which stays on this machine. */
  readonly certificates: RunCertificates | undefined;
  readonly places: readonly Place[];
  readonly operationsPort: number;
  readonly databaseUrls: ReadonlyMap<ServiceName, Secret>;
  readonly natsUrl: Secret;
  /** Absent where the operator names the broker; inherited settings then authenticate the services. */
  readonly natsSeeds: ReadonlyMap<ServiceName, Secret> | undefined;
  /** File in which the control plane stores a new admin key. */
  readonly adminKeyFile: string;
  /** Port for clients, which stays open while a router is restarted. */
  readonly routerPort: HeldPort;
}

/** Purposes by the name of any service. */
const purposes: Partial<Record<ServiceName, string>> = keyringPurposes;

/** Environment of one service's process: the user's settings, and the addresses of everything else. */
export function environmentOf({ name, httpPort, rpcPort }: Place, context: ServiceContext): Environment {
  const { config, rootSecret, trust, certificates, places, databaseUrls, natsUrl, natsSeeds } = context;
  const purpose = purposes[name];
  return {
    // No load balancer watches local replicas.
    STOP_NOTICE_MS: "0",
    ...inheritedBy(name, config.inherited),
    ...addressesOf(places, certificates === undefined ? "http" : "https"),
    ...certificates?.env(name),
    NODE_ENV: "production",
    HOST: name === "router" ? config.router.host : "127.0.0.1",
    PORT: String(httpPort),
    RPC_PORT: String(rpcPort),
    GATEHOUSE_SERVICE_KEY: trust.keys.get(name)?.reveal(),
    GATEHOUSE_TRUST: trust.text,
    NATS_URL: natsUrl.reveal(),
    ...(natsSeeds === undefined
      ? {}
      : { NATS_NKEY_SEED: natsSeeds.get(name)?.reveal(), NATS_CREDENTIALS_FILE: undefined }),
    DATABASE_URL: databaseUrls.get(name)?.reveal(),
    GATEHOUSE_KEYRING: purpose === undefined ? undefined : formatKeyring(deriveKeyring(rootSecret, purpose)).reveal(),
    SPILL_FOLDER: join(config.home, "services", name),
    LOGBOOK_DATA_FOLDER: join(config.home, "logbook"),
    ...ownOf(name, context),
  };
}

/** Services that open references to secrets (docs/secrets.md). */
const referenceReaders: ReadonlySet<ServiceName> = new Set([
  "chat",
  "guardrail",
  "mcp-aggregator",
  "api-proxy",
  "control-plane",
]);

/** Environment inherited by a service, without secrets that only other services open. */
function inheritedBy(name: ServiceName, inherited: Environment): Environment {
  const secretPrefix = inherited["SECRET_ENV_PREFIX"] ?? defaultSecretPrefix;
  const isItsOwn = (variable: string) => {
    if (variable.replace(/_FILE$/, "") === "SIGN_IN_PROVIDERS") return name === "control-plane";
    return referenceReaders.has(name) || !variable.startsWith(secretPrefix);
  };
  return Object.fromEntries(Object.entries(inherited).filter(([variable]) => isItsOwn(variable)));
}

function ownOf(name: ServiceName, context: ServiceContext): Environment {
  const { config, rootSecret, operationsPort, adminKeyFile } = context;
  if (name === "logbook") return { AUDIT_CHECKPOINT_KEY: deriveSecret(rootSecret, checkpointPurpose).reveal() };
  if (name === "control-plane") {
    return { GATEHOUSE_ADMIN_KEY: config.adminKey?.reveal(), ADMIN_KEY_FILE: adminKeyFile };
  }
  return name === "router" ? { OPS_HOST: config.router.operations.host, OPS_PORT: String(operationsPort) } : {};
}

/** `CHAT_URL`, `CHAT_RPC_ADDRESS` and so on. */
function addressesOf(places: readonly Place[], scheme: "http" | "https"): Environment {
  return Object.fromEntries(
    places.flatMap(({ name, httpPort, rpcPort }) => {
      const variable = settingPrefix(name);
      return [
        [`${variable}_URL`, `${scheme}://127.0.0.1:${httpPort}`],
        [`${variable}_RPC_ADDRESS`, `127.0.0.1:${rpcPort}`],
      ];
    }),
  );
}
