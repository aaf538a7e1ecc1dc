import { type GatewayError, toGatewayError } from "@gatehouse/errors";
import type { JsonPart } from "@gatehouse/json";
import type { Envelope, JsonRpcParams } from "./envelope.ts";
import { isJsonRpcError, JsonRpcError, jsonRpcErrorCodes, toErrorText } from "./json-rpc-error.ts";
import { JsonText } from "./json.ts";

export type { JsonRpcParams } from "./envelope.ts";

/**
 * Answers one request with its result, a JSON value or a {@link JsonText}. Exceptions become the reply's error: a JsonRpcError
 * unchanged, a GatewayError by the error table, anything else as an internal error without details.
 */
export type JsonRpcDispatcher<Context> = (method: string, params: JsonRpcParams, context: Context) => Promise<unknown>;

/** Bounds of one HTTP body with JSON-RPC: requests of a batch, those answered at once, and the replies' size. */
export interface JsonRpcBounds {
  readonly batchSizeMax: number;
  readonly batchConcurrencyMax: number;
  /** Nesting of arrays and objects in a body. */
  readonly nestingLevelsMax: number;
  /** Bytes of a batch's replies together; a single reply may be larger. */
  readonly batchReplyBytesMax: number;
}

/** Default {@link JsonRpcBounds}. */
export const jsonRpcBounds: JsonRpcBounds = {
  batchSizeMax: 100,
  batchConcurrencyMax: 8,
  nestingLevelsMax: 100,
  batchReplyBytesMax: 16 * 1024 * 1024,
};

/** Called for every internal error (-32603), with its cause; log it at its level. */
export type FailureListener = (err: GatewayError, method: string) => void;

/** Called for each notification, which gets no reply. */
export type NotificationListener<Context> = (method: string, params: JsonRpcParams, context: Context) => void;

/** Called for every error before dispatch: a body that is not JSON, an invalid batch or envelope. */
export type InvalidListener = (err: JsonRpcError) => void;

/** Parts of a request as JSON text. */
export interface RequestText {
  readonly id: string;
  /** Params as received; undefined where absent, or not kept. */
  readonly params: JsonPart | undefined;
}

/** Methods and context of the requests in one body, and listeners for failures, invalid envelopes and notifications. */
export interface DispatchOptions<Context> {
  readonly dispatch: JsonRpcDispatcher<Context>;
  readonly context: Context;
  /** Creates the context of one request from the body's. */
  readonly toRequestContext?: (context: Context, request: RequestText) => Context;
  readonly onFailure: FailureListener;
  readonly onInvalid?: InvalidListener;
  /** Called for each notification; absent: notifications are dropped. Must not throw. */
  readonly onNotification?: NotificationListener<Context>;
}

/** A reply as JSON text, in pieces where its result is large. */
export type EnvelopeReply = string | readonly (string | Buffer)[];

/**
 * Reply to one envelope as JSON text, or undefined where it gets none. A notification is never run as a method: all methods here
 * return an answer, or make a change whose outcome the caller must learn.
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

/** Error -32600, with the problem for the sender. */
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
