import type { CallContext } from "nice-grpc";
import type { RpcBinding } from "./binding.ts";

/** Handler of one unary method: decoded request in, response or its promise out; throws the call's error. */
export type UnaryHandler = (request: unknown, context: CallContext) => unknown;

/** Names of a wrapped method, for metrics and spans. */
export interface UnaryMethod {
  /** With its package, as in `gatehouse.chat.v1.ChatService`. */
  readonly service: string;
  /** Name of the method in the implementation, in camel case. */
  readonly name: string;
}

interface Method {
  readonly requestStream: boolean;
  readonly responseStream: boolean;
}

/** Wraps the handler of each unary method; streams stay unchanged. */
export function wrapUnary(
  bindings: readonly RpcBinding[],
  wrap: (handle: UnaryHandler, method: UnaryMethod) => UnaryHandler,
): readonly RpcBinding[] {
  return bindings.map(({ definition, implementation }) => {
    const handlers = implementation as unknown as Readonly<Record<string, UnaryHandler>>;
    // Present in generated definitions, absent from their type.
    const { fullName: service } = definition as { readonly fullName: string };
    const methods = Object.entries(definition.methods ?? {}) as [string, Method][];
    const wrapped = methods.map(([name, { requestStream, responseStream }]) => {
      const handle = handlers[name]?.bind(handlers);
      const isUnary = handle !== undefined && !requestStream && !responseStream;
      return [name, isUnary ? wrap(handle, { service, name }) : handle];
    });
    return { definition, implementation: Object.fromEntries(wrapped) as RpcBinding["implementation"] };
  });
}
