import type { GatewayError } from "@gatehouse/errors";
import type { JsonObject } from "@gatehouse/json-rpc";
import type { McpCaller } from "@gatehouse/mcp";

/** One HTTP request, which may contain several calls. */
export interface BridgeContext extends McpCaller {
  readonly traceparent: string | undefined;
}

/** A tool call as a chat request: the endpoint by slug, the arguments as the body. */
export interface ChatCall extends Omit<BridgeContext, "signal" | "reply" | "traceId"> {
  readonly slug: string;
  readonly body: JsonObject;
}

/** Result of a call that chat has run. */
export type ChatOutcome =
  | { readonly kind: "answered"; readonly text: string }
  | { readonly kind: "refused"; readonly error: GatewayError };

/** Runs the chat pipeline. @throws GatewayError `unavailable` or `deadline_exceeded` where the result is unknown */
export type Complete = (call: ChatCall, signal: AbortSignal) => Promise<ChatOutcome>;

/** Whether chat, or a service that it needs, did not answer. */
export function isOutage({ code }: GatewayError): boolean {
  return code === "unavailable" || code === "deadline_exceeded";
}
