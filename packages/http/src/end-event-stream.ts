import type { IncomingHttpHeaders, ServerResponse } from "node:http";
import { eventStreamWriterOf } from "./event-stream.ts";

const lineFeed = 0x0a;

/** Event streams that are passed on as they come, with whether no event can be added after their last bytes so far. */
const passedOn = new WeakMap<ServerResponse, { isMidEvent: boolean }>();

/** Notes a reply that is passed on, where it is a stream of events that one of ours can be added to. @returns whether it is */
export function recordPassedHead(res: ServerResponse, headers: IncomingHttpHeaders): boolean {
  // A list where an upstream sends the header twice.
  const type: string | readonly string[] | undefined = headers["content-type"];
  if (typeof type !== "string" || !type.startsWith("text/event-stream")) return false;
  // One more event would be no part of an encoded reply, and not within the length that a reply has announced.
  const takesEvent = headers["content-encoding"] === undefined && headers["content-length"] === undefined;
  passedOn.set(res, { isMidEvent: !takesEvent });
  return takesEvent;
}

/** Notes how the bytes end that were passed on: they are cut as the network cuts them. */
export function recordPassedBytes(res: ServerResponse, chunk: Uint8Array): void {
  const state = passedOn.get(res);
  if (state !== undefined) state.isMidEvent = chunk.at(-1) !== lineFeed || chunk.at(-2) !== lineFeed;
}

/**
 * Ends an event stream that cannot go on with one last event, so that its reader learns why.
 * @returns false where no event can be written: the reply is no event stream, is over, or stands in the middle of an event.
 */
export function endEventStream(res: ServerResponse, data: string): boolean {
  if (res.destroyed || res.writableEnded || !res.headersSent) return false;
  const writer = eventStreamWriterOf(res);
  if (writer !== undefined) {
    if (writer.isEnded) return false;
    writer.send(data);
    writer.end();
    return true;
  }
  const state = passedOn.get(res);
  if (state === undefined ? !isOwnEventStream(res) : state.isMidEvent) return false;
  res.end(`data: ${data}\n\n`);
  return true;
}

/** A stand-in for the writer writes whole events, too. */
function isOwnEventStream(res: ServerResponse): boolean {
  return String(res.getHeader("content-type") ?? "").startsWith("text/event-stream");
}
