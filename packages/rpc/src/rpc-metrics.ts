import { toGatewayError } from "@gatehouse/errors";
import { PairHistogram } from "@gatehouse/telemetry";
import type { Registry } from "prom-client";
import type { RpcBinding } from "./binding.ts";
import { type UnaryHandler, wrapUnary } from "./wrap-unary.ts";

const durationBuckets = [0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10];

/** Wraps the bindings to count and time every unary call, by method and outcome, for all transports. */
export function observeBindings(bindings: readonly RpcBinding[], registry: Registry): readonly RpcBinding[] {
  const duration = new PairHistogram({
    registry,
    name: "gatehouse_rpc_duration_seconds",
    help: "Time from a unary gRPC call's arrival to its answer; the code is ok, or the error's.",
    labelNames: ["rpc_method", "code"],
    buckets: durationBuckets,
  });
  return wrapUnary(bindings, (handle, { service, name }) => {
    const rpcMethod = `${service}/${name}`;
    return timed(handle, (code, seconds) => duration.observe(rpcMethod, code, seconds));
  });
}

function timed(handle: UnaryHandler, observe: (code: string, seconds: number) => void): UnaryHandler {
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
