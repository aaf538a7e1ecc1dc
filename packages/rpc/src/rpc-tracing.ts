import { type GatewayError, toGatewayError } from "@gatehouse/errors";
import type { PeerAddress } from "@gatehouse/peers";
import { currentTraceparent, inSpan, isInRecordedSpan, type Span, type Tracing, untraced } from "@gatehouse/telemetry";
import { type CallOptions, ClientError, Metadata, ServerError, Status } from "nice-grpc";
import type { RpcBinding } from "./binding.ts";
import { fromCallError, isAbortError } from "./error-mapping.ts";
import { type UnaryHandler, type UnaryMethod, wrapUnary } from "./wrap-unary.ts";

/** As OpenTelemetry's conventions for gRPC name it: the status as a number. */
const statusAttribute = "rpc.grpc.status_code";

/** Metadata by which a call is part of its caller's trace (W3C Trace Context). */
const traceparentKey = "traceparent";

/** The options of a call with the span that it is made in; as they are outside of a trace. */
export function withCurrentTrace<Options extends CallOptions>(options: Options): Options {
  const traceparent = currentTraceparent();
  if (traceparent === undefined) return options;
  return { ...options, metadata: Metadata(options.metadata).set(traceparentKey, traceparent) };
}

/**
 * The bindings with a server span for every unary call that is part of a trace, however it arrives. Other calls have none: what
 * services ask each other by themselves would bury the traces of requests.
 */
export function traceBindings(bindings: readonly RpcBinding[], tracing: Tracing): readonly RpcBinding[] {
  if (tracing === untraced) return bindings;
  return wrapUnary(bindings, (handle, { service, name }) => {
    const { path, attributes } = describe({ service, name });
    return inServerSpan(handle, (parent) => tracing.start(path, { kind: "server", parent, attributes }));
  });
}

/** Name and attributes of a method's spans, as OpenTelemetry's conventions have them. */
function describe({ service, name }: UnaryMethod) {
  const method = `${name[0]?.toUpperCase() ?? ""}${name.slice(1)}`;
  const attributes = { "rpc.system": "grpc", "rpc.service": service, "rpc.method": method };
  return { path: `${service}/${method}`, attributes };
}

/** Learns the address of each process that a call goes to. */
export type OnPeer = (address: PeerAddress) => void;

type UnaryCall<Options> = (request: unknown, options?: Options, onPeer?: OnPeer) => Promise<unknown>;

/**
 * A unary method with a client span for each call that is made in a recorded span: it has the wait for a process that takes the
 * call, and a second attempt at another one. Other calls cost a look at the current span.
 */
export function inClientSpans<Options>(
  call: UnaryCall<Options>,
  tracing: Tracing,
  method: UnaryMethod,
): UnaryCall<Options> {
  if (tracing === untraced) return call;
  const { path, attributes } = describe(method);
  return async (request, options) => {
    if (!isInRecordedSpan()) return await call(request, options);
    const span = tracing.start(path, { kind: "client", parent: currentTraceparent(), attributes });
    const onPeer: OnPeer = ({ host, port }) => span.set({ "server.address": host, "server.port": port });
    return await ended(span, statusReceived, async () => await call(request, options, onPeer));
  };
}

function inServerSpan(handle: UnaryHandler, start: (parent: string) => Span): UnaryHandler {
  return async (request, context) => {
    const parent = context.metadata.get(traceparentKey);
    if (parent === undefined) return await handle(request, context);
    return await ended(start(parent), statusSent, async () => await handle(request, context));
  };
}

type StatusOf = (err: unknown, failure: GatewayError) => Status;

const statusSent: StatusOf = (err, failure) => (err instanceof ServerError ? err.code : Status[failure.profile.grpc]);
const statusReceived: StatusOf = (_err, failure) =>
  failure.cause instanceof ClientError ? failure.cause.code : Status[failure.profile.grpc];

/** Answers as the work does, in the span, which ends with the status that the wire tells. */
async function ended(span: Span, statusOf: StatusOf, work: () => Promise<unknown>): Promise<unknown> {
  try {
    const reply = await inSpan(span, work);
    span.set({ [statusAttribute]: Status.OK });
    span.end();
    return reply;
  } catch (err) {
    // A caller that has left is no failure of the service.
    const failure = isAbortError(err) ? fromCallError(err) : toGatewayError(err);
    span.set({ [statusAttribute]: statusOf(err, failure) });
    // A refusal is an answer.
    span.end(failure.profile.http >= 500 ? failure : undefined);
    throw err;
  }
}
