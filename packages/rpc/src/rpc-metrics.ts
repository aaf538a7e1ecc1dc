import { toGatewayError } from "@gatehouse/errors";
import { Histogram, type Registry } from "prom-client";
import type { RpcBinding } from "./binding.ts";

const durationBuckets = [0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10];

interface Method {
  readonly requestStream: boolean;
  readonly responseStream: boolean;
}

type Handler = (request: unknown, context: unknown) => unknown;

/** The bindings with every unary call counted and timed, by method and outcome, however it arrives. */
export function observeBindings(bindings: readonly RpcBinding[], registry: Registry): readonly RpcBinding[] {
  const duration = new Histogram({
    name: "gatehouse_rpc_duration_seconds",
    help: "Time from a unary gRPC call's arrival to its answer; the code is ok, or the error's.",
    labelNames: ["rpc_method", "code"],
    buckets: durationBuckets,
    registers: [registry],
  });
  return bindings.map(({ definition, implementation }) => {
    const handlers = implementation as unknown as Readonly<Record<string, Handler>>;
    // As the generated definitions have it.
    const { fullName } = definition as { readonly fullName: string };
    const methods = Object.entries(definition.methods ?? {}) as [string, Method][];
    const observed = methods.map(([name, { requestStream, responseStream }]) => {
      const handle = handlers[name]?.bind(handlers);
      if (handle === undefined || requestStream || responseStream) return [name, handle];
      const rpcMethod = `${fullName}/${name}`;
      return [name, timed(handle, (code, seconds) => duration.observe({ rpc_method: rpcMethod, code }, seconds))];
    });
    return {
      definition,
      implementation: Object.fromEntries(observed) as RpcBinding["implementation"],
    };
  });
}

function timed(handle: Handler, observe: (code: string, seconds: number) => void): Handler {
  return async (request, context) => {
    const beganMs = performance.now();
    let code = "ok";
    try {
      return await handle(request, context);
    } catch (err) {
      ({ code } = toGatewayError(err));
      throw err;
    } finally {
      observe(code, (performance.now() - beganMs) / 1_000);
    }
  };
}
