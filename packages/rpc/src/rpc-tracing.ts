import { type GatewayError, toGatewayError } from "@gatehouse/errors";
import type { PeerAddress } from "@gatehouse/peers";
import { currentTraceparent, inSpan, isInRecordedSpan, type Span, type Tracing, untraced } from "@gatehouse/telemetry";
import { type CallOptions, ClientError, Metadata, ServerError, Status } from "nice-grpc";
import type { RpcBinding } from "./binding.ts";
import { fromCallError, isAbortError } from "./error-mapping.ts";
import { type UnaryHandler, type UnaryMethod, wrapUnary } from "./wrap-unary.ts";

/** OpenTelemetry's attribute for gRPC; the status as a number. */
const statusAttribute = "rpc.grpc.status_code";

/** Metadata key of the trace context (W3C Trace Context). */
const traceparentKey = "traceparent";

/** Options of a call with the current span's context; unchanged outside of a trace. */
export function withCurrentTrace<Options extends CallOptions>(options: Options): Options {
  const traceparent = currentTraceparent();
  if (traceparent === undefined) return options;
  return { ...options, metadata: Metadata(options.metadata).set(traceparentKey, traceparent) };
}

/**
 * Wraps the bindings with a server span for every unary call of a trace, for all transports. Other calls have none: the services'
 * internal calls would bury the traces of requests.
 */
export function traceBindings(bindings: readonly RpcBinding[], tracing: Tracing): readonly RpcBinding[] {
  if (tracing === untraced) return bindings;
  return wrapUnary(bindings, (handle, { service, name }) => {
    const { path, attributes } = describe({ service, name });
    return inServerSpan(handle, (parent) => tracing.start(path, { kind: "server", parent, attributes }));
  });
}

/** Name and attributes of a method's spans, by OpenTelemetry's conventions. */
function describe({ service, name }: UnaryMethod) {
  const method = `${name[0]?.toUpperCase() ?? ""}${name.slice(1)}`;
  const attributes = { "rpc.system": "grpc", "rpc.service": service, "rpc.method": method };
  return { path: `${service}/${method}`, attributes };
}

/** Receives the address of each process that a call goes to. */
export type OnPeer = (address: PeerAddress) => void;

type UnaryCall<Options> = (request: unknown, options?: Options, onPeer?: OnPeer) => Promise<unknown>;

/**
 * Wraps a unary method with a client span for each call within a recorded span; it covers the wait for a process, and a second
 * attempt. Other calls only check the current span.
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

/** Runs the work in the span, and ends it with the gRPC status. */
async function ended(span: Span, statusOf: StatusOf, work: () => Promise<unknown>): Promise<unknown> {
  try {
    const reply = await inSpan(span, work);
    span.set({ [statusAttribute]: Status.OK });
    span.end();
    return reply;
  } catch (err) {
    // A disconnected caller is not a failure of the service.
    const failure = isAbortError(err) ? fromCallError(err) : toGatewayError(err);
    span.set({ [statusAttribute]: statusOf(err, failure) });
    // A refusal counts as an answer.
    span.end(failure.profile.http >= 500 ? failure : undefined);
    throw err;
  }
}
