import type { Secret } from "@gatehouse/vault";
import {
  type CallOptions,
  type Channel,
  type Client,
  type ClientMiddleware,
  type ClientMiddlewareCall,
  type CompatServiceDefinition,
  createChannel,
  createClientFactory,
  Metadata,
} from "nice-grpc";
import { deadlineMiddleware, type DeadlineOptions } from "nice-grpc-client-middleware-deadline";
import { remainingMs } from "./abort.ts";
import { messageBytesMax } from "./binding.ts";
import { fromClientError } from "./error-mapping.ts";
import { createIdentitySigner, identityMetadataKey } from "./service-identity.ts";

/** A typed client, the same whether the service is in this process or another. */
export type RpcClient<Definition extends CompatServiceDefinition> = Client<Definition, DeadlineOptions>;

export interface RpcChannelOptions {
  /** `host:port` of the service. */
  readonly address: string;
  /** The name of the calling service. */
  readonly service: string;
  readonly internalKey: Secret;
  /** Bound of a unary call that brings no deadline of its own, milliseconds. */
  readonly timeoutMs: number;
}

export interface RpcChannel {
  client<Definition extends CompatServiceDefinition>(definition: Definition): RpcClient<Definition>;
  close(): void;
}

/** One connection to a service, shared by its clients. It connects when first used and reconnects by itself. */
export function openRpcChannel({ address, service, internalKey, timeoutMs }: RpcChannelOptions): RpcChannel {
  const channel: Channel = createChannel(address, undefined, {
    "grpc.max_receive_message_length": messageBytesMax,
    "grpc.keepalive_time_ms": 20_000,
    "grpc.keepalive_timeout_ms": 5_000,
    "grpc.initial_reconnect_backoff_ms": 100,
    "grpc.max_reconnect_backoff_ms": 2_000,
  });
  const identity = createIdentitySigner(service, internalKey);
  // The middleware attached last is the outermost: errors are translated after everything else has had its say.
  const factory = createClientFactory().use(deadlineMiddleware).use(identified(identity)).use(translated);
  return {
    client: (definition) => factory.create(definition, channel, deadlines(definition, timeoutMs)) as never,
    close: () => channel.close(),
  };
}

/** Streams stay open as long as both sides wish; only unary calls get a deadline by default. */
function deadlines(definition: CompatServiceDefinition, timeoutMs: number): Record<string, DeadlineOptions> {
  const methods = Object.entries(definition.methods ?? {}) as [string, { readonly responseStream: boolean }][];
  const unary = methods.filter(([, method]) => !method.responseStream);
  return Object.fromEntries(unary.map(([name]) => [name, { deadline: timeoutMs }]));
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
