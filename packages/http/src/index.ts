export { type BodyBounds, parseJsonBody, readBody } from "./body.ts";
export { EventStreamWriter } from "./event-stream.ts";
export { endToEndHeaders, forward, type ForwardOptions } from "./forward.ts";
export { type Reply, sendError, sendJson, sendJsonText, type TextReply } from "./reply.ts";
export {
  defaultHttpServerBounds,
  type HttpServer,
  type HttpServerBounds,
  type HttpServerOptions,
  startHttpServer,
} from "./server.ts";
