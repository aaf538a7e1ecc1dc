import { randomBytes } from "node:crypto";
import { access } from "node:fs/promises";
import { join } from "node:path";
import { brokerPermissionsOf, createBrokerUser } from "@gatehouse/events";
import { type BrokerConfig, formatBrokerConfig } from "@gatehouse/nats-server";
import { bareHost, makeKeyPair, sealingServices, type ServiceName, serviceNames } from "@gatehouse/trust";
import { formatKeyring, Secret } from "@gatehouse/vault";
import { initCertificates, type ServerHosts } from "./certificates.ts";
import { keyFiles, KeysError, writeServiceKeys, writeTrust, writeWhole } from "./keys-folder.ts";
import { formatRolesScript, type RoleOfService, schemaOf } from "./roles-script.ts";
import { toScramVerifier } from "./scram.ts";

/** Options of {@link initKeys}, from the command line of `gatehouse keys init`. */
export interface InitOptions {
  /** Folder for all files; created when absent. */
  readonly folder: string;
  /** Host, port and name of the database, as the services reach it: `postgres:5432/gatehouse`. */
  readonly database: string;
  /** Port and folders of the broker. With `tlsFolder`, the folder of its certificate and key, it accepts TLS connections only. */
  readonly nats: Omit<BrokerConfig, "users">;
  /** Names and addresses in the certificates of the broker and of Postgres; `nats`, and the database's host, when absent. */
  readonly hosts?: Partial<ServerHosts>;
  /** Milliseconds since 1970. */
  readonly now?: number;
}

const clusterNeedsTls =
  "--nats-cluster needs --nats-tls, the folder of the broker's certificate: without it anybody may join the cluster.";

const keyBytes = 32;
const passwordBytes = 24;
const saltBytes = 16;

const sealing: ReadonlySet<ServiceName> = new Set(sealingServices);

/**
 * Creates everything that services in separate processes need to trust each other: a key for each and the public keys of all, an
 * authority and certificates, database roles, users of the broker, keyrings, and the key of the audit log's checkpoints. Existing
 * keyrings and checkpoint keys are kept, since data sealed with them opens with no others.
 * @throws KeysError where keys exist: nothing is overwritten.
 */
export async function initKeys({ folder, database, nats, hosts = {}, now = Date.now() }: InitOptions): Promise<void> {
  // The cluster port has no users, so only certificates keep others out.
  if (nats.cluster !== undefined && nats.tlsFolder === undefined) throw new KeysError(clusterNeedsTls);
  if (await hasKeys(folder)) {
    throw new KeysError(
      `${join(folder, keyFiles.trust)} is there already. Rotate its keys with: gatehouse keys rotate`,
    );
  }
  const roles: RoleOfService[] = [];
  const users = serviceNames.map((name) => ({ name, ...createBrokerUser() }));
  for (const { name, seed } of users) {
    const write = async (file: string, text: string) =>
      await writeWhole(join(folder, name, file), `${text}\n`, { isSecret: true });
    await write(keyFiles.natsSeed, seed.reveal());
    const writeOnce = async (file: string, make: () => string) => {
      if (!(await exists(join(folder, name, file)))) await write(file, make());
    };
    if (sealing.has(name)) await writeOnce(keyFiles.keyring, () => newKeyring().reveal());
    if (name === "logbook") await writeOnce(keyFiles.checkpointKey, () => randomBytes(keyBytes).toString("base64url"));
    if (name !== "router") roles.push(await writeRole(folder, name, database));
  }
  const brokerUsers = users.map(({ name, publicKey }) => ({ name, publicKey, permissions: brokerPermissionsOf(name) }));
  const broker = formatBrokerConfig({ ...nats, users: brokerUsers });
  await writeWhole(join(folder, keyFiles.brokerConfig), broker, { isSecret: false });
  await writeWhole(join(folder, keyFiles.roles), formatRolesScript(roles), { isSecret: true });
  await initCertificates(folder, toServerHosts(hosts, database), now);
  const pairs = serviceNames.map((service) => ({ service, ...makeKeyPair(service, 0) }));
  for (const { service, own } of pairs) await writeServiceKeys(folder, { service, keys: [own] });
  // Written last: a folder with this file is complete.
  await writeTrust(
    folder,
    pairs.map(({ known }) => known),
  );
}

/** Whether a folder has a complete set of keys: its trust file, which is written last. */
export async function hasKeys(folder: string): Promise<boolean> {
  return await exists(join(folder, keyFiles.trust));
}

/** @param database as in {@link InitOptions} */
export function toServerHosts({ nats, postgres }: Partial<ServerHosts>, database: string): ServerHosts {
  const host = database.replace(/[/?].*$/, "").replace(/:\d+$/, "");
  return { nats: nats ?? ["nats"], postgres: postgres ?? [bareHost(host)] };
}

/** Only `gatehouse migrate` gets the role that owns the schema; its URL is not among the files of the service. */
async function writeRole(folder: string, name: ServiceName, database: string): Promise<RoleOfService> {
  const schema = schemaOf(name);
  const [password, ownerPassword] = [newPassword(), newPassword()];
  const write = async (path: string, role: string, secret: Secret) => {
    const url = `postgresql://${role}:${secret.reveal()}@${database}\n`;
    await writeWhole(join(folder, path), url, { isSecret: true });
  };
  await write(join(name, keyFiles.databaseUrl), `gatehouse_${schema}`, password);
  await write(join(keyFiles.migration, name), `gatehouse_${schema}_owner`, ownerPassword);
  const verifierOf = (secret: Secret) => toScramVerifier(secret, randomBytes(saltBytes));
  return { schema, password: verifierOf(password), ownerPassword: verifierOf(ownerPassword) };
}

function newPassword(): Secret {
  return new Secret(randomBytes(passwordBytes).toString("base64url"));
}

function newKeyring(): Secret {
  return formatKeyring({ currentId: "k1", keys: new Map([["k1", randomBytes(keyBytes)]]) });
}

async function exists(path: string): Promise<boolean> {
  return await access(path).then(
    () => true,
    () => false,
  );
}
