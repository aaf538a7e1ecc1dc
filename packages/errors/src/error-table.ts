/** Closed list of codes. The package only compiles if each has a row in {@link errorTable}. */
export type ErrorCode =
  | "missing_token"
  | "invalid_token_format"
  | "invalid_token"
  | "wrong_project"
  | "missing_scope"
  | "network_not_allowed"
  | "not_allowed"
  | "origin_not_allowed"
  | "wrong_project_type"
  | "method_not_allowed"
  | "route_not_found"
  | "malformed_body"
  | "body_too_large"
  | "request_timeout"
  | "endpoint_not_found"
  | "rate_limited"
  | "too_many_requests"
  | "budget_exhausted"
  | "budget_reserved"
  | "token_cap_exceeded"
  | "guardrail_blocked"
  | "input_schema_failed"
  | "provider_failed"
  | "provider_disabled"
  | "output_schema_failed"
  | "ssrf_blocked"
  | "oauth_failed"
  | "upstream_unreachable"
  | "unknown_method"
  | "invalid_argument"
  | "not_found"
  | "already_exists"
  | "unavailable"
  | "deadline_exceeded"
  | "cancelled"
  | "internal";

/** gRPC status names (https://grpc.github.io/grpc/core/md_doc_statuscodes.html). */
export type GrpcStatusName =
  | "CANCELLED"
  | "INVALID_ARGUMENT"
  | "DEADLINE_EXCEEDED"
  | "NOT_FOUND"
  | "ALREADY_EXISTS"
  | "PERMISSION_DENIED"
  | "UNAUTHENTICATED"
  | "RESOURCE_EXHAUSTED"
  | "FAILED_PRECONDITION"
  | "UNIMPLEMENTED"
  | "UNAVAILABLE"
  | "INTERNAL";

/** Form of a code on every surface, and the level of its log line. */
export interface ErrorProfile {
  readonly http: number;
  readonly grpc: GrpcStatusName;
  readonly jsonRpc: number;
  /** `type` of an OpenAI-style error object, for events inside a stream. */
  readonly type:
    | "authentication_error"
    | "permission_error"
    | "invalid_request_error"
    | "rate_limit_error"
    | "api_error";
  /** Whether the same request may succeed later. */
  readonly retryable: boolean;
  readonly logLevel: "debug" | "info" | "warn" | "error";
}

const invalidParams = -32602;
const internalError = -32603;

function refusal(
  http: number,
  grpc: GrpcStatusName,
  type: ErrorProfile["type"] = "invalid_request_error",
): ErrorProfile {
  return { http, grpc, jsonRpc: invalidParams, type, retryable: false, logLevel: "info" };
}

function failure(http: number, grpc: GrpcStatusName, logLevel: ErrorProfile["logLevel"] = "warn"): ErrorProfile {
  return { http, grpc, jsonRpc: internalError, type: "api_error", retryable: true, logLevel };
}

/** Form of each code on every protocol of the product. */
export const errorTable: Readonly<Record<ErrorCode, ErrorProfile>> = {
  missing_token: refusal(401, "UNAUTHENTICATED", "authentication_error"),
  invalid_token_format: refusal(401, "UNAUTHENTICATED", "authentication_error"),
  invalid_token: refusal(401, "UNAUTHENTICATED", "authentication_error"),
  wrong_project: refusal(403, "PERMISSION_DENIED", "permission_error"),
  missing_scope: refusal(403, "PERMISSION_DENIED", "permission_error"),
  network_not_allowed: refusal(403, "PERMISSION_DENIED", "permission_error"),
  not_allowed: refusal(403, "PERMISSION_DENIED", "permission_error"),
  origin_not_allowed: refusal(403, "PERMISSION_DENIED", "permission_error"),
  wrong_project_type: refusal(400, "FAILED_PRECONDITION"),
  method_not_allowed: refusal(405, "FAILED_PRECONDITION"),
  route_not_found: refusal(404, "NOT_FOUND"),
  malformed_body: refusal(400, "INVALID_ARGUMENT"),
  body_too_large: refusal(413, "INVALID_ARGUMENT"),
  request_timeout: refusal(408, "DEADLINE_EXCEEDED"),
  endpoint_not_found: refusal(404, "NOT_FOUND"),
  rate_limited: { ...refusal(429, "RESOURCE_EXHAUSTED", "rate_limit_error"), retryable: true },
  /** More concurrent requests or attempts than one caller or address may have; `rate_limited` concerns windows of a minute or an hour. */
  too_many_requests: { ...refusal(429, "RESOURCE_EXHAUSTED", "rate_limit_error"), retryable: true },
  budget_exhausted: refusal(422, "FAILED_PRECONDITION"),
  budget_reserved: { ...refusal(429, "RESOURCE_EXHAUSTED", "rate_limit_error"), retryable: true },
  token_cap_exceeded: refusal(422, "FAILED_PRECONDITION"),
  guardrail_blocked: refusal(422, "FAILED_PRECONDITION"),
  input_schema_failed: refusal(422, "FAILED_PRECONDITION"),
  provider_failed: failure(502, "UNAVAILABLE"),
  provider_disabled: { ...failure(503, "FAILED_PRECONDITION", "info"), retryable: false },
  output_schema_failed: failure(502, "FAILED_PRECONDITION", "info"),
  ssrf_blocked: refusal(422, "FAILED_PRECONDITION"),
  oauth_failed: failure(502, "UNAVAILABLE"),
  upstream_unreachable: failure(502, "UNAVAILABLE"),
  unknown_method: { ...refusal(404, "UNIMPLEMENTED"), jsonRpc: -32601 },
  invalid_argument: refusal(400, "INVALID_ARGUMENT"),
  not_found: refusal(404, "NOT_FOUND"),
  already_exists: refusal(409, "ALREADY_EXISTS"),
  unavailable: failure(503, "UNAVAILABLE"),
  deadline_exceeded: failure(504, "DEADLINE_EXCEEDED"),
  cancelled: { ...failure(499, "CANCELLED", "debug"), retryable: false },
  internal: failure(500, "INTERNAL", "error"),
};

/** Whether an external text, such as a gRPC trailer, is a code of the closed list. */
export function isErrorCode(value: string): value is ErrorCode {
  return Object.hasOwn(errorTable, value);
}
