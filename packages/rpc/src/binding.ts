import type { CompatServiceDefinition, ServiceImplementation } from "nice-grpc";

/** A gRPC service with its implementation, to be served or called in process. */
export interface RpcBinding<Definition extends CompatServiceDefinition = CompatServiceDefinition> {
  readonly definition: Definition;
  readonly implementation: ServiceImplementation<Definition>;
}

/** Pairs a service with its implementation, type-checked against the definition. */
export function bindRpc<Definition extends CompatServiceDefinition>(
  definition: Definition,
  implementation: ServiceImplementation<Definition>,
): RpcBinding<Definition> {
  return { definition, implementation };
}

/** Largest message of one gRPC call in either direction, bytes; an endpoint with its schemas is far smaller. */
export const messageBytesMax = 8 * 1024 * 1024;
