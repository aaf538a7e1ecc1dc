import { toGatewayError } from "@gatehouse/errors";
import { type CallContext, type CallOptions, type CompatServiceDefinition, Metadata } from "nice-grpc";
import type { RpcBinding } from "./binding.ts";
import type { RpcClient } from "./client.ts";

interface LocalMethod {
  readonly requestType: { fromPartial(partial: unknown): unknown };
  readonly responseStream: boolean;
  readonly requestStream: boolean;
}

type Implementation = Readonly<Record<string, (request: unknown, context: CallContext) => unknown>>;

/**
 * A client that calls a service of this process directly: no serialising, no socket, the same types and the same errors
 * as over gRPC. Requests are completed with their defaults, as decoding would.
 */
export function connectLocally<Definition extends CompatServiceDefinition>(
  binding: RpcBinding<Definition>,
): RpcClient<Definition> {
  const implementation = binding.implementation as unknown as Implementation;
  const methods = Object.entries(binding.definition.methods ?? {}) as unknown as [string, LocalMethod][];
  const calls = methods.map(([name, method]) => {
    const call = (request: unknown, options: CallOptions = {}) => {
      const context = createContext(options);
      const complete = method.requestStream ? request : method.requestType.fromPartial(request);
      const invoke = () => implementation[name]?.(complete, context);
      return method.responseStream ? streamOf(invoke, context) : unary(invoke);
    };
    return [name, call];
  });
  return Object.fromEntries(calls) as RpcClient<Definition>;
}

function createContext({ metadata, signal }: CallOptions): CallContext {
  return {
    metadata: Metadata(metadata),
    peer: "in-process",
    header: Metadata(),
    trailer: Metadata(),
    sendHeader: () => {},
    signal: signal ?? new AbortController().signal,
  };
}

async function unary(invoke: () => unknown): Promise<unknown> {
  try {
    return await invoke();
  } catch (err) {
    throw toGatewayError(err);
  }
}

async function* streamOf(invoke: () => unknown, { signal }: CallContext): AsyncGenerator {
  try {
    for await (const item of invoke() as AsyncIterable<unknown>) {
      if (signal.aborted) return;
      yield item;
    }
  } catch (err) {
    if (signal.aborted) return;
    throw toGatewayError(err);
  }
}
