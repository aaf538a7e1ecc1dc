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

interface JsonRpcErrorOptions {
  readonly data?: unknown;
  /** For logs in the place of the message, where that quotes words of another server, which may quote a prompt. */
  readonly loggedMessage?: string;
}

/** An error that is sent exactly as it is: one that an upstream answered with, or one of the envelope itself. */
export class JsonRpcError extends Error {
  readonly [brand] = true;
  readonly code: number;
  /** Sent as `error.data` where it is not undefined: a JSON value or a {@link JsonText}. */
  readonly data: unknown;
  /** Safe for logs; the message where none was given. */
  readonly loggedMessage: string;

  constructor(code: number, message: string, { data, loggedMessage = message }: JsonRpcErrorOptions = {}) {
    super(message);
    this.loggedMessage = loggedMessage;
    this.name = "JsonRpcError";
    this.code = code;
    this.data = data;
  }
}

/** Recognised by symbol, so that two copies of this package in one process agree. */
export function isJsonRpcError(err: unknown): err is JsonRpcError {
  return typeof err === "object" && err !== null && brand in err;
}

/** The `error` member of a reply, as JSON text. */
export function toErrorText(err: JsonRpcError | GatewayError): string {
  return isGatewayError(err) ? fromGatewayError(err) : encode(err.code, err.message, err.data);
}

/** The code comes from the error table; details and the advised delay travel as `data`. */
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
