import { readFileSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { checkServerIdentity, type PeerCertificate } from "node:tls";
import { bareHost, type ServiceTls } from "@gatehouse/trust";
import type { Secret } from "@gatehouse/vault";
import {
  type Authenticator,
  connect,
  credsAuthenticator,
  nkeyAuthenticator,
  type NatsConnection,
  type NodeConnectionOptions,
  type TlsOptions,
} from "@nats-io/transport-node";
import { inboxPrefixOf } from "./broker-permissions.ts";
import { natsBounds } from "./nats-bounds.ts";

/** Broker, credentials and authorities of one connection. */
export interface NatsAddress {
  /** `nats://host:4222` or `tls://…`, several after commas; a user and password, or a token, may stand in the first. */
  readonly url: Secret;
  /** Name of a NATS credentials file (a JWT and its key). */
  readonly credentialsFile?: string | undefined;
  /** Seed of the nkey by which the broker knows this service. */
  readonly nkeySeed?: Secret | undefined;
  /** Name of a PEM file with the authority that signed the server's certificate, where the system does not know it. */
  readonly caFile?: string | undefined;
  /** The certificate that is shown to a broker which asks for one, and authorities beside those of the system or `caFile`. */
  readonly tls?: ServiceTls | undefined;
}

/** Connects once; a connection that is lost closes, and nothing is sent or kept by it after that. */
export async function connectToNats(address: NatsAddress, service: string): Promise<NatsConnection> {
  const urls = address.url
    .reveal()
    .split(",")
    .map((text) => new URL(text.trim()));
  const options: NodeConnectionOptions = {
    servers: urls.map(({ host }) => host),
    name: `gatehouse-${service}`,
    inboxPrefix: inboxPrefixOf(service),
    // A new connection opens its streams and consumers again too; see nats-transport.ts.
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
  return await connect(options);
}

/** The client library hands all options on to Node's connections, and its type names some of them. */
interface CheckedTlsOptions extends TlsOptions {
  readonly checkServerIdentity: (shown: string, certificate: PeerCertificate) => Error | undefined;
}

/** Reads the TLS files; each connection reads them again, since they may have been renewed. @param hosts those of `url` */
function readTls({ caFile, tls }: NatsAddress, hosts: readonly string[]): CheckedTlsOptions {
  const own = tls?.current().options;
  return {
    ...(own === undefined ? {} : { cert: own.cert, key: own.key, ca: own.ca }),
    ...(caFile === undefined ? {} : { ca: readFileSync(caFile, "utf8") }),
    // The library names the server to TLS by a name alone, never by an address, for which Node would then look for "localhost".
    // Each server of a cluster may be reached for any other.
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

async function readCredentials(address: NatsAddress): Promise<{ readonly authenticator?: Authenticator }> {
  const { credentialsFile, nkeySeed } = address;
  if (nkeySeed !== undefined) return { authenticator: nkeyAuthenticator(new TextEncoder().encode(nkeySeed.reveal())) };
  return credentialsFile === undefined ? {} : { authenticator: credsAuthenticator(await readFile(credentialsFile)) };
}
