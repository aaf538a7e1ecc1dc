import {
  checkServiceIdentity,
  isServiceName,
  serviceOfAltNames,
  type ServiceName,
  type ServiceTls,
} from "@gatehouse/trust";
import {
  ResponderBuilder,
  ServerCredentials,
  ServerInterceptingCall,
  type ServerInterceptor,
  ServerListenerBuilder,
} from "@grpc/grpc-js";
import { type CallContext, ChannelCredentials } from "nice-grpc";

/** From a connection to the end of its TLS handshake; a stop waits for those under way. */
const handshakeTimeoutMs = 5_000;

/** A server's side of mutual TLS: only peers with a certificate that holds get as far as a call. Follows changed certificates. */
export class RpcServerCredentials extends ServerCredentials {
  readonly #stopFollowing: () => void;

  constructor(tls: ServiceTls) {
    const handshake = { requestCert: true, rejectUnauthorized: true, handshakeTimeout: handshakeTimeoutMs };
    super(handshake, { ...tls.current().options });
    this.#stopFollowing = tls.onChange(({ options }) => this.updateSecureContextOptions({ ...options }));
  }

  stopFollowing(): void {
    this.#stopFollowing();
  }

  override _equals(other: ServerCredentials): boolean {
    return this === other;
  }
}

/** A client's side: the called process must have the target's certificate, whatever its address. As the certificates are now. */
export function createChannelTls(tls: ServiceTls, target: ServiceName) {
  const credentials = ChannelCredentials.createFromSecureContext(tls.current().context, {
    checkServerIdentity: checkServiceIdentity(target),
  });
  // An address cannot be a server name of TLS.
  return { credentials, options: { "grpc.ssl_target_name_override": target } };
}

const peerMetadataKey = "x-gatehouse-tls-peer";

/** Puts the service that the connection's certificate names into each call's metadata, in the place of anything a peer has sent there. */
export const recordPeerService: ServerInterceptor = (_method, call) => {
  const listener = new ServerListenerBuilder()
    .withOnReceiveMetadata((metadata, next) => {
      const service = serviceOfAltNames(call.getAuthContext().sslPeerCertificate?.subjectaltname);
      metadata.remove(peerMetadataKey);
      if (service !== undefined) metadata.set(peerMetadataKey, service);
      next(metadata);
    })
    .build();
  return new ServerInterceptingCall(call, new ResponderBuilder().withStart((next) => next(listener)).build());
};

/** The service that a call's connection belongs to, as {@link recordPeerService} has found it. */
export function peerServiceOf({ metadata }: Pick<CallContext, "metadata">): ServiceName | undefined {
  const name = metadata.get(peerMetadataKey) ?? "";
  return isServiceName(name) ? name : undefined;
}
