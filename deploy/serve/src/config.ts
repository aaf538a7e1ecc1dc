import { existsSync } from "node:fs";
import { join } from "node:path";
import { ConfigError, type Environment, presentSettings } from "@gatehouse/config";
import { keyFiles } from "@gatehouse/keys";
import { isServiceName, type ServiceName, serviceNames, settingPrefix } from "@gatehouse/trust";

/** Usage of the command. */
export const usage = `Usage: gatehouse serve <service>[,<service>...]\nServices: ${serviceNames.join(", ")}`;

/** Parses the services in the command's arguments. @throws ConfigError that names an unknown or repeated one. */
export function parseServices(args: readonly string[]): ReadonlySet<ServiceName> {
  const names = args.flatMap((text) => text.split(",")).filter((name) => name !== "");
  const problems = names.length === 0 ? ["No service is named."] : [];
  const found = new Set<ServiceName>();
  for (const name of names) {
    if (!isServiceName(name)) problems.push(`There is no service '${name}'.`);
    else if (found.has(name)) problems.push(`The service '${name}' is named twice.`);
    else found.add(name);
  }
  if (problems.length > 0) throw new ConfigError([...problems, usage]);
  return found;
}

/** Beginning of the settings of one service alone: `CHAT__` of `CHAT__PORT`. */
export const ownPrefix = (service: string) => `${settingPrefix(service)}__`;

/** Files in a service's folder of keys that provide settings. */
const settingFiles: Readonly<Record<string, keyof typeof keyFiles>> = {
  GATEHOUSE_SERVICE_KEY: "serviceKey",
  NATS_NKEY_SEED: "natsSeed",
  DATABASE_URL: "databaseUrl",
  GATEHOUSE_KEYRING: "keyring",
  AUDIT_CHECKPOINT_KEY: "checkpointKey",
  GATEHOUSE_TLS_CERTIFICATE: "tlsCertificate",
  GATEHOUSE_TLS_KEY: "tlsKey",
};

/** Settings that replace one of those files: a broker's user is identified in one way. */
const insteadOf: Readonly<Record<string, string>> = { NATS_NKEY_SEED: "NATS_CREDENTIALS_FILE" };

/**
 * Settings of one service of a process: the environment, where `CHAT__PORT` is `PORT` for chat alone, and, for settings that are
 * absent, the files that `gatehouse keys init` has made in the folder `GATEHOUSE_KEYS`.
 * @throws ConfigError if that folder does not exist.
 */
export function environmentOf(service: string, environment: Environment): Environment {
  const prefix = ownPrefix(service);
  const present = presentSettings(environment);
  const own = Object.entries(present).flatMap(([name, value]) =>
    name.startsWith(prefix) ? [[name.slice(prefix.length), value] as const] : [],
  );
  const settings: Record<string, string | undefined> = { ...present };
  for (const [name, value] of own) {
    // A service's own value overrides the common file, and its file the common value.
    delete settings[name.endsWith("_FILE") ? name.slice(0, -"_FILE".length) : `${name}_FILE`];
    settings[name] = value;
  }
  const keys = settings["GATEHOUSE_KEYS"];
  if (keys === undefined) return settings;
  if (!existsSync(keys)) throw new ConfigError(["GATEHOUSE_KEYS names a folder that does not exist."]);
  const files = Object.entries(settingFiles).map(
    ([name, file]) => [name, join(keys, service, keyFiles[file])] as const,
  );
  const shared = [
    ["GATEHOUSE_TRUST", join(keys, keyFiles.trust)],
    ["GATEHOUSE_TLS_CA", join(keys, keyFiles.authorities)],
  ] as const;
  for (const [name, path] of [...files, ...shared]) {
    const isSet = [name, `${name}_FILE`, insteadOf[name]].some(
      (each) => each !== undefined && settings[each] !== undefined,
    );
    if (!isSet && existsSync(path)) settings[`${name}_FILE`] = path;
  }
  return settings;
}
