export { ClientClosed, ConnectionLost, MalformedReply, ReplyLate } from "./client-error.ts";
export { HttpClient } from "./http-client.ts";
export type { OriginOptions as HttpClientOptions } from "./origin-connections.ts";
