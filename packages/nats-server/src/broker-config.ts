/** Permissions of a user of the broker; subjects may end with `>` or hold `*`. */
export interface BrokerPermissions {
  readonly publish: readonly string[];
  readonly subscribe: readonly string[];
}

interface BrokerUser {
  /** The service, for people who read the file. */
  readonly name: string;
  /** Public half of the user's nkey; the file holds no secret. */
  readonly publicKey: string;
  readonly permissions: BrokerPermissions;
}

/** Settings of a `nats-server`, of which its configuration file is made. */
export interface BrokerConfig {
  /** Address to listen on, `host:port`. */
  readonly listen: string;
  /** Folder of JetStream's files. */
  readonly storeFolder: string;
  /** Folder with `tls.crt`, `tls.key` and `authorities.pem`; with it the broker takes only connections with a certificate of an authority there. */
  readonly tlsFolder?: string | undefined;
  /** Present where several servers keep the streams together; their file is the same. */
  readonly cluster?: BrokerCluster | undefined;
  readonly users: readonly BrokerUser[];
}

/** Servers that are one broker. Each is started with its name in `NATS_SERVER_NAME`, which no other one has. */
export interface BrokerCluster {
  /** Address for the other servers, `host:port`. */
  readonly listen: string;
  /** Every server as the others reach it, `host:port`; with TLS, hosts by name, which the servers' certificate must hold. */
  readonly servers: readonly string[];
}

/** Largest message: a batch of log entries or an audit event fits many times; bytes. */
const payloadBytesMax = 1024 * 1024;

/** The configuration file of a NATS server with JetStream that only these users may use. */
export function formatBrokerConfig({ listen, storeFolder, tlsFolder, cluster, users }: BrokerConfig): string {
  const subjects = (list: readonly string[]) => `[${list.map((subject) => JSON.stringify(subject)).join(", ")}]`;
  const lines = users.flatMap(({ name, publicKey, permissions }) => [
    `    # ${name}`,
    `    { nkey: ${publicKey}, permissions: {`,
    `        publish: { allow: ${subjects(permissions.publish)} }`,
    `        subscribe: { allow: ${subjects(permissions.subscribe)} }`,
    "    } }",
  ]);
  return [
    `listen: ${JSON.stringify(listen)}`,
    `max_payload: ${payloadBytesMax}`,
    `jetstream { store_dir: ${JSON.stringify(storeFolder)} }`,
    ...(tlsFolder === undefined ? [] : [formatTls(tlsFolder, "verify")]),
    ...(cluster === undefined ? [] : formatCluster(cluster, tlsFolder)),
    "authorization {",
    "  users = [",
    ...lines,
    "  ]",
    "}",
    "",
  ].join("\n");
}

function formatCluster({ listen, servers }: BrokerCluster, tlsFolder: string | undefined): readonly string[] {
  const routes = servers.map((server) => JSON.stringify(`nats-route://${server}`)).join(", ");
  return [
    // Read from the environment by the server.
    "server_name: $NATS_SERVER_NAME",
    "cluster {",
    "  name: gatehouse",
    `  listen: ${JSON.stringify(listen)}`,
    `  routes: [${routes}]`,
    ...(tlsFolder === undefined ? [] : [`  ${formatTls(tlsFolder, "verify_cert_and_check_known_urls")}`]),
    "}",
  ];
}

/**
 * `verify` takes every certificate of the authority. A route is above the permissions of users: it takes the certificate alone that names
 * a host of `routes`, which no service has.
 */
type Verification = "verify" | "verify_cert_and_check_known_urls";

function formatTls(folder: string, verification: Verification): string {
  const file = (name: string) => JSON.stringify(`${folder}/${name}`);
  const files = `cert_file: ${file("tls.crt")}, key_file: ${file("tls.key")}, ca_file: ${file("authorities.pem")}`;
  return `tls { ${files}, ${verification}: true }`;
}
