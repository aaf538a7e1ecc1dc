import type { IncomingMessage, ServerResponse } from "node:http";
import { codeOf, isGatewayError } from "@gatehouse/errors";
import {
  carriedCallLost,
  forward,
  type ForwardOptions,
  type ForwardOutcome,
  forwardUpgrade,
  type ForwardUpgradeOptions,
  hasBody,
  isEncoded,
  readBody,
} from "@gatehouse/http";
import {
  type CallOutcome,
  formatPeerAddress,
  parsePeerUrl,
  type Peer,
  type PeerAddress,
  peerBounds,
  PeerSet,
} from "@gatehouse/peers";
import type { Readiness } from "@gatehouse/service";
import type { ServiceName, ServiceTls } from "@gatehouse/trust";
import { buildConnector, Pool } from "undici";
import type { IsRepeatable } from "../domain/repeatable-call.ts";
import { HttpLink, type ServiceLink } from "./http-link.ts";
import { toTlsOptions } from "./service-tls-options.ts";

/** Processes of one service, reached by HTTP. */
export type ServicePeers = PeerSet<ServiceLink>;

interface ServicePeersOptions {
  readonly service: ServiceName;
  /** Addresses of its processes, in the form that `parsePeerUrl` reads. */
  readonly url: string;
  /** Connections to each process. */
  readonly connectionsMax: number;
  /** `lateProbesMax` of `PeerSetOptions`. */
  readonly lateProbesMax?: number;
  /** Whether small requests share a connection, where a process knows how. */
  readonly isCarrying?: boolean;
  /** Present with `https://`: the router shows its certificate, and a process must have that of the service. */
  readonly tls?: ServiceTls | undefined;
}

const connectTimeoutMs = 2_000;
/** Bodies up to this size are held until a process has answered, so that they can be sent to another. */
export const heldBodyBytesMax = 64 * 1024;
/** Processes that are tried for one request before its caller is refused. */
const attemptsMax = 4;
/**
 * Connections for probes: one in use, and one that is opened where an answer to the one before is still awaited. A third becomes the one
 * that requests share.
 */
const probesMax = 3;
/** A process did not answer in time; whether it has begun the request is not known. */
const lateCode = "UND_ERR_HEADERS_TIMEOUT";

/** Opens the connections to a service. @throws TypeError when the URL is no list of `http://host:port` */
export function openServicePeers(options: ServicePeersOptions): ServicePeers {
  const { service, url, connectionsMax, lateProbesMax, isCarrying = false } = options;
  const parsed = parsePeerUrl(url);
  if (parsed === undefined) throw new TypeError(`The URL of ${service} must be http://host:port, or several of them.`);
  const open = (address: PeerAddress, name: string) => {
    const origin = `${parsed.scheme}://${formatPeerAddress(address)}`;
    const connect = parsed.scheme === "https" ? createTlsConnector(options, name) : { timeout: connectTimeoutMs };
    const openPool = (connections: number) => new Pool(origin, { connections, connect });
    return new HttpLink({ origin, isCarrying, openPool: () => openPool(connectionsMax), probes: openPool(probesMax) });
  };
  const bounds = lateProbesMax === undefined ? {} : { lateProbesMax };
  return new PeerSet<ServiceLink>({ service, addresses: parsed.addresses, open, ...bounds });
}

/** Each connection takes the certificates as they are then. @param name of the processes, where certificates go by it. */
function createTlsConnector({ tls, service }: ServicePeersOptions, name: string): buildConnector.connector {
  const common = { timeout: connectTimeoutMs, maxCachedSessions: 0 };
  if (tls === undefined) return buildConnector({ ...common, servername: name });
  return (options, callback) => {
    const connect = buildConnector({ ...common, ...toTlsOptions(tls, service) });
    connect({ ...options, servername: service }, callback);
  };
}

type UpgradeToServiceOptions = Omit<ForwardUpgradeOptions, "origin" | "dispatcher">;
type ToServiceOptions = Omit<ForwardOptions, "origin" | "dispatcher" | "body">;

interface ToService {
  readonly peers: ServicePeers;
  readonly options: ToServiceOptions;
  /** Absent: no request is. */
  readonly isRepeatable?: IsRepeatable | undefined;
}

/**
 * Passes a request to a process of the service, as `forward` does. Where it cannot have been taken, another process gets it: the
 * connection was refused, or a process that was about to stop has reset it. So it does once where its process was lost before it
 * answered, if the request is repeatable. @throws as `forward` does
 */
export async function forwardToService(
  req: IncomingMessage,
  res: ServerResponse,
  { peers, options, isRepeatable }: ToService,
): Promise<ForwardOutcome> {
  const body = await holdBody(req, options.headersTimeoutMs);
  const held = body === undefined ? {} : { body };
  const mayRepeat = () =>
    body !== undefined && isRepeatable?.({ method: req.method, body, isEncoded: isEncoded(req) }) === true;
  return await tryPeers(res, { peers, isHeld: body !== undefined, mayRepeat }, async (link) => {
    return await forward(req, res, { ...options, ...link, ...held });
  });
}

/** Forwards a request for a WebSocket. It counts as in flight at its process until its connection ends. */
export async function upgradeToService(
  req: IncomingMessage,
  res: ServerResponse,
  { peers, options }: { readonly peers: ServicePeers; readonly options: UpgradeToServiceOptions },
): Promise<void> {
  await tryPeers(res, { peers, isHeld: true }, async (link) => await forwardUpgrade(req, res, { ...options, ...link }));
}

interface Trial {
  readonly peers: ServicePeers;
  /** Whether the request can be sent again whole. */
  readonly isHeld: boolean;
  /** Whether the request may be sent again, asked when its process was lost; absent: never. */
  readonly mayRepeat?: () => boolean;
}

async function tryPeers<T>(
  res: ServerResponse,
  { peers, isHeld, mayRepeat = () => false }: Trial,
  send: (link: Pick<ServiceLink, "origin" | "dispatcher">) => Promise<T>,
): Promise<T> {
  let wasRepeated = false;
  for (let attempt = 1; ; attempt += 1) {
    const peer = await peers.acquire();
    const { origin, dispatcher } = peer.connection;
    // A client that has left says nothing of the process, nor does the end of a call at one that listened there before.
    let outcome: CallOutcome = "unknown";
    peers.beginCall(peer);
    try {
      const sent = await send({ origin, dispatcher });
      outcome = "answered";
      return sent;
    } catch (err) {
      const isUnanswered = !res.headersSent && !res.destroyed;
      const isUnsent = isUnanswered && isNotTaken(err, peer, isHeld);
      // Once: a request that ends the process which works on it must not end them all.
      const isRepeated: boolean = isUnanswered && !isUnsent && !wasRepeated && isLost(err) && mayRepeat();
      if (isRepeated) peers.countResent();
      wasRepeated ||= isRepeated;
      if (isUnsent || isRepeated) outcome = "unreachable";
      else if (causeCodeOf(err) === lateCode) outcome = "late";
      if (!isRepeated && (!isUnsent || !isHeld || attempt >= attemptsMax)) throw err;
    } finally {
      peers.endCall(peer, outcome);
    }
  }
}

/**
 * A process that has just answered, for a request that cannot be sent twice. Its caller counts the request.
 * @throws GatewayError `unavailable`
 */
export async function acquireAnswering(peers: ServicePeers): Promise<Peer<ServiceLink>> {
  for (let attempt = 1; ; attempt += 1) {
    const peer = await peers.acquire();
    try {
      await peer.connection.probe(AbortSignal.timeout(peerBounds.probeTimeoutMs));
      return peer;
    } catch {
      peers.lose(peer);
      if (attempt >= attemptsMax) return peer;
    }
  }
}

/** A body that is small enough to be sent twice; null when there is none, undefined when it has to stream. */
async function holdBody(req: IncomingMessage, timeoutMs: number): Promise<Buffer | null | undefined> {
  if (!hasBody(req)) return null;
  const length = Number(req.headers["content-length"] ?? Number.NaN);
  if (!(length <= heldBodyBytesMax)) return undefined;
  return await readBody(req, { sizeBytesMax: heldBodyBytesMax, timeoutMs });
}

/** Failures before a connection was there. */
const connectFailures: ReadonlySet<string> = new Set([
  "ECONNREFUSED",
  "EHOSTUNREACH",
  "ENETUNREACH",
  "EHOSTDOWN",
  "UND_ERR_CONNECT_TIMEOUT",
]);

/** Whether the connection has ended under a request: its process may have worked on it. */
function isLost(err: unknown): boolean {
  const code = causeCodeOf(err) ?? "";
  return code === carriedCallLost || lostConnections.has(code);
}

/** Connections that were reset: bytes that had come on them were not read. */
const resetConnections: ReadonlySet<string> = new Set(["ECONNRESET", "EPIPE"]);
/** Connections of one request each that ended before any answer. */
const lostConnections: ReadonlySet<string> = new Set([...resetConnections, "UND_ERR_SOCKET"]);

/**
 * Whether the process has certainly not begun the request. Closing its port, one that is about to stop resets the connections that it
 * has not accepted; a request to it has a connection for itself, which has none of another request unread. A connection that ended
 * without a reset says nothing: its request was read, and the process may have been killed in the middle of it.
 */
function isNotTaken(err: unknown, peer: Peer<ServiceLink>, isHeld: boolean): boolean {
  const code = causeCodeOf(err);
  if (code === undefined) return false;
  return connectFailures.has(code) || (isHeld && peer.state === "stopping" && resetConnections.has(code));
}

function causeCodeOf(err: unknown): string | undefined {
  const cause = isGatewayError(err) ? err.cause : err;
  return codeOf(cause);
}

/**
 * The services that no process answers for, as problems. They do not make a router unready: its other routes go on, and a balancer
 * that took every router away would end those, too.
 */
export function describePeers(services: Readonly<Record<string, ServicePeers>>): Readiness {
  const away = Object.entries(services).filter(([, { peers }]) => !peers.some(({ state }) => state !== "away"));
  return { ready: true, problems: away.map(([name]) => `${name}: not reached`) };
}
