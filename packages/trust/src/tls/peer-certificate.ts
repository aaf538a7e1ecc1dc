import type { Socket } from "node:net";
import type { PeerCertificate, TLSSocket } from "node:tls";
import { isServiceName, type ServiceName } from "../service-names.ts";

const uriPrefix = "spiffe://gatehouse/";

/** The name of a service in its certificate, a URI as SPIFFE has them. */
export function uriOfService(service: ServiceName): string {
  return `${uriPrefix}${service}`;
}

/**
 * The service that a certificate names. Whether its authority is known is the TLS connection's to say.
 * @param altNames as Node writes them: `URI:spiffe://gatehouse/chat, DNS:chat`.
 */
export function serviceOfAltNames(altNames: string | undefined): ServiceName | undefined {
  // Node quotes values in which a comma could pass for the start of another one; no certificate of ours has such.
  if (altNames === undefined || altNames.includes('"')) return undefined;
  const uris = altNames.split(", ").filter((name) => name.startsWith("URI:"));
  const [uri] = uris;
  // One URI names its holder (SPIFFE X.509-SVID, section 2); with two it would be either.
  if (uri === undefined || uris.length > 1 || !uri.startsWith(`URI:${uriPrefix}`)) return undefined;
  const name = uri.slice(`URI:${uriPrefix}`.length);
  return isServiceName(name) ? name : undefined;
}

/** For `checkServerIdentity` of TLS: the address of a process says nothing, its certificate must be the called service's. */
export function checkServiceIdentity(
  target: ServiceName,
): (host: string, certificate: PeerCertificate) => Error | undefined {
  return (_host, { subjectaltname }) => {
    if (serviceOfAltNames(subjectaltname) === target) return undefined;
    return new Error(`The certificate of the called process is not one of ${target}.`);
  };
}

const checked = new WeakMap<Socket, ServiceName | undefined>();

/** The service at the other end of a TLS connection that a server has accepted; undefined where it has shown no certificate that holds. */
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
  // Empty where the peer has shown none, which the types do not say.
  return (socket.getPeerCertificate() as Partial<PeerCertificate>).subjectaltname;
}
