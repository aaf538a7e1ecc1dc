import { formatPeerAddress, type PeerAddress, type PeerConnection, type ProbeResult } from "@gatehouse/peers";
import { HealthCheckResponse_ServingStatus as ServingStatus, HealthDefinition } from "@gatehouse/proto/health";
import { HotStreamServiceDefinition } from "@gatehouse/proto/hot-stream";
import type { Secret } from "@gatehouse/vault";
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
import { remainingMs } from "./abort.ts";
import { messageBytesMax } from "./binding.ts";
import { fromClientError } from "./error-mapping.ts";
import { HotLine } from "./hot/hot-line.ts";
import { createIdentitySigner, identityMetadataKey } from "./service-identity.ts";

/** A client's methods by name. */
export type Methods = Readonly<Record<string, (request: unknown, options: object) => unknown>>;

/** The connection to one process of a service, with its clients. */
export interface PeerLink extends PeerConnection {
  client(definition: CompatServiceDefinition): Methods;
  /** Whether a call would go out at once. */
  isConnected(): boolean;
}

/** `READY` of grpc-js' ConnectivityState, which nice-grpc does not export as a value. */
const ready = 2;

/** @returns what opens a link to an address, for calls of one service. */
export function createPeerFactory(service: string, internalKey: Secret): (address: PeerAddress) => PeerLink {
  const identity = createIdentitySigner(service, internalKey);
  // The middleware attached last is the outermost: errors are translated after everything else has had its say.
  const factory = createClientFactory().use(deadlineMiddleware).use(identified(identity)).use(translated);
  const streamFactory = createClientFactory().use(identified(identity));
  return (address) => {
    const channel: Channel = createChannel(formatPeerAddress(address), undefined, {
      "grpc.max_receive_message_length": messageBytesMax,
      "grpc.keepalive_time_ms": 20_000,
      "grpc.keepalive_timeout_ms": 5_000,
      "grpc.initial_reconnect_backoff_ms": 50,
      "grpc.max_reconnect_backoff_ms": 500,
    });
    const health = createClient(HealthDefinition, channel);
    const clients = new Map<CompatServiceDefinition, Methods>();
    const streams = streamFactory.create(HotStreamServiceDefinition, channel);
    const hot = new HotLine((requests) => streams.carry(requests));
    return {
      client: (definition) => {
        const client = clients.get(definition) ?? hot.attach(definition, factory.create(definition, channel));
        clients.set(definition, client);
        return client;
      },
      isConnected: () => (channel.getConnectivityState(true) as number) === ready,
      probe: async (signal) => await probe(async () => await health.check({}, { signal })),
      close() {
        hot.close();
        channel.close();
      },
    };
  };
}

async function probe(check: () => Promise<{ readonly status: string }>): Promise<ProbeResult> {
  try {
    const { status } = await check();
    return status === ServingStatus.NOT_SERVING ? "stopping" : "serving";
  } catch (err) {
    // An earlier version of the service, which does not speak the protocol.
    if (isClientError(err) && err.code === Status.UNIMPLEMENTED) return "serving";
    throw err;
  }
}

function isClientError(err: unknown): err is ClientError {
  return err instanceof Error && err.name === "ClientError";
}

function identified(identity: () => string): ClientMiddleware {
  return async function* addIdentity(call, options) {
    const metadata = Metadata(options.metadata).set(identityMetadataKey, identity());
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

/** A deadline that has passed already is zero: timers take a negative time for a mistake. */
function remaining({ deadline }: DeadlineOptions): DeadlineOptions {
  return deadline === undefined ? {} : { deadline: remainingMs(deadline) };
}
