import type { IncomingMessage, RequestListener } from "node:http";
import type { Socket } from "node:net";
import { liftRequestTimeout } from "./request-timeout.ts";

/** Requests of one connection that wait behind the one under way; a client that sends more without waiting is cut off. */
export const pipelinedMax = 1_000;
/** Characters of the heads of those that wait, with the part of their bodies that may have been read ahead; likewise. */
export const waitingLengthMax = 1_048_576;
/** Bytes that Node reads of a body before anything takes them. */
const bodyReadAhead = 16_384;

interface Waiting {
  readonly begin: () => void;
  readonly length: number;
}

/** The line of a connection, kept on it: a table of weak keys would be looked through at every collection. */
const lineOf: unique symbol = Symbol("line");

interface Lined extends Socket {
  [lineOf]?: Line;
}

interface Line {
  isBusy: boolean;
  waitingLength: number;
  readonly waiting: Waiting[];
}

/**
 * Hands the requests of one connection on one after the other, each in a turn of the event loop: replies go out in that order anyway,
 * and the thousands of requests that fit into one piece of a connection would all begin in one turn otherwise.
 */
export function inTurn(listener: RequestListener): RequestListener {
  return (req, res) => {
    const socket: Lined = req.socket;
    // Requests of a connection that is being ended are not answered.
    if (socket.destroyed || socket.writableEnded) return;
    const line = (socket[lineOf] ??= { isBusy: false, waitingLength: 0, waiting: [] });
    const begin = () => {
      line.isBusy = true;
      res.once("close", () => {
        // A client that was answered early may owe the rest of its body; that is still waited for within its bound.
        if (req.complete || socket.destroyed) liftRequestTimeout(req);
        else req.once("close", () => liftRequestTimeout(req));
        beginNext(line, socket);
      });
      listener(req, res);
    };
    if (!line.isBusy) return begin();
    const length = lengthOf(req);
    line.waitingLength += length;
    if (line.waiting.length >= pipelinedMax || line.waitingLength > waitingLengthMax) return void socket.destroy();
    line.waiting.push({ begin, length });
    return undefined;
  };
}

function beginNext(line: Line, socket: Socket): void {
  line.isBusy = false;
  const next = line.waiting.shift();
  if (next === undefined) return;
  line.waitingLength -= next.length;
  // One that comes meanwhile goes behind those that wait.
  line.isBusy = true;
  // On a connection that is being ended no further reply goes out, and none would ever close.
  setImmediate(() => (socket.destroyed || socket.writableEnded ? undefined : next.begin()));
}

function lengthOf({ url = "", rawHeaders, headers }: IncomingMessage): number {
  const head = rawHeaders.reduce((sum, text) => sum + text.length, url.length);
  if (headers["transfer-encoding"] !== undefined) return head + bodyReadAhead;
  return head + Math.min(bodyReadAhead, Number(headers["content-length"] ?? 0));
}
