import { readFileSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { checkServerIdentity, type ConnectionOptions } from "node:tls";
import { pause } from "@gatehouse/async";
import { bareHost, type ServiceTls } from "@gatehouse/trust";
import type { Secret } from "@gatehouse/vault";
import {
  type Authenticator,
  AuthorizationError,
  connect,
  credsAuthenticator,
  nkeyAuthenticator,
  type NatsConnection,
  type NodeConnectionOptions,
  type TlsOptions,
} from "@nats-io/transport-node";
import { inboxPrefixOf } from "./broker-permissions.ts";
import { natsBounds } from "./nats-bounds.ts";

/** Address of the broker, and the credentials of one connection: in the URL, in a credentials file, or as an nkey. */
export interface NatsAddress {
  /** `nats://host:4222` or `tls://…`, several separated by commas; the first may contain a user and password, or a token. */
  readonly url: Secret;
  /** Path of a NATS credentials file (a JWT and its key). */
  readonly credentialsFile?: string | undefined;
  /** Seed of the nkey that identifies this service to the broker. */
  readonly nkeySeed?: Secret | undefined;
  /** Path of a PEM file with the authority of the server's certificate, where the system does not trust it. */
  readonly caFile?: string | undefined;
  /** Client certificate for a broker that requests one, and authorities in addition to those of the system or `caFile`. */
  readonly tls?: ServiceTls | undefined;
}

/** Connects once; a lost connection is closed, and sends and stores nothing more. */
export async function connectToNats(address: NatsAddress, service: string): Promise<NatsConnection> {
  const urls = address.url
    .reveal()
    .split(",")
    .map((text) => new URL(text.trim()));
  const options: NodeConnectionOptions = {
    servers: urls.map(({ host }) => host),
    name: `gatehouse-${service}`,
    inboxPrefix: inboxPrefixOf(service),
    // A new connection also reopens streams and consumers; see nats-transport.ts.
    reconnect: false,
    timeout: natsBounds.connectTimeoutMs,
    pingInterval: natsBounds.pingIntervalMs,
    maxPingOut: natsBounds.pingsUnansweredMax,
    ...readUser(urls[0]),
    ...(await readCredentials(address)),
  };
  const isEncrypted = address.caFile !== undefined || urls.some(({ protocol }) => protocol === "tls:");
  if (isEncrypted)
    options.tls = readTls(
      address,
      urls.map(({ hostname }) => hostname),
    );
  const connection = await connect(options).catch((err: unknown) => {
    if (!(err instanceof AuthorizationError)) throw err;
    throw new Error(`${err.message}: the broker refuses the credentials of ${credentialsSettingOf(address)}`, {
      cause: err,
    });
  });
  void closeWhenStale(connection);
  return connection;
}

/**
 * Closes a connection that leaves pings unanswered. The library would first wait for its last bytes to be sent, and a frozen broker
 * with full buffers takes none.
 */
async function closeWhenStale(connection: NatsConnection): Promise<void> {
  for await (const { type } of connection.status()) if (type === "staleConnection") await connection.close();
}

/** Waits until the broker has all that was sent, or the connection is lost, or the bound; the library never settles the last two. */
export async function flushWithin(connection: NatsConnection, timeoutMs: number): Promise<void> {
  if (connection.isClosed()) return;
  const bound = new AbortController();
  await Promise.race([connection.flush(), connection.closed(), pause(timeoutMs, bound.signal)]);
  bound.abort();
}

/**
 * Reads the TLS files; called for each connection, since they may be renewed. The options are for Node's connections, to which the
 * client library passes them on although its type lacks some.
 * @param hosts those of `url`
 */
function readTls(
  { caFile, tls }: NatsAddress,
  hosts: readonly string[],
): TlsOptions & Pick<ConnectionOptions, "checkServerIdentity"> {
  const own = tls?.current().options;
  return {
    ...(own === undefined ? {} : { cert: own.cert, key: own.key, ca: own.ca }),
    ...(caFile === undefined ? {} : { ca: readFileSync(caFile, "utf8") }),
    // The library gives TLS a name only, never an address, and Node would then check for "localhost". Any server of a cluster may
    // answer for another.
    checkServerIdentity(shown, certificate) {
      const problems = hosts.map((host) => checkServerIdentity(bareHost(host), certificate));
      return problems.includes(undefined) ? undefined : (problems[0] ?? checkServerIdentity(shown, certificate));
    },
  };
}

function readUser(url: URL | undefined): Pick<NodeConnectionOptions, "user" | "pass" | "token"> {
  const user = decodeURIComponent(url?.username ?? "");
  const pass = decodeURIComponent(url?.password ?? "");
  if (user === "") return {};
  return pass === "" ? { token: user } : { user, pass };
}

/** Setting of the credentials that {@link readCredentials} and {@link readUser} find. */
function credentialsSettingOf({ credentialsFile, nkeySeed }: NatsAddress): string {
  if (nkeySeed !== undefined) return "NATS_NKEY_SEED";
  return credentialsFile === undefined ? "NATS_URL" : "NATS_CREDENTIALS_FILE";
}

async function readCredentials(address: NatsAddress): Promise<{ readonly authenticator?: Authenticator }> {
  const { credentialsFile, nkeySeed } = address;
  if (nkeySeed !== undefined) return { authenticator: nkeyAuthenticator(new TextEncoder().encode(nkeySeed.reveal())) };
  return credentialsFile === undefined ? {} : { authenticator: credsAuthenticator(await readFile(credentialsFile)) };
}
