export { endOfAbort, toAbortReason } from "./abort-reason.ts";
export { type ErrorCode, type ErrorProfile, errorTable, type GrpcStatusName } from "./error-table.ts";
export { decodeErrorWire, encodeErrorWire } from "./error-wire.ts";
export {
  bodyTooLarge,
  callCancelled,
  clientGone,
  type ErrorDetails,
  GatewayError,
  type GatewayErrorOptions,
  internalError,
  invalidArgument,
  isGatewayError,
  nothingAtPath,
  replyBrokenOff,
  serviceUnavailable,
  toGatewayError,
} from "./gateway-error.ts";
export { type RestErrorBody, toRestErrorBody } from "./rest-error-body.ts";
export { codeOf, hasCode } from "./system-error-code.ts";
