import { type GatewayError, isGatewayError } from "@gatehouse/errors";
import { JsonText } from "./json.ts";

/** JSON-RPC 2.0, section 5.1. */
export const jsonRpcErrorCodes = {
  parseError: -32700,
  invalidRequest: -32600,
  methodNotFound: -32601,
  invalidParams: -32602,
  internalError: -32603,
} as const;

const brand = Symbol.for("gatehouse.JsonRpcError");

/** An error that is sent unchanged: one from an upstream, or one of the envelope. */
export class JsonRpcError extends Error {
  readonly [brand] = true;
  readonly code: number;
  /** Sent as `error.data` where not undefined: a JSON value or a {@link JsonText}. */
  readonly data: unknown;
  /** Safe for logs; the message by default. */
  readonly loggedMessage: string;

  /** @param options `loggedMessage` replaces the message in logs, where it quotes another server, which may quote a prompt */
  constructor(code: number, message: string, options: Partial<Pick<JsonRpcError, "data" | "loggedMessage">> = {}) {
    super(message);
    this.loggedMessage = options.loggedMessage ?? message;
    this.name = "JsonRpcError";
    this.code = code;
    this.data = options.data;
  }
}

/** Recognised by symbol, so that two copies of this package in one process agree. */
export function isJsonRpcError(err: unknown): err is JsonRpcError {
  return typeof err === "object" && err !== null && brand in err;
}

/** JSON text of a reply's `error` member: code, message and optional `data`. A GatewayError's cause is never in it. */
export function toErrorText(err: JsonRpcError | GatewayError): string {
  return isGatewayError(err) ? fromGatewayError(err) : encode(err.code, err.message, err.data);
}

/** Uses the error table's code; details and the retry delay are in `data`. */
function fromGatewayError(err: GatewayError): string {
  const data = {
    ...err.details,
    ...(err.retryAfterSeconds === undefined ? {} : { retry_after: err.retryAfterSeconds }),
  };
  return encode(err.profile.jsonRpc, err.message, Object.keys(data).length === 0 ? undefined : data);
}

function encode(code: number, message: string, data: unknown): string {
  const known = `{"code":${JSON.stringify(code)},"message":${JSON.stringify(message)}`;
  if (data === undefined) return `${known}}`;
  return `${known},"data":${data instanceof JsonText ? data.text : (JSON.stringify(data) ?? "null")}}`;
}
