import type { CompatServiceDefinition, ServiceImplementation } from "nice-grpc";
import type { DirectHandler, DirectHandlers } from "./direct.ts";

/** A gRPC service with its implementation, to be served or called in process. */
export interface RpcBinding<Definition extends CompatServiceDefinition = CompatServiceDefinition> {
  readonly definition: Definition;
  readonly implementation: ServiceImplementation<Definition>;
  /** By method; see {@link DirectHandlers}. */
  readonly direct?: Readonly<Record<string, DirectHandler>>;
}

/**
 * Pairs a service with its implementation, type-checked against the definition.
 * @param direct the same methods for callers in this process, where a copy of each message would cost as much as the answer
 */
export function bindRpc<Definition extends CompatServiceDefinition>(
  definition: Definition,
  implementation: ServiceImplementation<Definition>,
  direct?: DirectHandlers<Definition>,
): RpcBinding<Definition> {
  if (direct === undefined) return { definition, implementation };
  // Safe cast: a client calls each handler with its own method's message.
  return { definition, implementation, direct: direct as unknown as Readonly<Record<string, DirectHandler>> };
}

/** Largest message of one gRPC call in either direction, bytes; an endpoint with its schemas is far smaller. */
export const messageBytesMax = 8 * 1024 * 1024;
