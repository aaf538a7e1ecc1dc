import { resolve } from "node:path";
import { type Environment, EnvReader, presentSettings } from "@gatehouse/config";
import { readControlPlaneConfig } from "@gatehouse/control-plane";
import { type EventsConfig, readEventsConfig } from "@gatehouse/events";
import type { ProviderKeys } from "@gatehouse/local-start";
import { readRouterConfig, type RouterConfig } from "@gatehouse/router";
import { readIsLogging, readOptionalDatabaseUrl, refuseWorkers } from "@gatehouse/service";
import type { ServiceName } from "@gatehouse/trust";
import type { Secret } from "@gatehouse/vault";
import { readSets } from "./sets.ts";

/** Settings of `npm run start:services`, with the meaning that they have for `npm start`; docs/configuration.md has the table. */
export interface ServicesConfig {
  /** Absolute path of the data folder. */
  readonly home: string;
  /** Absent: a Postgres in the data folder. Its user must be allowed to create roles and schemas. */
  readonly databaseUrl: Secret | undefined;
  /** Without a URL: a broker on this machine, with its files in the data folder. */
  readonly events: EventsConfig;
  /** Whether the services and their broker use TLS, as they do between machines. */
  readonly isEncrypted: boolean;
  /** Services that share a process; each other service has its own. */
  readonly sets: readonly (readonly ServiceName[])[];
  /** Whether the first start creates a demo project. */
  readonly demo: boolean;
  readonly router: RouterConfig;
  readonly adminKey: Secret | undefined;
  readonly providerKeys: ProviderKeys;
  /** Settings that the services inherit: all except those set for each. */
  readonly inherited: Environment;
}

/** Variables that are not inherited, nor their files (`<name>_FILE`): each service gets the values that it needs. */
const ownVariables: ReadonlySet<string> = new Set([
  "ANTHROPIC_API_KEY",
  "DATABASE_URL",
  "GATEHOUSE_ADMIN_KEY",
  "GATEHOUSE_HOME",
  "GATEHOUSE_KEYRING",
  "HOST",
  "NATS_URL",
  "OPENAI_API_KEY",
  "OPS_HOST",
  "OPS_PORT",
  "PORT",
  "RPC_PORT",
  "SERVICES_SETS",
  "SERVICES_TLS",
]);

/** @throws ConfigError with every problem, by name. */
export function loadConfig(environment: Environment): ServicesConfig {
  const local = { HOST: "127.0.0.1", OPS_HOST: "127.0.0.1", LOG_LEVEL: "warn", ...presentSettings(environment) };
  const env = new EnvReader(local);
  refuseWorkers(env);
  // Inherited by the services; a wrong value is refused here once.
  readIsLogging(env);
  const config: ServicesConfig = {
    home: resolve(env.text("GATEHOUSE_HOME", ".gatehouse")),
    databaseUrl: readOptionalDatabaseUrl(env),
    events: readEventsConfig(env),
    isEncrypted: env.oneOf("SERVICES_TLS", ["on", "off"], "off") === "on",
    sets: readSets(env),
    demo: env.oneOf("GATEHOUSE_DEMO", ["on", "off"], "on") === "on",
    router: readRouterConfig(env),
    adminKey: readControlPlaneConfig(env).adminKey,
    providerKeys: { openai: env.optionalSecret("OPENAI_API_KEY"), anthropic: env.optionalSecret("ANTHROPIC_API_KEY") },
    inherited: Object.fromEntries(
      Object.entries(local).filter(([name]) => !ownVariables.has(name.replace(/_FILE$/, ""))),
    ),
  };
  env.finish();
  return config;
}
