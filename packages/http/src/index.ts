export { AwaitedEventStream } from "./awaited-event-stream.ts";
export { type BodyBounds, type JsonBody, parseJsonBody, readBody } from "./body.ts";
export { carriedCallLost } from "./carrier/carried-exchange.ts";
export { isCarried } from "./carrier/carried-request.ts";
export { CarryingDispatcher } from "./carrier/carrying-dispatcher.ts";
export { callNameHeader } from "./carrier/named-calls.ts";
export { decodeBody, decodedBytesMax, inflationRatioMax, isEncoded, readDecodedBody } from "./decoded-body.ts";
export { endEventStream } from "./end-event-stream.ts";
export { EventStreamWriter } from "./event-stream.ts";
export { endToEndHeaders, type EndToEndHeaders } from "./end-to-end-headers.ts";
export { forward, type ForwardOptions, type ForwardOutcome, hasBody } from "./forward.ts";
export { forwardUpgrade, type ForwardUpgradeOptions } from "./forward-upgrade.ts";
export { isReplyOver, recordedReplyEnd, recordReplyEnd, replyEndOf } from "./reply-end.ts";
export {
  type PartsReply,
  type Reply,
  sendError,
  sendJson,
  sendJsonParts,
  sendJsonText,
  type TextReply,
} from "./reply.ts";
export { type HeldPort, holdPort } from "./held-port/hold-port.ts";
export { liftRequestTimeout } from "./request-timeout.ts";
export { upgradeHeadOf } from "./upgrade.ts";
export {
  defaultHttpServerBounds,
  type HttpServer,
  type HttpServerBounds,
  type HttpServerOptions,
  type ListeningSocket,
  type SharedPort,
  startHttpServer,
} from "./server.ts";
export type { Siblings } from "./siblings.ts";
export { singleHeader } from "./single-header.ts";
export { unsentLength, writeInPieces } from "./write-in-pieces.ts";
