export type {
  FailureListener,
  InvalidListener,
  JsonRpcBounds,
  JsonRpcDispatcher,
  JsonRpcParams,
  NotificationListener,
  RequestText,
} from "./dispatch.ts";
export { answerJsonRpc, type JsonRpcOptions, type JsonRpcReply } from "./answer.ts";
export { parseExactJson } from "./exact-json.ts";
export { excerpt, isJsonObject, type JsonObject, JsonText } from "./json.ts";
export { isJsonRpcError, JsonRpcError, jsonRpcErrorCodes } from "./json-rpc-error.ts";
