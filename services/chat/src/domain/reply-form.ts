import { type Call, required } from "./call.ts";

type Asked = Pick<Call, "surface" | "request" | "compiled">;

/**
 * Whether the caller gets an event stream: whenever one was asked for, save on the chat routes of an endpoint without
 * `streaming_enabled` (interface specification, "Streaming").
 */
export function repliesInEvents({ surface, request, compiled }: Asked): boolean {
  if (!required(request, "the request").stream) return false;
  return surface.startsWith("wrapper.") || required(compiled, "the endpoint").endpoint.streamingEnabled;
}

/** Whether the answer of such a call is known whole before any of it is sent. */
export function isHeld(call: Asked): boolean {
  const { mayStream, endpoint } = required(call.compiled, "the endpoint");
  return !mayStream || endpoint.midStream === "hold";
}
