import { isIP } from "node:net";
import { resolve } from "node:path";
import { parseArgs } from "node:util";
import { isServiceName } from "@gatehouse/trust";
import { hasKeys, initKeys, toServerHosts } from "./init-keys.ts";
import { KeysError } from "./keys-folder.ts";
import { moveMigrationUrls } from "./move-migration-urls.ts";
import { rotateKeys } from "./rotate-keys.ts";

/** Output lines and clock (milliseconds since 1970) of the command; tests replace them. */
interface Surroundings {
  readonly out: (line: string) => void;
  readonly err: (line: string) => void;
  readonly wallNow: () => number;
}

const usage = `Usage:
  gatehouse keys init   [--folder keys] [--database postgres:5432/gatehouse] [--nats-listen 0.0.0.0:4222] [--nats-store /data]
                        [--nats-tls folder] [--nats-hosts nats,…] [--nats-cluster nats-0,nats-1,nats-2] [--postgres-hosts postgres,…]
  gatehouse keys rotate [--folder keys] [--lead-minutes 10] [service ... | --authority]

init writes, once: public/trust.json (public keys of all services), public/authorities.pem, nats/nats.conf (the broker's users),
postgres/roles.sql (database roles), certificates of the broker and of Postgres, and for each service a folder with its secrets, which
only that service gets. --nats-tls names the folder nats as the broker sees it: it then takes encrypted connections alone.
--nats-cluster names the hosts of the servers that are one broker, each started with its name in NATS_SERVER_NAME; it needs
--nats-tls. rotate with --nats-hosts or --postgres-hosts gives the servers' certificates other names. In a folder of an earlier version init and rotate move <service>/migration-url to migration/<service>. rotate gives
services new keys and certificates; old and new ones hold meanwhile. --authority also replaces what the certificates are signed with, those of all services at once.`;

/** A later rotation drops the earlier authority, on which certificates of the other services would still depend. */
const authorityOfSome = "--authority is for all services together. Leave their names out, or leave out --authority.";

/** The servers' certificates are renewed together with those of all services. */
const hostsOfSome =
  "--nats-hosts, --nats-cluster and --postgres-hosts need a rotation of all services. Leave their names out.";

const wrongDatabase =
  "--database must be host:port/name, such as postgres:5432/gatehouse: roles and passwords are made by this command.";

const minuteMs = 60_000;
const leadMinutesMax = 7 * 24 * 60;
const portMax = 65_535;

/** Runs `gatehouse keys …`. @returns the exit code: 0, or 1 with a reason on `err`. */
export async function runKeysCommand(args: readonly string[], { out, err, wallNow }: Surroundings): Promise<number> {
  try {
    const { values, positionals } = parse(args);
    if (values.help) {
      out(usage);
      return 0;
    }
    const [command, ...names] = positionals;
    const folder = resolve(values.folder);
    const hosts = readHosts(values);
    const database = toDatabase(values.database);
    const isInit = command === "init" && names.length === 0;
    const moved = isInit || command === "rotate" ? await moveMigrationUrls(folder) : [];
    for (const sentence of moved) out(sentence);
    if (isInit) {
      if (moved.length > 0 && (await hasKeys(folder))) {
        out(`The keys in ${folder} are otherwise as they were.`);
        return 0;
      }
      const nats = {
        listen: toListenAddress(values["nats-listen"]),
        storeFolder: values["nats-store"],
        tlsFolder: values["nats-tls"],
        cluster: readCluster(values["nats-cluster"]),
      };
      await initKeys({ folder, database, nats, hosts, now: wallNow() });
      out(`Keys are in ${folder}. Keep a copy: the keyrings open the sealed credentials.`);
      return 0;
    }
    if (command === "rotate") {
      const leadMs = toLeadMs(values["lead-minutes"]);
      const services = names.map((name) => toServiceName(name));
      if (values.authority && services.length > 0) throw new KeysError(authorityOfSome);
      if (Object.keys(hosts).length > 0 && services.length > 0) throw new KeysError(hostsOfSome);
      const options = {
        folder,
        leadMs,
        now: wallNow(),
        isNewAuthority: values.authority,
        hosts,
        hostsOfNone: toServerHosts({}, database),
        ...(services.length === 0 ? {} : { services }),
      };
      const { signsFrom, ends, withoutKey } = await rotateKeys(options);
      const show = (time: number) => new Date(time).toISOString();
      out(`New keys sign from ${show(signsFrom)}; old ones hold until ${show(ends)}. Services follow the files.`);
      for (const service of withoutKey)
        out(`${service} had no valid key: its new one signs at once, so give public/trust.json to all services first.`);
      return 0;
    }
    err(usage);
    return 1;
  } catch (error) {
    err(toReason(error));
    return 1;
  }
}

/** The reason of a failure that its reader can correct. @throws any other. */
function toReason(error: unknown): string {
  if (error instanceof KeysError) return error.message;
  const { code, path } = error as NodeJS.ErrnoException;
  if (code === undefined || path === undefined) throw error;
  return `${path} cannot be read or written (${code}).`;
}

function parse(args: readonly string[]) {
  try {
    return parseArgs({
      args: [...args],
      allowPositionals: true,
      options: {
        folder: { type: "string", default: "keys" },
        database: { type: "string", default: "postgres:5432/gatehouse" },
        "nats-listen": { type: "string", default: "0.0.0.0:4222" },
        "nats-store": { type: "string", default: "/data" },
        "nats-tls": { type: "string" },
        "nats-hosts": { type: "string" },
        "nats-cluster": { type: "string" },
        "postgres-hosts": { type: "string" },
        authority: { type: "boolean", default: false },
        help: { type: "boolean", short: "h", default: false },
        "lead-minutes": { type: "string", default: "10" },
      },
    });
  } catch (error) {
    throw new KeysError(`${error instanceof Error ? error.message : "Wrong arguments."}\n\n${usage}`, { cause: error });
  }
}

/** Requires the name of the database, which Postgres would otherwise take from the role. */
function toDatabase(text: string): string {
  const found = /^(?:\[[^/@\s?\]]+\]|[^/@\s?:]+)(?::(?<port>\d+))?\/[^/@\s?]+(?:\?\S*)?$/.exec(text);
  const port = found?.groups?.["port"];
  if (found !== null && (port === undefined || isPort(port))) return text;
  throw new KeysError(wrongDatabase);
}

function toListenAddress(text: string): string {
  const [, port] = /^(?:\[[0-9a-f:.]+\]|[^\s:[\]]+):(\d+)$/i.exec(text) ?? [];
  if (port !== undefined && isPort(port)) return text;
  throw new KeysError("--nats-listen must be host:port, such as 0.0.0.0:4222.");
}

function isPort(digits: string): boolean {
  return Number(digits) >= 1 && Number(digits) <= portMax;
}

function split(text: string): readonly string[] {
  const hosts = text.split(",").map((host) => host.trim());
  if (hosts.includes("")) throw new KeysError(`"${text}" has an empty name between its commas.`);
  return hosts;
}

/** Port between servers of a cluster, as in NATS' documentation. */
const clusterPort = 6_222;

function readCluster(names: string | undefined) {
  if (names === undefined) return undefined;
  const servers = split(names);
  if (servers.length < 3 || new Set(servers).size < servers.length)
    throw new KeysError(
      "--nats-cluster must name at least 3 servers, each once: with fewer, one that ends stops the others.",
    );
  if (servers.some((host) => isIP(host) !== 0))
    throw new KeysError(
      "--nats-cluster must hold host names: servers know each other by the names in their certificate.",
    );
  return { listen: `0.0.0.0:${clusterPort}`, servers: servers.map((host) => `${host}:${clusterPort}`) };
}

/** Servers of a cluster verify each other's certificate by these names, whatever names clients use. */
function readHosts(values: ReturnType<typeof parse>["values"]) {
  const { "nats-cluster": cluster, "nats-hosts": nats, "postgres-hosts": postgres } = values;
  const ofNats = [cluster, nats].flatMap((names) => (names === undefined ? [] : split(names)));
  return {
    ...(ofNats.length === 0 ? {} : { nats: [...new Set(ofNats)] }),
    ...(postgres === undefined ? {} : { postgres: split(postgres) }),
  };
}

function toLeadMs(text: string): number {
  const minutes = Number(text);
  if (minutes > 0 && minutes <= leadMinutesMax) return minutes * minuteMs;
  throw new KeysError(`--lead-minutes must be above 0 and at most ${leadMinutesMax}.`);
}

function toServiceName(text: string) {
  if (isServiceName(text)) return text;
  throw new KeysError(`There is no service ${text}.`);
}
