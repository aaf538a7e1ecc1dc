import { createServer, type IncomingMessage, type Server, type ServerOptions } from "node:http";
import { createServer as createTlsServer, type Server as TlsServer } from "node:https";
import type { Socket } from "node:net";
import type { SecureContextOptions } from "node:tls";
import { guarded, throwUncaught } from "@gatehouse/async";

/** Bounds of one server and its clients, in milliseconds and bytes; {@link defaultHttpServerBounds} has the services' values. */
export interface HttpServerBounds {
  /** From the first byte of a request to the end of its head; also from a connection to the end of its TLS handshake. */
  readonly headersTimeoutMs: number;
  /** From the end of a request's head to the end of its body; a route that streams bodies lifts it (`liftRequestTimeout`). */
  readonly requestTimeoutMs: number;
  readonly keepAliveTimeoutMs: number;
  readonly headerBytesMax: number;
  /** Longest time without progress of queued bytes to a client, on any connection, WebSockets included. */
  readonly writeIdleTimeoutMs: number;
}

/** Bounds of the services behind the router, which adds the principal to the headers that it accepts: up to 16 KiB. */
export const defaultHttpServerBounds: HttpServerBounds = {
  headersTimeoutMs: 10_000,
  requestTimeoutMs: 60_000,
  keepAliveTimeoutMs: 65_000,
  headerBytesMax: 32 * 1024,
  writeIdleTimeoutMs: 30_000,
};

/**
 * Clients are asked for a certificate and may connect without a valid one, as probes do: the listener checks the connection
 * (`serviceOfConnection` of `packages/trust`).
 */
export interface HttpServerTls {
  current(): { readonly options: SecureContextOptions };
  onChange(listener: (material: { readonly options: SecureContextOptions }) => void): () => void;
}

/** @param switches whether a request for another protocol is granted; called for each that names one */
export function toServerOptions(bounds: HttpServerBounds, switches?: (req: IncomingMessage) => boolean): ServerOptions {
  return {
    headersTimeout: bounds.headersTimeoutMs,
    // Replaced by `boundRequest`, which bounds only requests with a body.
    requestTimeout: 0,
    keepAliveTimeout: bounds.keepAliveTimeoutMs,
    // Checked by `hostFailureOf`: Node's refusal has neither a body nor a request id.
    requireHostHeader: false,
    maxHeaderSize: bounds.headerBytesMax,
    connectionsCheckingInterval: 1_000,
    noDelay: true,
    ...(switches === undefined ? {} : { shouldUpgradeCallback: switches }),
  };
}

/** Creates a server that does not listen yet. */
export function openServer(options: ServerOptions, tls: HttpServerTls | undefined): Server {
  if (tls === undefined) return createServer(options);
  const secured = { ...options, ...tls.current().options, requestCert: true, rejectUnauthorized: false };
  const server: TlsServer = createTlsServer({ ...secured, handshakeTimeout: options.headersTimeout });
  const stopFollowing = tls.onChange((material) => server.setSecureContext(material.options));
  server.once("close", stopFollowing);
  // A client that fails the TLS handshake cannot read an answer, so its connection is closed.
  server.removeAllListeners("tlsClientError");
  const onTlsClientError = (_err: Error, socket: Socket) => socket.destroy();
  server.on("tlsClientError", guarded(onTlsClientError, throwUncaught));
  return server;
}
