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

/** Bound of the TLS handshake, including the wait of a stopping server. */
const handshakeTimeoutMs = 5_000;

/** Server side of mutual TLS: calls need a valid peer certificate. Follows changed certificates. */
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

/** Client side: the called process must have the target's certificate, whatever its address. Uses the current certificates. */
export function createChannelTls(tls: ServiceTls, target: ServiceName) {
  const credentials = ChannelCredentials.createFromSecureContext(tls.current().context, {
    checkServerIdentity: checkServiceIdentity(target),
  });
  // TLS does not allow an address as a server name.
  return { credentials, options: { "grpc.ssl_target_name_override": target } };
}

const peerMetadataKey = "x-gatehouse-tls-peer";

/** Sets the service of the connection's certificate in each call's metadata, replacing any value sent by the peer. */
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

/** Service of a call's connection, as set by {@link recordPeerService}. */
export function peerServiceOf({ metadata }: Pick<CallContext, "metadata">): ServiceName | undefined {
  const name = metadata.get(peerMetadataKey) ?? "";
  return isServiceName(name) ? name : undefined;
}
