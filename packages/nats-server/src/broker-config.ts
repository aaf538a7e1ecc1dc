/** Permissions of a user of the broker; subjects may end with `>` or hold `*`. */
export interface BrokerPermissions {
  readonly publish: readonly string[];
  readonly subscribe: readonly string[];
}

export interface BrokerUser {
  /** The service, for people who read the file. */
  readonly name: string;
  /** Public half of the user's nkey; the file holds no secret. */
  readonly publicKey: string;
  readonly permissions: BrokerPermissions;
}

export interface BrokerConfig {
  /** Address to listen on, `host:port`. */
  readonly listen: string;
  /** Folder of JetStream's files. */
  readonly storeFolder: string;
  /** Folder with `tls.crt`, `tls.key` and `authorities.pem`; with it the broker takes only connections with a certificate of an authority there. */
  readonly tlsFolder?: string | undefined;
  readonly users: readonly BrokerUser[];
}

/** Largest message: a batch of log entries or an audit event fits many times; bytes. */
const payloadBytesMax = 1024 * 1024;

/** The configuration file of a NATS server with JetStream that only these users may use. */
export function formatBrokerConfig({ listen, storeFolder, tlsFolder, users }: BrokerConfig): string {
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
    ...(tlsFolder === undefined ? [] : [formatTls(tlsFolder)]),
    "authorization {",
    "  users = [",
    ...lines,
    "  ]",
    "}",
    "",
  ].join("\n");
}

function formatTls(folder: string): string {
  const file = (name: string) => JSON.stringify(`${folder}/${name}`);
  const files = `cert_file: ${file("tls.crt")}, key_file: ${file("tls.key")}, ca_file: ${file("authorities.pem")}`;
  return `tls { ${files}, verify: true }`;
}
