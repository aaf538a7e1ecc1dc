import type { LazySignal } from "@gatehouse/async";
import type { CompatServiceDefinition } from "nice-grpc";
import type { RpcClient } from "./client.ts";
import { fromCallError } from "./error-mapping.ts";
import { LocalCall } from "./local-call.ts";

/** Call that a direct handler answers; its signal is made when it is read. */
interface HandledCall {
  readonly signal: AbortSignal;
}

/** A {@link DirectHandlers} member of any method. */
export type DirectHandler = (request: unknown, call: HandledCall) => unknown;

/** Messages of a method, as ts-proto describes it. */
type MessageOf<Type> = Type extends { decode(bytes: Uint8Array): infer Message } ? Message : never;
type RequestOf<Method> = Method extends { requestType: infer Type } ? MessageOf<Type> : never;
type ResponseOf<Method> = Method extends { responseType: infer Type } ? MessageOf<Type> : never;
type MethodsOf<Definition> = Definition extends { methods: infer Methods } ? Methods : never;

/**
 * Handlers of unary methods for callers in the same process. They take and return complete messages, which are passed on as they
 * are: neither side may change one that it has sent or received. A handler answers without a promise where it can.
 */
export type DirectHandlers<Definition extends CompatServiceDefinition> = {
  readonly [Name in keyof MethodsOf<Definition>]?: (
    request: RequestOf<MethodsOf<Definition>[Name]>,
    call: HandledCall,
  ) => ResponseOf<MethodsOf<Definition>[Name]> | Promise<ResponseOf<MethodsOf<Definition>[Name]>>;
};

/** Bounds of one call: its caller's abort, and the time for the answer, milliseconds. */
interface DirectCallOptions {
  readonly abort: LazySignal;
  readonly deadline: number;
}

/** One unary method of a client, which answers without a promise where the service is in this process and has the answer. */
export type DirectCall<Request, Response> = (
  request: Request,
  options: DirectCallOptions,
) => Response | Promise<Response>;

type AnyCall = DirectCall<unknown, unknown>;

const direct = new WeakMap<object, Readonly<Record<string, AnyCall>>>();

/** Keeps the direct handlers of a client of this process. */
export function addDirectCalls(client: object, handlers: Readonly<Record<string, DirectHandler>>): void {
  const calls = Object.entries(handlers).map(([name, handle]): [string, AnyCall] => [name, toDirectCall(handle)]);
  direct.set(client, Object.fromEntries(calls));
}

/**
 * The method of a client for complete messages. Errors and ends of calls are the client's; only those that are known at once are
 * thrown instead of rejected. Where the service is elsewhere, or has no direct handler, it is the client's method.
 */
export function callDirectly<Definition extends CompatServiceDefinition, Name extends keyof MethodsOf<Definition>>(
  client: RpcClient<Definition>,
  name: Name & string,
): DirectCall<RequestOf<MethodsOf<Definition>[Name]>, ResponseOf<MethodsOf<Definition>[Name]>> {
  const ofClient = (client as unknown as Readonly<Record<string, ClientMethod>>)[name];
  const call: AnyCall | undefined =
    direct.get(client)?.[name] ??
    (ofClient && (async (request, { abort, deadline }) => await ofClient(request, { signal: abort.signal, deadline })));
  if (call === undefined) throw new Error(`The client has no method ${name}.`);
  // Safe cast: both are made for the method of this name.
  return call as ReturnType<typeof callDirectly<Definition, Name>>;
}

type ClientMethod = (
  request: unknown,
  options: { readonly signal: AbortSignal; readonly deadline: number },
) => Promise<unknown>;

function toDirectCall(handle: DirectHandler): AnyCall {
  return (request, options) => {
    const call = new LocalCall(options);
    try {
      call.throwIfOver();
      const answer = handle(request, call);
      if (answer instanceof Promise) return settled(call, answer);
      call.release();
      return answer;
    } catch (err) {
      call.release();
      throw fromCallError(err);
    }
  };
}

async function settled(call: LocalCall, answer: Promise<unknown>): Promise<unknown> {
  try {
    return await call.race(answer);
  } catch (err) {
    throw fromCallError(err);
  } finally {
    call.release();
  }
}
