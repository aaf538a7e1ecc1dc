import type { Socket } from "node:net";
import type { PeerCertificate, TLSSocket } from "node:tls";
import { isServiceName, type ServiceName } from "../service-names.ts";

const uriPrefix = "spiffe://gatehouse/";

/** Name of a service in its certificate, a SPIFFE URI. */
export function uriOfService(service: ServiceName): string {
  return `${uriPrefix}${service}`;
}

/**
 * Service named by a certificate, whose authority the TLS connection has checked.
 * @param altNames in Node's format: `URI:spiffe://gatehouse/chat, DNS:chat`.
 */
export function serviceOfAltNames(altNames: string | undefined): ServiceName | undefined {
  // Node quotes values with a comma, which could pass as the start of another value; the gateway's certificates have none.
  if (altNames === undefined || altNames.includes('"')) return undefined;
  const uris = altNames.split(", ").filter((name) => name.startsWith("URI:"));
  const [uri] = uris;
  // Exactly one URI names the holder (SPIFFE X.509-SVID, section 2).
  if (uri === undefined || uris.length > 1 || !uri.startsWith(`URI:${uriPrefix}`)) return undefined;
  const name = uri.slice(`URI:${uriPrefix}`.length);
  return isServiceName(name) ? name : undefined;
}

/** `checkServerIdentity` for TLS clients: the certificate must be the called service's, whatever the address. */
export function checkServiceIdentity(
  target: ServiceName,
): (host: string, certificate: PeerCertificate) => Error | undefined {
  return (_host, { subjectaltname }) => {
    if (serviceOfAltNames(subjectaltname) === target) return undefined;
    return new Error(`The certificate of the called process is not one of ${target}.`);
  };
}

const checked = new WeakMap<Socket, ServiceName | undefined>();

/** Service at the other end of an accepted TLS connection; undefined without a valid certificate. */
export function serviceOfConnection(socket: Socket): ServiceName | undefined {
  if (checked.has(socket)) return checked.get(socket);
  const service = isTls(socket) && socket.authorized ? serviceOfAltNames(altNamesOf(socket)) : undefined;
  checked.set(socket, service);
  return service;
}

function isTls(socket: Socket): socket is TLSSocket {
  return "encrypted" in socket && socket.encrypted === true;
}

function altNamesOf(socket: TLSSocket): string | undefined {
  // Empty where the peer has sent none, contrary to its type.
  return (socket.getPeerCertificate() as Partial<PeerCertificate>).subjectaltname;
}
