import { type GatewayError, toGatewayError } from "@gatehouse/errors";
import type { JsonPart } from "@gatehouse/json";
import type { Envelope, JsonRpcParams } from "./envelope.ts";
import { isJsonRpcError, JsonRpcError, jsonRpcErrorCodes, toErrorText } from "./json-rpc-error.ts";
import { JsonText } from "./json.ts";

export type { JsonRpcParams } from "./envelope.ts";

/**
 * Answers one request with its result, a JSON value or a {@link JsonText}. What it throws becomes the reply's error: a JsonRpcError as it is, a
 * GatewayError by the error table, anything else as an internal error that says nothing.
 */
export type JsonRpcDispatcher<Context> = (method: string, params: JsonRpcParams, context: Context) => Promise<unknown>;

/** Bounds of one HTTP request: nesting in levels, batches in members and bytes. */
export interface JsonRpcBounds {
  /** Members of one batch. */
  readonly batchSizeMax: number;
  /** Requests of one batch that run at a time. */
  readonly batchConcurrencyMax: number;
  /** Levels of arrays and objects in a body. */
  readonly nestingLevelsMax: number;
  /** Bytes of a batch's replies together; one reply by itself may be larger. */
  readonly batchReplyBytesMax: number;
}

/** Bounds where a server sets none. */
export const jsonRpcBounds: JsonRpcBounds = {
  batchSizeMax: 100,
  batchConcurrencyMax: 8,
  nestingLevelsMax: 100,
  batchReplyBytesMax: 16 * 1024 * 1024,
};

/** Sees every error that is not the caller's (-32603), with its cause; log it at its own level. */
export type FailureListener = (err: GatewayError, method: string) => void;

/** Sees each notification. It gets no reply, whatever happens. */
export type NotificationListener<Context> = (method: string, params: JsonRpcParams, context: Context) => void;

/** Sees every error that is answered before anything is dispatched: a body that is no JSON, a batch or envelope out of order. */
export type InvalidListener = (err: JsonRpcError) => void;

/** Parts of a request that are JSON text. */
export interface RequestText {
  readonly id: string;
  /** Parameters as they came; undefined where the request has none, or they are not kept. */
  readonly params: JsonPart | undefined;
}

/** Server of one request, and observers of its envelopes. */
export interface DispatchOptions<Context> {
  readonly dispatch: JsonRpcDispatcher<Context>;
  readonly context: Context;
  /** Makes the context of one request of the body out of the body's. */
  readonly toRequestContext?: (context: Context, request: RequestText) => Context;
  readonly onFailure: FailureListener;
  readonly onInvalid?: InvalidListener;
  /** Called for each notification; absent: notifications are dropped. Must not throw. */
  readonly onNotification?: NotificationListener<Context>;
}

/** A reply as JSON text, in pieces where its result is large. */
export type EnvelopeReply = string | readonly (string | Buffer)[];

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

/** An error envelope. @param id as JSON text, `null` where it could not be read */
export function errorReply(id: string, err: JsonRpcError | GatewayError): string {
  return `{"jsonrpc":"2.0","id":${id},"error":${toErrorText(err)}}`;
}

/** -32600, with the problem for the sender. */
export function invalidRequest(problem: string): JsonRpcError {
  return new JsonRpcError(jsonRpcErrorCodes.invalidRequest, `Invalid request: ${problem}.`);
}

async function answerRequest<Context>(
  { id, method, params, paramsPart }: Extract<Envelope, { kind: "request" }>,
  { dispatch, context, toRequestContext, onFailure }: DispatchOptions<Context>,
): Promise<EnvelopeReply> {
  try {
    const result = await dispatch(method, params, toRequestContext?.(context, { id, params: paramsPart }) ?? context);
    const head = `{"jsonrpc":"2.0","id":${id},"result":`;
    if (result instanceof JsonText && result.isLarge) return [head, ...result.pieces, "}"];
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
