import { X509Certificate } from "node:crypto";
import type { EnvReader } from "@gatehouse/config";
import type { Telemetry } from "@gatehouse/telemetry";
import { refusePlaintext, type ServiceTls, type ServiceTrust } from "@gatehouse/trust";
import type { Secret } from "@gatehouse/vault";
import { createAbsentTransport } from "./absent-transport.ts";
import { isBrokerCredentials, isNkeySeed } from "./broker-user.ts";
import { createNatsTransport } from "./nats-transport.ts";
import type { EventTransport } from "./transport.ts";

/** Addresses and credentials of the broker; docs/configuration.md has the table. */
export interface EventsConfig {
  /** Absent without a broker. */
  readonly natsUrl: Secret | undefined;
  readonly credentialsFile: string | undefined;
  /** Seed of the nkey that identifies this service to the broker. */
  readonly nkeySeed: Secret | undefined;
  readonly caFile: string | undefined;
  readonly streamReplicas: number;
  /** Signs published messages, and lists trusted publishers; absent where one process holds all services. */
  readonly trust?: ServiceTrust | undefined;
  /** Client certificate for a broker at `tls://`, and trusted authorities. */
  readonly tls?: ServiceTls | undefined;
}

const protocols: ReadonlySet<string> = new Set(["nats:", "tls:"]);

/** @param trust trust of a service in a separate process */
export function readEventsConfig(env: EnvReader, trust?: ServiceTrust): EventsConfig {
  const credentialsFile = env.file("NATS_CREDENTIALS_FILE", findCredentialsProblem);
  const nkeySeed = readNkeySeed(env);
  if (credentialsFile !== undefined && nkeySeed !== undefined)
    env.problem("NATS_NKEY_SEED", "and NATS_CREDENTIALS_FILE are both set; remove one");
  return {
    trust,
    natsUrl: readNatsUrl(env),
    credentialsFile,
    nkeySeed,
    caFile: env.file("NATS_CA_FILE", findAuthorityProblem),
    streamReplicas: env.integer("NATS_STREAM_REPLICAS", { default: 1, min: 1, max: 5 }),
  };
}

/** Reports a problem in `env` where traffic to a broker on another machine would not be encrypted. */
export function refusePlaintextBroker(env: EnvReader): void {
  if (env.optionalText("NATS_CA_FILE") !== undefined) return;
  const texts = readNatsUrl(env)?.reveal().split(",") ?? [];
  const urls = texts.flatMap((text) => (URL.canParse(text.trim()) ? [new URL(text.trim())] : []));
  if (urls.some(({ protocol }) => protocol === "tls:")) return;
  refusePlaintext(
    env,
    "NATS_URL",
    urls.map(({ hostname }) => hostname),
  );
}

function findCredentialsProblem(text: string): string | undefined {
  if (isBrokerCredentials(text)) return undefined;
  return "must name a NATS credentials file: the JWT of a user, and the user's nkey seed, which begins with SU";
}

function findAuthorityProblem(text: string): string | undefined {
  try {
    void new X509Certificate(text);
    return undefined;
  } catch {
    return "must name a file of PEM certificates: those of the broker's authority";
  }
}

function readNkeySeed(env: EnvReader): Secret | undefined {
  const seed = env.optionalSecret("NATS_NKEY_SEED");
  if (seed === undefined || isNkeySeed(seed)) return seed;
  env.problem("NATS_NKEY_SEED", "must be the seed of a user's nkey, which begins with SU");
  return undefined;
}

function readNatsUrl(env: EnvReader): Secret | undefined {
  const url = env.optionalSecret("NATS_URL");
  const texts = url?.reveal().split(",") ?? [];
  if (!texts.every(isServer)) {
    env.problem("NATS_URL", "must be a URL that starts with nats:// or tls://, or several after commas");
    return undefined;
  }
  if (texts.every(hasReadableUser)) return url;
  env.problem("NATS_URL", "has a % that begins no code in its user or password; write %25 for %");
  return undefined;
}

function isServer(text: string): boolean {
  const { protocol = "", hostname = "" } = URL.parse(text.trim()) ?? {};
  return protocols.has(protocol) && hostname !== "";
}

function hasReadableUser(text: string): boolean {
  const { username = "", password = "" } = URL.parse(text.trim()) ?? {};
  try {
    decodeURIComponent(username + password);
    return true;
  } catch (err) {
    if (err instanceof URIError) return false;
    throw err;
  }
}

/**
 * Transport of a service in a separate process: the broker's, or one that does nothing without a broker.
 * @param service name shown to the broker's operator
 */
export function openTransport(config: EventsConfig, service: string, { log }: Telemetry): EventTransport {
  const { natsUrl: url, ...options } = config;
  return url === undefined ? createAbsentTransport(log) : createNatsTransport({ url, service, log, ...options });
}
