import type { ChatRequest } from "@gatehouse/dialects";
import type { OutputCheck } from "@gatehouse/guardrail-client";
import type { CompiledEndpoint } from "./endpoint.ts";

interface RepliedCall {
  readonly surface: string;
  readonly request: ChatRequest;
  readonly compiled: CompiledEndpoint;
}

/**
 * Whether the caller gets an event stream: always where one was asked for, except on the chat routes of an endpoint without
 * `streaming_enabled`.
 */
export function repliesInEvents({ surface, request, compiled }: RepliedCall): boolean {
  if (!request.stream) return false;
  return surface.startsWith("wrapper.") || compiled.endpoint.streamingEnabled;
}

interface GuardedCall extends RepliedCall {
  readonly outputCheck: OutputCheck;
}

/** Whether the caller of an event stream waits for an answer that is completed before any of it is sent. */
export function isAwaited(call: GuardedCall): boolean {
  const { mayStream, endpoint } = call.compiled;
  return repliesInEvents(call) && (!mayStream || endpoint.midStream === "hold" || call.outputCheck === "whole");
}

/** Whether a stream is known whole before any of it is sent. */
export function holdsWhole({ midStream, holdTokens }: CompiledEndpoint["endpoint"]): boolean {
  return midStream === "hold" && holdTokens === null;
}
