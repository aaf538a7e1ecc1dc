import { refusalsAsContent, refusalsAsContentOfStream } from "@gatehouse/content";
import type { CompleteReply, StreamReply } from "@gatehouse/failover";
import type { Answered } from "../call.ts";

/** The reply with its texts in the places in which the surface shows them, for steps that read or replace each text by itself. */
export function shownReply(
  reply: CompleteReply | StreamReply,
  surface: Answered["surface"],
): CompleteReply | StreamReply {
  // Only chat completions have a member for refusals.
  if (surface === "wrapper.chat") return reply;
  return reply.kind === "stream"
    ? { ...reply, stream: refusalsAsContentOfStream(reply.stream) }
    : { ...reply, completion: refusalsAsContent(reply.completion) };
}
