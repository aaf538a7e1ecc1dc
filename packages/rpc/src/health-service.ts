import { whenAborted } from "@gatehouse/async";
import { HealthCheckResponse_ServingStatus as ServingStatus, HealthDefinition } from "@gatehouse/proto/health";
import { bindRpc, type RpcBinding } from "./binding.ts";

interface HealthService {
  readonly binding: RpcBinding;
  /** Reports from now on that the process is about to stop. */
  announceStop(): void;
}

/** Health service for load balancers, Kubernetes and the gateway's callers: the process takes calls, or is about to stop. */
export function createHealthService(): HealthService {
  let isStopping = false;
  const stopping = new AbortController();
  const status = () => (isStopping ? ServingStatus.NOT_SERVING : ServingStatus.SERVING);
  const binding = bindRpc(HealthDefinition, {
    check: async () => await Promise.resolve({ status: status() }),
    async *watch(_request, { signal }) {
      yield { status: status() };
      if (!isStopping) await whenAborted(AbortSignal.any([signal, stopping.signal]));
      if (!signal.aborted) yield { status: status() };
    },
  });
  return {
    binding,
    announceStop() {
      isStopping = true;
      stopping.abort();
    },
  };
}
