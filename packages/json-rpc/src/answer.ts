import { isGatewayError } from "@gatehouse/errors";
import { parseJsonBody } from "@gatehouse/http";
import { jsonBounds, JsonRefusal } from "@gatehouse/json";
import {
  answerEnvelope,
  type DispatchOptions,
  type EnvelopeReply,
  errorReply,
  invalidRequest,
  type JsonRpcBounds,
  jsonRpcBounds,
  mapBounded,
  toText,
} from "./dispatch.ts";
import { collectExactIds, type Envelope, type ExactIds, hasInexactId, parseEnvelope } from "./envelope.ts";
import { mayBeInexact, parseExactJson } from "./exact-json.ts";
import { JsonRpcError, jsonRpcErrorCodes } from "./json-rpc-error.ts";

export interface JsonRpcReply {
  /** 200, 204 where there is nothing to say (notifications only), or 400 where the body is not JSON. */
  readonly status: 200 | 204 | 400;
  /** JSON text; absent with 204. */
  readonly body?: string;
  /** The same in pieces, where the result is a large {@link JsonText}: it need not be encoded again. */
  readonly parts?: readonly (string | Buffer)[];
}

export interface JsonRpcOptions<Context> extends DispatchOptions<Context> {
  readonly bounds?: JsonRpcBounds;
  /** Whether numbers that JavaScript would round are kept as {@link parseExactJson} does, for a server that passes them on. */
  readonly exactNumbers?: boolean;
}

interface ParsedBody {
  readonly body: unknown;
  readonly exactIds: ExactIds;
}

/**
 * Answers one HTTP body that carries JSON-RPC 2.0: a single envelope or a batch. Never rejects; errors are in the reply.
 * Rules: the interface specification, "MCP, JSON-RPC 2.0", and JSON-RPC 2.0, sections 4 to 6.
 */
export async function answerJsonRpc<Context>(bytes: Buffer, options: JsonRpcOptions<Context>): Promise<JsonRpcReply> {
  const bounds = options.bounds ?? jsonRpcBounds;
  const parsed = parseBody(bytes, bounds);
  if (parsed instanceof JsonRpcError) {
    return refuseBody(parsed.code === jsonRpcErrorCodes.parseError ? 400 : 200, parsed, options);
  }
  const problem = findProblem(parsed.body, bounds);
  if (problem !== undefined) return refuseBody(200, invalidRequest(problem), options);

  const { body, exactIds } = exact(parsed, bytes, options.exactNumbers === true);
  if (!Array.isArray(body)) return toReply(await answerEnvelope(parseEnvelope(body, exactIds), options));
  const envelopes = body.map((member: unknown): Envelope => parseEnvelope(member, exactIds));
  const replies = await mapBounded(envelopes, bounds.batchConcurrencyMax, async (envelope) => {
    return await answerEnvelope(envelope, options);
  });
  const texts = replies.filter((reply) => reply !== undefined).map(toText);
  return toReply(texts.length === 0 ? undefined : `[${texts.join(",")}]`);
}

function refuseBody<Context>(
  status: 200 | 400,
  err: JsonRpcError,
  { onInvalid }: JsonRpcOptions<Context>,
): JsonRpcReply {
  onInvalid?.(err);
  return { status, body: errorReply("null", err) };
}

/** Of equal keys the last counts, as the interface has it for ids. */
function parseBody(bytes: Buffer, { nestingLevelsMax }: JsonRpcBounds): ParsedBody | JsonRpcError {
  try {
    const bounds = { ...jsonBounds, depthMax: nestingLevelsMax };
    return { body: parseJsonBody(bytes, { bounds, keys: "any" }), exactIds: () => undefined };
  } catch (err) {
    if (!isGatewayError(err)) throw err;
    if (err.cause instanceof JsonRefusal && err.cause.kind !== "malformed") {
      return invalidRequest(`a body ${err.cause.message.replace(/\.$/, "")}`);
    }
    return new JsonRpcError(jsonRpcErrorCodes.parseError, `Parse error: ${err.message}`);
  }
}

function findProblem(body: unknown, { batchSizeMax }: JsonRpcBounds): string | undefined {
  if (Array.isArray(body) && body.length === 0) return "a batch must not be empty";
  if (Array.isArray(body) && body.length > batchSizeMax)
    return `a batch must not have more than ${batchSizeMax} members`;
  return undefined;
}

/** Reads the body a second time only where a number that matters was rounded: an id, or any where all are to be exact. */
function exact(parsed: ParsedBody, bytes: Buffer, allNumbers: boolean): ParsedBody {
  const text = () => bytes.toString("utf8").replace(/^\uFEFF/, "");
  if (allNumbers) return mayBeInexact(bytes.toString("latin1")) ? { ...parsed, body: parseExactJson(text()) } : parsed;
  return hasInexactId(parsed.body) ? collectExactIds(text()) : parsed;
}

function toReply(reply: EnvelopeReply | undefined): JsonRpcReply {
  if (reply === undefined) return { status: 204 };
  if (typeof reply === "string") return { status: 200, body: reply };
  return {
    status: 200,
    parts: [reply.head, reply.result.bytes, "}"],
    get body() {
      return toText(reply);
    },
  };
}
