import { type GatewayError, toGatewayError } from "@gatehouse/errors";
import type { Envelope, JsonRpcParams } from "./envelope.ts";
import { JsonText } from "./json.ts";
import { isJsonRpcError, JsonRpcError, jsonRpcErrorCodes, toErrorBody } from "./json-rpc-error.ts";

export type { JsonRpcParams } from "./envelope.ts";

/**
 * Answers one request with its result, a JSON value or a {@link JsonText}. What it throws becomes the reply's error: a JsonRpcError as it is, a
 * GatewayError by the error table, anything else as an internal error that says nothing.
 */
export type JsonRpcDispatcher<Context> = (method: string, params: JsonRpcParams, context: Context) => Promise<unknown>;

export interface JsonRpcBounds {
  /** Members of one batch. */
  readonly batchSizeMax: number;
  /** Requests of one batch that run at a time. */
  readonly batchConcurrencyMax: number;
  /** Levels of arrays and objects in a body. */
  readonly nestingLevelsMax: number;
}

export const jsonRpcBounds: JsonRpcBounds = { batchSizeMax: 100, batchConcurrencyMax: 8, nestingLevelsMax: 100 };

/** Sees every error that is not the caller's (-32603), with its cause; log it at its own level. */
export type FailureListener = (err: GatewayError, method: string) => void;

/** Sees each notification. It gets no reply, whatever happens. */
export type NotificationListener<Context> = (method: string, params: JsonRpcParams, context: Context) => void;

/** Sees every error that is answered before anything is dispatched: a body that is no JSON, a batch or envelope out of order. */
export type InvalidListener = (err: JsonRpcError) => void;

export interface DispatchOptions<Context> {
  readonly dispatch: JsonRpcDispatcher<Context>;
  readonly context: Context;
  /** Makes the context of one request of the body out of the body's; `id` is JSON text. */
  readonly toRequestContext?: (context: Context, id: string) => Context;
  readonly onFailure: FailureListener;
  readonly onInvalid?: InvalidListener;
  /** Where it is absent, notifications are dropped. It must not throw. */
  readonly onNotification?: NotificationListener<Context>;
}

/** A reply, or the beginning of one whose result is a large text; `}` ends it. */
export type EnvelopeReply = string | { readonly head: string; readonly result: JsonText };

/** From this length on a text is worth being sent as the bytes that it was encoded to before. */
const largeTextLengthMin = 64 * 1024;

/**
 * The reply to one envelope as JSON text, or undefined where it gets none. A notification is never run as a method: every method
 * here answers a question or makes a change that its caller must learn the outcome of.
 */
export async function answerEnvelope<Context>(
  envelope: Envelope,
  options: DispatchOptions<Context>,
): Promise<EnvelopeReply | undefined> {
  if (envelope.kind === "request") return await answerRequest(envelope, options);
  if (envelope.kind === "invalid") {
    const err = invalidRequest(envelope.problem);
    options.onInvalid?.(err);
    return errorReply(envelope.id, err);
  }
  if (envelope.kind === "notification") options.onNotification?.(envelope.method, envelope.params, options.context);
  return undefined;
}

export function errorReply(id: string, err: JsonRpcError | GatewayError): string {
  return `{"jsonrpc":"2.0","id":${id},"error":${JSON.stringify(toErrorBody(err))}}`;
}

export function invalidRequest(problem: string): JsonRpcError {
  return new JsonRpcError(jsonRpcErrorCodes.invalidRequest, `Invalid request: ${problem}.`);
}

/** Runs `task` for each item, at most `concurrencyMax` at a time; results in the items' order. Tasks must not reject. */
export async function mapBounded<T, R>(
  items: readonly T[],
  concurrencyMax: number,
  task: (item: T) => Promise<R>,
): Promise<R[]> {
  const results: R[] = Array.from({ length: items.length });
  const queue = items.entries();
  const work = async () => {
    for (const [index, item] of queue) results[index] = await task(item);
  };
  await Promise.all(Array.from({ length: Math.min(concurrencyMax, items.length) }, work));
  return results;
}

async function answerRequest<Context>(
  { id, method, params }: Extract<Envelope, { kind: "request" }>,
  { dispatch, context, toRequestContext, onFailure }: DispatchOptions<Context>,
): Promise<EnvelopeReply> {
  try {
    const result = await dispatch(method, params, toRequestContext?.(context, id) ?? context);
    const head = `{"jsonrpc":"2.0","id":${id},"result":`;
    if (result instanceof JsonText && result.text.length >= largeTextLengthMin) return { head, result };
    return `${head}${serialise(result)}}`;
  } catch (err) {
    if (isJsonRpcError(err)) return errorReply(id, err);
    const failure = toGatewayError(err);
    if (failure.profile.jsonRpc === jsonRpcErrorCodes.internalError) onFailure(failure, method);
    return errorReply(id, failure);
  }
}

function serialise(result: unknown): string {
  if (result instanceof JsonText) return result.text;
  return JSON.stringify(result) ?? "null";
}

export function toText(reply: EnvelopeReply): string {
  return typeof reply === "string" ? reply : `${reply.head}${reply.result.text}}`;
}
