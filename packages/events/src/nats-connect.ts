import { readFileSync } from "node:fs";
import { readFile } from "node:fs/promises";
import type { ServiceTls } from "@gatehouse/trust";
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
  if (isEncrypted) options.tls = readTls(address);
  return await connect(options);
}

/** As the files are now: each connection reads them again. */
function readTls({ caFile, tls }: NatsAddress): TlsOptions {
  const own = tls?.current().options;
  return {
    ...(own === undefined ? {} : { cert: own.cert, key: own.key, ca: own.ca }),
    ...(caFile === undefined ? {} : { ca: readFileSync(caFile, "utf8") }),
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
