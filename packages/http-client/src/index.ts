export { ClientClosed, ConnectionLost, MalformedReply, ReplyLate, TooManyOrigins } from "./client-error.ts";
export { HttpClient, type HttpClientOptions } from "./http-client.ts";
export { sharedReads } from "./socket-reads.ts";
