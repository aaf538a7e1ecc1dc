import type { IncomingHttpHeaders, ServerResponse } from "node:http";
import { isMediaType } from "@gatehouse/http-fields";
import { eventStreamWriterOf } from "./event-stream.ts";

const lineFeed = 0x0a;
const eventStreamType = "text/event-stream";

interface PassedOn {
  /** Whether an event may not be added after the bytes so far. */
  isMidEvent: boolean;
  /** Writes the bytes that wait for the end of this turn of the event loop. */
  readonly flush: () => void;
}

/** Forwarded event streams. */
const passedOn = new WeakMap<ServerResponse, PassedOn>();

/**
 * Registers a forwarded reply where it is an event stream that an event can be added to.
 * @param flush writes the bytes that were recorded and still wait
 * @returns whether it is
 */
export function recordPassedHead(res: ServerResponse, headers: IncomingHttpHeaders, flush: () => void): boolean {
  // A list where an upstream sends the header twice.
  const type: string | readonly string[] | undefined = headers["content-type"];
  if (typeof type !== "string" || !isMediaType(type, eventStreamType)) return false;
  // An event cannot be added to an encoded reply, nor to one of announced length.
  const takesEvent = headers["content-encoding"] === undefined && headers["content-length"] === undefined;
  passedOn.set(res, { isMidEvent: !takesEvent, flush });
  return takesEvent;
}

/** Records whether forwarded bytes end inside an event: they are split as the network splits them. */
export function recordPassedBytes(res: ServerResponse, chunk: Uint8Array): void {
  const state = passedOn.get(res);
  if (state !== undefined) state.isMidEvent = chunk.at(-1) !== lineFeed || chunk.at(-2) !== lineFeed;
}

/**
 * Ends an event stream that cannot continue with one last event that tells the reader why.
 * @returns false where no event can be written: the reply is no event stream, has ended, or is inside an event.
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
  state?.flush();
  res.end(`data: ${data}\n\n`);
  return true;
}

/** True for replies of this process: stand-ins for the writer write whole events, too. */
function isOwnEventStream(res: ServerResponse): boolean {
  return isMediaType(String(res.getHeader("content-type") ?? ""), eventStreamType);
}
