import { isGatewayError } from "@gatehouse/errors";
import { parseJsonBody } from "@gatehouse/http";
import { jsonBounds, JsonRefusal, OutlineReader, type OutlineSpec } from "@gatehouse/json";
import { isLarge, Pace } from "@gatehouse/pace";
import { answerBatch } from "./batch.ts";
import {
  answerEnvelope,
  type DispatchOptions,
  type EnvelopeReply,
  errorReply,
  invalidRequest,
  type JsonRpcBounds,
  jsonRpcBounds,
} from "./dispatch.ts";
import { hasInexactId, type Outline, parseEnvelope } from "./envelope.ts";
import { JsonRpcError, jsonRpcErrorCodes } from "./json-rpc-error.ts";

/** Reply to one HTTP request with JSON-RPC: a status and a body. */
export interface JsonRpcReply {
  /** 200; 204 without a reply (notifications only); 400 for a body that is not JSON. */
  readonly status: 200 | 204 | 400;
  /** JSON text, in pieces where a result is a large {@link JsonText}; absent with 204. */
  readonly body?: EnvelopeReply;
}

/** Options of {@link answerJsonRpc}: the methods, the bounds, and the strictness of parsing. */
export interface JsonRpcOptions<Context> extends DispatchOptions<Context> {
  readonly bounds?: JsonRpcBounds;
  /** Whether `toRequestContext` gets the text of params, for a server that forwards them unchanged. */
  readonly keepsParams?: boolean;
  /**
   * Whether a body with equal keys in one object is refused (-32602), for a server that forwards parsed bodies or makes changes:
   * two parsers could read different calls. Otherwise the last counts.
   */
  readonly distinctKeys?: boolean;
  /** Methods with the same answer for every request of a batch; answered once. */
  readonly sharedMethods?: ReadonlySet<string>;
}

/** Members that may have to be forwarded unchanged: those of an envelope, its params and their `_meta`. */
const envelopeSpec: OutlineSpec = { members: { params: { members: { _meta: { members: {} } } } } };
const bodySpec: OutlineSpec = { ...envelopeSpec, items: envelopeSpec };

/**
 * Answers one HTTP body with JSON-RPC 2.0, a single envelope or a batch. Never rejects; errors are in the reply. Rules: JSON-RPC
 * 2.0, sections 4 to 6.
 */
export async function answerJsonRpc<Context>(bytes: Buffer, options: JsonRpcOptions<Context>): Promise<JsonRpcReply> {
  const bounds = options.bounds ?? jsonRpcBounds;
  const parsing = parseBody(bytes, bounds, options.distinctKeys === true);
  const parsed = parsing instanceof Promise ? await parsing : parsing;
  if (parsed instanceof JsonRpcError) {
    if (parsed.code === jsonRpcErrorCodes.invalidParams) return await refuseKeys(bytes, parsed, options);
    return refuseBody(parsed.code === jsonRpcErrorCodes.parseError ? 400 : 200, parsed, options);
  }
  const problem = findProblem(parsed.value, bounds);
  if (problem !== undefined) return refuseBody(200, invalidRequest(problem), options);

  const { value: body } = parsed;
  const outlining = options.keepsParams === true || hasInexactId(body) ? outlineBody(bytes, bounds) : undefined;
  const outline = outlining instanceof Promise ? await outlining : outlining;
  if (!Array.isArray(body)) return toReply(await answerEnvelope(parseEnvelope(body, outline), options));
  const envelopes = body.map((member: unknown, index) => parseEnvelope(member, outline?.items?.[index]));
  return toReply(await answerBatch(envelopes, bounds, options));
}

function refuseBody<Context>(
  status: 200 | 400,
  err: JsonRpcError,
  { onInvalid }: JsonRpcOptions<Context>,
): JsonRpcReply {
  onInvalid?.(err);
  return { status, body: errorReply("null", err) };
}

type ParsedBody = { readonly value: unknown } | JsonRpcError;

/** Refuses a body with equal keys, with the id of its one request, or none for a batch. */
async function refuseKeys<Context>(
  bytes: Buffer,
  err: JsonRpcError,
  { bounds = jsonRpcBounds, onInvalid }: JsonRpcOptions<Context>,
): Promise<JsonRpcReply> {
  onInvalid?.(err);
  const again = await parseBody(bytes, bounds, false);
  const envelope = again instanceof JsonRpcError ? undefined : parseEnvelope(again.value, undefined);
  return { status: 200, body: errorReply(envelope?.kind === "request" ? envelope.id : "null", err) };
}

/** Parses a body; where equal keys are not refused, the last counts. */
function parseBody(
  bytes: Buffer,
  { nestingLevelsMax }: JsonRpcBounds,
  distinctKeys: boolean,
): ParsedBody | Promise<ParsedBody> {
  try {
    const bounds = { ...jsonBounds, depthMax: nestingLevelsMax };
    const parsed = parseJsonBody(bytes, { bounds, keys: distinctKeys ? "distinct" : "any" });
    return parsed instanceof Promise ? parsed.catch(toRefusal) : parsed;
  } catch (err) {
    return toRefusal(err);
  }
}

function toRefusal(err: unknown): JsonRpcError {
  if (!isGatewayError(err)) throw err;
  if (err.cause instanceof JsonRefusal && err.cause.kind === "ambiguous_key") {
    return new JsonRpcError(jsonRpcErrorCodes.invalidParams, err.message);
  }
  if (err.cause instanceof JsonRefusal && err.cause.kind !== "malformed") {
    return invalidRequest(`a body ${err.cause.clause}`);
  }
  return new JsonRpcError(jsonRpcErrorCodes.parseError, `Parse error: ${err.message}`);
}

function findProblem(body: unknown, { batchSizeMax }: JsonRpcBounds): string | undefined {
  if (Array.isArray(body) && body.length === 0) return "a batch must not be empty";
  if (Array.isArray(body) && body.length > batchSizeMax)
    return `a batch must not have more than ${batchSizeMax} members`;
  return undefined;
}

/** Bytes of a body outlined in one step: well under a millisecond. */
const outlineStepBytes = 16 * 1_024;

/** Reads a parsed body a second time, for numbers that JavaScript would round. */
function outlineBody(bytes: Buffer, { nestingLevelsMax }: JsonRpcBounds): Outline | Promise<Outline> {
  const text = bytes.indexOf(byteOrderMark) === 0 ? bytes.subarray(byteOrderMark.length) : bytes;
  const bounds = { ...jsonBounds, depthMax: nestingLevelsMax, keyLengthMax: text.length };
  const reader = new OutlineReader(text, bodySpec, bounds);
  return isLarge(text.length) ? outlineInSlices(reader) : reader.read(text.length);
}

async function outlineInSlices(reader: OutlineReader): Promise<Outline> {
  const pace = new Pace();
  for (;;) {
    const outline = reader.read(outlineStepBytes);
    if (outline !== undefined) return outline;
    await pace.rest();
  }
}

const byteOrderMark = Buffer.from("\uFEFF");

function toReply(reply: EnvelopeReply | undefined): JsonRpcReply {
  return reply === undefined ? { status: 204 } : { status: 200, body: reply };
}
