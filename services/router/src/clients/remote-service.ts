import type { IncomingMessage } from "node:http";
import { callNameHeader, endToEndHeaders, type EndToEndHeaders, upgradeHeadOf } from "@gatehouse/http";
import {
  internalHeaders,
  type PrincipalSigner,
  type RequestContext,
  type ServiceHandler,
  toRouterHeader,
} from "@gatehouse/principal";
import type { IsRepeatable } from "../domain/repeatable-call.ts";
import { forwardToService, type ServicePeers, upgradeToService } from "./service-peers.ts";

/** Longest silences of a service's process, milliseconds; a longer one fails the request. */
export interface RemoteServiceBounds {
  /** From the last byte of the request to the headers of the reply. */
  readonly headersTimeoutMs: number;
  /** Between two pieces of the reply's body. */
  readonly bodyTimeoutMs: number;
}

/** Options of the handler of one service; `signer` signs the principal of each request for its processes. */
export interface RemoteHandlerOptions {
  readonly peers: ServicePeers;
  readonly signer: PrincipalSigner;
  readonly bounds?: RemoteServiceBounds;
  /** Whether the service receives the caller's cookies and the `Host` that it called. */
  readonly passesCallerOn?: boolean;
  /** See `ForwardOptions`. */
  readonly brokenStreamEvent?: string;
  /** Whether a request may be repeated at another process after its process was lost; absent: never. */
  readonly isRepeatable?: IsRepeatable;
  /** Longest silence of a WebSocket; absent: the service has none. */
  readonly upgradeIdleTimeoutMs?: number;
}

/** Long, since a model may think for minutes before the first byte; the service has tighter bounds. */
const defaultRemoteServiceBounds: RemoteServiceBounds = { headersTimeoutMs: 600_000, bodyTimeoutMs: 300_000 };

/** Headers that are not forwarded: the caller's credentials, the public host name, and headers that only the router may write. */
const withheldHeaders: ReadonlySet<string> = new Set([
  "authorization",
  "cookie",
  "host",
  "traceparent",
  "x-request-id",
  callNameHeader,
  ...Object.values(internalHeaders),
]);

/** Handler of a service in another process. Passes bodies in both directions unread. */
export function createRemoteHandler(options: RemoteHandlerOptions): ServiceHandler {
  const {
    peers,
    signer,
    bounds = defaultRemoteServiceBounds,
    upgradeIdleTimeoutMs,
    brokenStreamEvent,
    isRepeatable,
  } = options;
  const common = { ...bounds, ...(brokenStreamEvent === undefined ? {} : { brokenStreamEvent }) };
  return async (req, res, context) => {
    const headers = signedHeaders(req, context, signer);
    if (options.passesCallerOn === true) addCaller(headers, req, context);
    const call = { path: req.url ?? "/", headers, ...common };
    const head = upgradeHeadOf(req);
    const { onUnsent } = context;
    if (head === undefined || upgradeIdleTimeoutMs === undefined) {
      await forwardToService(req, res, { peers, options: call, isRepeatable, onUnsent });
      return;
    }
    const upgrade = { ...call, head, idleTimeoutMs: upgradeIdleTimeoutMs };
    await upgradeToService(req, res, { peers, options: upgrade, onUnsent });
  };
}

function addCaller(headers: EndToEndHeaders, req: IncomingMessage, { host, protocol }: RequestContext): void {
  if (protocol !== undefined) headers[internalHeaders.protocol] = protocol;
  if (host !== undefined) headers[internalHeaders.host] = host;
  if (req.headers.cookie !== undefined) headers["cookie"] = req.headers.cookie;
}

/** Headers sent to a service: the client's, and the principal signed by the router. */
export function signedHeaders(
  req: IncomingMessage,
  { principal, requestId, ipAddress, span, router }: RequestContext,
  signer: PrincipalSigner,
): Record<string, string | string[]> {
  const headers = endToEndHeaders(req.headers, withheldHeaders);
  headers[internalHeaders.principal] = signer(principal, req.method);
  headers[internalHeaders.requestId] = requestId;
  headers[internalHeaders.ipAddress] = ipAddress;
  if (router !== undefined) headers[internalHeaders.router] = toRouterHeader(router);
  if (span.traceparent !== undefined) headers["traceparent"] = span.traceparent;
  return headers;
}
