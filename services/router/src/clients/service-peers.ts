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
  replyEndOf,
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

/** Processes of one service, with a connection pool each; `openServicePeers` opens them. */
export type ServicePeers = PeerSet<ServiceLink>;

interface ServicePeersOptions {
  readonly service: ServiceName;
  /** Addresses of the processes, as `parsePeerUrl` reads them. */
  readonly url: string;
  /** Connections to each process. */
  readonly connectionsMax: number;
  /** `lateProbesMax` of `PeerSetOptions`. */
  readonly lateProbesMax?: number;
  /** Whether small requests share a connection, where a process supports it. */
  readonly isCarrying?: boolean;
  /** Present with `https://`: the router presents its certificate, and each process must have that of the service. */
  readonly tls?: ServiceTls | undefined;
}

const connectTimeoutMs = 2_000;
/** Largest body that is held until a process has answered, so that it can be sent to another. */
export const heldBodyBytesMax = 64 * 1024;
/** Processes tried for one request before it is refused. */
const attemptsMax = 4;
/** Connections for probes: one in use, one opened while an answer on the first is late. A third becomes the shared connection. */
const probesMax = 3;
/** A process that did not answer in time may have begun the request. */
const lateCode = "UND_ERR_HEADERS_TIMEOUT";

/** Opens the connections to a service. @throws TypeError when the URL is not a list of `http://host:port` */
export function openServicePeers(options: ServicePeersOptions): ServicePeers {
  const { service, url, connectionsMax, lateProbesMax, isCarrying = false } = options;
  const parsed = parsePeerUrl(url);
  if (parsed === undefined) throw new TypeError(`The URL of ${service} must be http://host:port, or several of them.`);
  const open = (address: PeerAddress, name: string) => {
    const origin = `${parsed.scheme}://${formatPeerAddress(address)}`;
    const connect = parsed.scheme === "https" ? createTlsConnector(options, name) : { timeout: connectTimeoutMs };
    const openPool = (connections: number) => new Pool(origin, { connections, connect });
    return new HttpLink(origin, isCarrying, () => openPool(connectionsMax), openPool(probesMax));
  };
  const bounds = lateProbesMax === undefined ? {} : { lateProbesMax };
  return new PeerSet<ServiceLink>({ service, addresses: parsed.addresses, open, ...bounds });
}

/** Each connection uses the certificates that are current when it opens. @param name of the processes in their certificates */
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
  readonly isRepeatable?: IsRepeatable | undefined;
  /** See `RequestContext`. */
  readonly onUnsent?: (() => void) | undefined;
}

/**
 * Forwards a request to a process of the service. Tries another process where the first cannot have read it (its connection was
 * refused, or reset while it stopped), and once where the process was lost before it answered and the request is repeatable.
 * @throws as `forward` does
 */
export async function forwardToService(
  req: IncomingMessage,
  res: ServerResponse,
  { peers, options, isRepeatable, onUnsent }: ToService,
): Promise<ForwardOutcome> {
  const body = await holdBody(req, options.headersTimeoutMs).catch((err: unknown) => {
    if (res.destroyed || res.headersSent) onUnsent?.();
    throw err;
  });
  const held = body === undefined ? {} : { body };
  const mayRepeat = () =>
    body !== undefined && isRepeatable?.({ method: req.method, body, isEncoded: isEncoded(req) }) === true;
  return await tryPeers(res, { peers, isHeld: body !== undefined, mayRepeat, onUnsent }, async (link) => {
    return await forward(req, res, { ...options, ...link, ...held });
  });
}

/** Forwards a WebSocket request, which counts as in flight at its process until its connection ends. */
export async function upgradeToService(
  req: IncomingMessage,
  res: ServerResponse,
  { peers, options, onUnsent }: Pick<ToService, "peers" | "onUnsent"> & { readonly options: UpgradeToServiceOptions },
): Promise<void> {
  await tryPeers(res, { peers, isHeld: true, onUnsent }, async (link) => {
    await forwardUpgrade(req, res, { ...options, ...link });
  });
}

interface Trial extends Pick<ToService, "peers" | "onUnsent"> {
  /** Whether the whole body is in memory, so that the request can be sent again. */
  readonly isHeld: boolean;
  /** Whether the request may be sent again after its process was lost; absent: never. */
  readonly mayRepeat?: () => boolean;
}

async function tryPeers<T>(
  res: ServerResponse,
  { peers, isHeld, mayRepeat = () => false, onUnsent }: Trial,
  send: (link: Pick<ServiceLink, "origin" | "dispatcher">) => Promise<T>,
): Promise<T> {
  let wasRepeated = false;
  for (let attempt = 1; ; attempt += 1) {
    const peer = await acquireFor(res, onUnsent, async () => await peers.acquire());
    const { origin, dispatcher } = peer.connection;
    // Unknown for a client that has left, and for a call at an earlier process of the address.
    let outcome: CallOutcome = "unknown";
    peers.beginCall(peer);
    try {
      const sent = await send({ origin, dispatcher });
      outcome = "answered";
      return sent;
    } catch (err) {
      const isUnanswered = !res.headersSent && !res.destroyed;
      const isUnsent = isUnanswered && isNotTaken(err, peer, isHeld);
      // At most once: a request that crashes its process must not crash all of them.
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
 * Acquires a process for a call, unless its reply has ended by then.
 * @throws GatewayError `replyEndOf` for such a reply, after `onUnsent`; the errors of `acquire`
 */
export async function acquireFor<Acquired>(
  res: ServerResponse,
  onUnsent: ToService["onUnsent"],
  acquire: () => Promise<Acquired>,
): Promise<Acquired> {
  const isEnded = () => res.destroyed || res.headersSent;
  try {
    const acquired = await acquire();
    if (!isEnded()) return acquired;
  } catch (err) {
    if (!isEnded()) throw err;
  }
  onUnsent?.();
  throw replyEndOf(res);
}

/**
 * Finds a process that has just answered, for a request that cannot be sent twice. The caller counts the request.
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

/** Reads a body that is small enough to be sent twice; null: no body, undefined: it must be streamed. */
async function holdBody(req: IncomingMessage, timeoutMs: number): Promise<Buffer | null | undefined> {
  if (!hasBody(req)) return null;
  const length = Number(req.headers["content-length"] ?? Number.NaN);
  if (!(length <= heldBodyBytesMax)) return undefined;
  return await readBody(req, { sizeBytesMax: heldBodyBytesMax, timeoutMs });
}

const connectFailures: ReadonlySet<string> = new Set([
  "ECONNREFUSED",
  "EHOSTUNREACH",
  "ENETUNREACH",
  "EHOSTDOWN",
  "UND_ERR_CONNECT_TIMEOUT",
]);

/** Whether the connection ended during a request, which its process may have begun. */
function isLost(err: unknown): boolean {
  const code = causeCodeOf(err) ?? "";
  return code === carriedCallLost || lostConnections.has(code);
}

/** A reset means that received bytes were not read. */
const resetConnections: ReadonlySet<string> = new Set(["ECONNRESET", "EPIPE"]);
/** Ends of a connection before any answer to its only request. */
const lostConnections: ReadonlySet<string> = new Set([...resetConnections, "UND_ERR_SOCKET"]);

/**
 * Whether the process has certainly not begun the request. A stopping process resets the connections that it has not accepted;
 * its requests use a connection each, so a reset concerns no other request. An end without a reset proves nothing: the process
 * may have been killed while it handled the request.
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
 * Lists services without a live process. They do not make a router unready: its other routes work, and a balancer would otherwise
 * remove every router.
 */
export function describePeers(services: Readonly<Record<string, ServicePeers>>): Readiness {
  const away = Object.entries(services).filter(([, { peers }]) => !peers.some(({ state }) => state !== "away"));
  return { ready: true, problems: away.map(([name]) => `${name}: not reached`) };
}
