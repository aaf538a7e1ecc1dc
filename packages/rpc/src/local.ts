import type { CallContext, CallOptions, CompatServiceDefinition } from "nice-grpc";
import type { DeadlineOptions } from "nice-grpc-client-middleware-deadline";
import type { RpcBinding } from "./binding.ts";
import type { RpcClient } from "./client.ts";
import { addDirectCalls } from "./direct.ts";
import { fromCallError } from "./error-mapping.ts";
import { LazyContext } from "./lazy-context.ts";
import { LocalCall } from "./local-call.ts";

interface MessageType {
  fromPartial(partial: unknown): unknown;
}

interface LocalMethod {
  readonly requestType: MessageType;
  readonly responseType: MessageType;
  readonly responseStream: boolean;
  readonly requestStream: boolean;
}

type Implementation = Readonly<Record<string, (request: unknown, context: CallContext) => unknown>>;
type LocalCallOptions = CallOptions & DeadlineOptions;

/**
 * A client that calls a service of this process directly, without serialising or sockets, with the same types and errors as over
 * gRPC. Requests and replies get their default values, as decoding would set them. An aborted or late call fails at once; the
 * service sees its signal aborted.
 */
export function connectLocally<Definition extends CompatServiceDefinition>(
  binding: RpcBinding<Definition>,
): RpcClient<Definition> {
  const implementation = binding.implementation as unknown as Implementation;
  const methods = Object.entries(binding.definition.methods ?? {}) as unknown as [string, LocalMethod][];
  const calls = methods.map(([name, method]) => {
    const { requestType, responseType, requestStream, responseStream } = method;
    const reply = responseStream ? stream : unary;
    const ask = (request: unknown, options: LocalCallOptions = {}) =>
      reply(options, responseType, (call) => {
        const complete = requestStream ? request : requestType.fromPartial(request);
        return implementation[name]?.(complete, new LazyContext("in-process", options.metadata, call));
      });
    return [name, ask];
  });
  const client = Object.fromEntries(calls) as RpcClient<Definition>;
  if (binding.direct !== undefined) addDirectCalls(client, binding.direct);
  return client;
}

type Invoke = (call: LocalCall) => unknown;

async function unary(options: LocalCallOptions, responseType: MessageType, invoke: Invoke): Promise<unknown> {
  const call = new LocalCall(options);
  try {
    call.throwIfOver();
    return responseType.fromPartial(await call.race(invoke(call)));
  } catch (err) {
    throw fromCallError(err);
  } finally {
    call.release();
  }
}

async function* stream(options: LocalCallOptions, responseType: MessageType, invoke: Invoke): AsyncGenerator {
  const call = new LocalCall(options);
  let items: AsyncIterator<unknown> | undefined;
  try {
    call.throwIfOver();
    items = (invoke(call) as AsyncIterable<unknown>)[Symbol.asyncIterator]();
    for (;;) {
      const item = await call.race(items.next());
      if (item.done === true) return;
      yield responseType.fromPartial(item.value);
      call.throwIfOver();
    }
  } catch (err) {
    throw fromCallError(err);
  } finally {
    call.release();
    call.abort();
    // Not awaited, since a service that ignores its signal would block its caller.
    items?.return?.().catch(() => {});
  }
}
