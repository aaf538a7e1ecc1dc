import type { GatewayError } from "./gateway-error.ts";

/** JSON body of every error on the HTTP surfaces. */
export interface RestErrorBody {
  readonly ok: false;
  readonly error: string;
  readonly detail?: string;
  readonly scope?: string;
  readonly retry_after?: number;
  readonly [field: string]: unknown;
}

/** JSON body of an error on REST surfaces, without the cause. */
export function toRestErrorBody(err: GatewayError): RestErrorBody {
  return {
    ok: false,
    error: err.message,
    ...err.details,
    ...(err.retryAfterSeconds === undefined ? {} : { retry_after: err.retryAfterSeconds }),
  };
}
