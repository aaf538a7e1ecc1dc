/** Subjects that one user may publish and subscribe to, in NATS' syntax with `*` and `>`; the server refuses all others. */
export interface BrokerPermissions {
  readonly publish: readonly string[];
  readonly subscribe: readonly string[];
}

interface BrokerUser {
  /** Name of the service, for readers of the file. */
  readonly name: string;
  /** Public key of the user's nkey; the file holds no secret. */
  readonly publicKey: string;
  readonly permissions: BrokerPermissions;
}

/** Settings in the configuration file of a `nats-server`. */
export interface BrokerConfig {
  /** Listening address, `host:port`. */
  readonly listen: string;
  /** Folder of JetStream's files. */
  readonly storeFolder: string;
  /**
   * Folder with `tls.crt`, `tls.key` and `authorities.pem`; with it the broker accepts only connections with a certificate of
   * such an authority.
   */
  readonly tlsFolder?: string | undefined;
  /** Present where several servers keep the streams together, with the same file. */
  readonly cluster?: BrokerCluster | undefined;
  readonly users: readonly BrokerUser[];
}

/** Servers that form one broker. Each is started with a unique `NATS_SERVER_NAME`. */
export interface BrokerCluster {
  /** Listening address for the other servers, `host:port`. */
  readonly listen: string;
  /** Addresses of all servers, `host:port`; with TLS, host names in the servers' certificate. */
  readonly servers: readonly string[];
}

/** Largest message, bytes; a batch of log entries or an audit event is far smaller. */
const payloadBytesMax = 1024 * 1024;

/** Configuration file of a NATS server with JetStream for these users only. */
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
 * `verify` accepts every certificate of the authority. Routes bypass the permissions of users, so the other mode only accepts a
 * certificate with a host of `routes`, which no service has.
 */
type Verification = "verify" | "verify_cert_and_check_known_urls";

function formatTls(folder: string, verification: Verification): string {
  const file = (name: string) => JSON.stringify(`${folder}/${name}`);
  const files = `cert_file: ${file("tls.crt")}, key_file: ${file("tls.key")}, ca_file: ${file("authorities.pem")}`;
  return `tls { ${files}, ${verification}: true }`;
}
