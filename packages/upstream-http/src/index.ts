export { ByteSink } from "./byte-sink.ts";
export {
  CircuitBreaker,
  type CircuitBreakerOptions,
  type CircuitState,
  circuitStates,
  type CallOutcome,
  type CircuitCall,
} from "./circuit-breaker.ts";
export { collectReply, ReplyTooLarge, type WholeReply } from "./collect-reply.ts";
export { EventStreamParser, EventTooLarge, type ServerEvent } from "./event-stream-parser.ts";
export { type ExchangeListener, HttpExchange, type HttpRequest, type RequestDispatcher } from "./http-exchange.ts";
export { cookieSeparator, type ReplyHeaders } from "./reply-headers.ts";
