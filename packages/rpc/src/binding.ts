import type { CompatServiceDefinition, ServiceImplementation } from "nice-grpc";

/** A gRPC service and what answers it, ready to be served or to be called in process. */
export interface RpcBinding<Definition extends CompatServiceDefinition = CompatServiceDefinition> {
  readonly definition: Definition;
  readonly implementation: ServiceImplementation<Definition>;
}

/** Pairs a service with its implementation, which the compiler holds to the definition. */
export function bindRpc<Definition extends CompatServiceDefinition>(
  definition: Definition,
  implementation: ServiceImplementation<Definition>,
): RpcBinding<Definition> {
  return { definition, implementation };
}

/** Largest message of one gRPC call, either way, bytes: an endpoint with its schemas fits many times. */
export const messageBytesMax = 8 * 1024 * 1024;
