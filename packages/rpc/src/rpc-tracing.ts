import { toGatewayError } from "@gatehouse/errors";
import { currentTraceparent, inSpan, type Span, type Tracing, untraced } from "@gatehouse/telemetry";
import { type CallOptions, Metadata, ServerError, Status } from "nice-grpc";
import type { RpcBinding } from "./binding.ts";
import { fromCallError, isAbortError } from "./error-mapping.ts";
import { type UnaryHandler, wrapUnary } from "./wrap-unary.ts";

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
    const method = `${name[0]?.toUpperCase() ?? ""}${name.slice(1)}`;
    const attributes = { "rpc.system": "grpc", "rpc.service": service, "rpc.method": method };
    const path = `${service}/${method}`;
    return inServerSpan(handle, (parent) => tracing.start(path, { kind: "server", parent, attributes }));
  });
}

function inServerSpan(handle: UnaryHandler, start: (parent: string) => Span): UnaryHandler {
  return async (request, context) => {
    const parent = context.metadata.get(traceparentKey);
    if (parent === undefined) return await handle(request, context);
    const span = start(parent);
    try {
      const reply = await inSpan(span, async () => await handle(request, context));
      span.set({ [statusAttribute]: Status.OK });
      span.end();
      return reply;
    } catch (err) {
      // As the wire tells it: a caller that has left, and a refusal by gRPC's own status.
      const failure = isAbortError(err) ? fromCallError(err) : toGatewayError(err);
      span.set({ [statusAttribute]: err instanceof ServerError ? err.code : Status[failure.profile.grpc] });
      // A refusal is an answer.
      span.end(failure.profile.http >= 500 ? failure : undefined);
      throw err;
    }
  };
}
