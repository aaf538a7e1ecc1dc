import { formatPeerAddress, type PeerAddress, type PeerConnection, type ProbeResult } from "@gatehouse/peers";
import { HealthCheckResponse_ServingStatus as ServingStatus, HealthDefinition } from "@gatehouse/proto/health";
import { HotStreamServiceDefinition } from "@gatehouse/proto/hot-stream";
import type { ServiceName, ServiceTls, ServiceTrust } from "@gatehouse/trust";
import {
  type CallOptions,
  type Channel,
  type ClientError,
  type ClientMiddleware,
  type ClientMiddlewareCall,
  type CompatServiceDefinition,
  createChannel,
  createClient,
  createClientFactory,
  Metadata,
  Status,
} from "nice-grpc";
import { deadlineMiddleware, type DeadlineOptions } from "nice-grpc-client-middleware-deadline";
import { messageBytesMax } from "./binding.ts";
import { fromClientError, remainingMs } from "./error-mapping.ts";
import { HotCallClient } from "./hot/hot-call-client.ts";
import { createChannelTls } from "./rpc-tls.ts";
import { createIdentitySigner, identityMetadataKey, rpcServiceOf } from "./service-identity.ts";

/** Methods of a gRPC client by name, with types erased: links are shared by clients of all definitions. */
export type Methods = Readonly<Record<string, (request: unknown, options: object) => unknown>>;

/** The connection to one process of a service, with its clients. */
export interface PeerLink extends PeerConnection {
  client(definition: CompatServiceDefinition): Methods;
  /** Whether a call would be sent at once. */
  isConnected(): boolean;
}

/** `READY` of grpc-js' ConnectivityState, which nice-grpc does not export as a value. */
const ready = 2;

/** @returns a function that opens a link to an address of `target`. */
export function createPeerFactory(
  trust: ServiceTrust,
  target: ServiceName,
  /** Certificate of the calling service; absent: connections are not encrypted. */
  tls?: ServiceTls,
): (address: PeerAddress) => PeerLink {
  const identity = createIdentitySigner(trust, target);
  // The middleware attached last is the outermost: it converts the errors of all others.
  const factory = createClientFactory().use(deadlineMiddleware).use(identified(identity)).use(translated);
  const streamFactory = createClientFactory().use(identified(identity));
  const connect = (address: PeerAddress): Connection => {
    const secured = tls === undefined ? undefined : createChannelTls(tls, target);
    const options = { ...channelOptions, ...secured?.options };
    const channel: Channel = createChannel(formatPeerAddress(address), secured?.credentials, options);
    const health = createClient(HealthDefinition, channel);
    const clients = new Map<CompatServiceDefinition, Methods>();
    const streams = streamFactory.create(HotStreamServiceDefinition, channel);
    const hot = new HotCallClient(
      (requests) => streams.carry(requests),
      () => identity(HotStreamServiceDefinition.fullName),
    );
    return {
      client: (definition) => {
        const client = clients.get(definition) ?? hot.attach(definition, factory.create(definition, channel));
        clients.set(definition, client);
        return client;
      },
      isConnected: () => (channel.getConnectivityState(true) as number) === ready,
      hasCarried: () => clients.size > 0,
      check: async (signal) => await health.check({}, { signal }),
      close() {
        hot.close();
        channel.close();
      },
    };
  };
  return (address) => new RenewedLink(() => connect(address));
}

const channelOptions = {
  "grpc.max_receive_message_length": messageBytesMax,
  "grpc.keepalive_time_ms": 20_000,
  "grpc.keepalive_timeout_ms": 5_000,
  "grpc.initial_reconnect_backoff_ms": 50,
  "grpc.max_reconnect_backoff_ms": 500,
  // A new channel would otherwise inherit the back-off of the replaced one.
  "grpc.use_local_subchannel_pool": 1,
};

/** Time for which a lost or draining connection is kept for its calls in flight. */
const retirementMs = 60_000;

interface Connection extends Pick<PeerLink, "client" | "isConnected" | "close"> {
  hasCarried(): boolean;
  check(signal: AbortSignal): Promise<{ readonly status: string }>;
}

/**
 * A link that opens a new connection with each probe after the last was lost, since grpc-js sometimes makes no further attempt on
 * a refused channel for seconds. Calls in flight stay on their connection.
 */
class RenewedLink implements PeerLink {
  readonly #connect: () => Connection;
  readonly #retired = new Map<Connection, NodeJS.Timeout>();
  #connection: Connection;
  #isClosed = false;

  constructor(connect: () => Connection) {
    this.#connect = connect;
    this.#connection = connect();
  }

  client(definition: CompatServiceDefinition): Methods {
    return this.#connection.client(definition);
  }

  isConnected(): boolean {
    return this.#connection.isConnected();
  }

  async probe(signal: AbortSignal): Promise<ProbeResult> {
    const connection = this.#connection;
    try {
      return await probe(async () => await connection.check(signal));
    } catch (err) {
      // A late probe does not show that the connection is lost.
      if (!this.#isClosed && !signal.aborted && !connection.isConnected()) {
        this.#connection = this.#connect();
        this.#retire(connection);
      }
      throw err;
    }
  }

  close(): void {
    this.#isClosed = true;
    for (const [connection, timer] of this.#retired) {
      clearTimeout(timer);
      connection.close();
    }
    this.#connection.close();
  }

  #retire(connection: Connection): void {
    if (!connection.hasCarried()) return connection.close();
    const end = () => {
      this.#retired.delete(connection);
      connection.close();
    };
    this.#retired.set(connection, setTimeout(end, retirementMs).unref());
    return undefined;
  }
}

async function probe(check: () => Promise<{ readonly status: string }>): Promise<ProbeResult> {
  try {
    const { status } = await check();
    return status === ServingStatus.NOT_SERVING ? "stopping" : "serving";
  } catch (err) {
    // An earlier version of the service, without the protocol.
    if (isClientError(err) && err.code === Status.UNIMPLEMENTED) return "serving";
    throw err;
  }
}

function isClientError(err: unknown): err is ClientError {
  return err instanceof Error && err.name === "ClientError";
}

function identified(identity: (rpcService: string) => string): ClientMiddleware {
  return async function* addIdentity(call, options) {
    const metadata = Metadata(options.metadata).set(identityMetadataKey, identity(rpcServiceOf(call.method.path)));
    return yield* call.next(call.request, { ...options, metadata });
  };
}

async function* translated<Request, Response>(
  call: ClientMiddlewareCall<Request, Response>,
  options: CallOptions & DeadlineOptions,
) {
  let trailer: Metadata | undefined;
  const onTrailer = (received: Metadata) => {
    trailer = received;
    options.onTrailer?.(received);
  };
  try {
    return yield* call.next(call.request, { ...options, ...remaining(options), onTrailer });
  } catch (err) {
    throw fromClientError(err, trailer);
  }
}

/** A deadline in the past becomes zero: timers reject negative times. */
function remaining({ deadline }: DeadlineOptions): DeadlineOptions {
  return deadline === undefined ? {} : { deadline: remainingMs(deadline) };
}
