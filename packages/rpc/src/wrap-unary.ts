import type { CallContext } from "nice-grpc";
import type { RpcBinding } from "./binding.ts";

/** Answers one unary call. */
export type UnaryHandler = (request: unknown, context: CallContext) => unknown;

/** A method as its definition names it. */
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

/** The bindings with another handler in place of each of a unary method; streams stay as they are. */
export function wrapUnary(
  bindings: readonly RpcBinding[],
  wrap: (handle: UnaryHandler, method: UnaryMethod) => UnaryHandler,
): readonly RpcBinding[] {
  return bindings.map(({ definition, implementation }) => {
    const handlers = implementation as unknown as Readonly<Record<string, UnaryHandler>>;
    // Generated definitions have this property; their type does not show it.
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
