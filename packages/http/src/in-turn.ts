import type { IncomingMessage, RequestListener, ServerResponse } from "node:http";
import type { Socket } from "node:net";
import { liftRequestTimeout } from "./request-timeout.ts";

/**
 * Requests of one connection that wait behind the one under way; a client that sends more without waiting is cut off. Each costs some
 * 12 µs and 3 KB before its token is looked at, and all that came in one piece cost it in one turn, on each connection without a credential.
 */
export const pipelinedMax = 64;
/** Characters of the heads of those that wait, with the part of their bodies that may have been read ahead; likewise. */
export const waitingLengthMax = 1_048_576;
/** Bytes that Node reads of a body before anything takes them. */
const bodyReadAhead = 16_384;

/** Place of one request in the line of its connection. */
interface Turn {
  readonly req: IncomingMessage;
  readonly res: ServerResponse;
  readonly begin: () => void;
  readonly length: number;
  hasBegun: boolean;
  /** Answers in the listener's stead, where the request is refused before its turn. */
  refuse: (() => void) | undefined;
}

/** The line of a connection, kept on it: a table of weak keys would be looked through at every collection. */
const lineOf: unique symbol = Symbol("line");
/** The place of a request, likewise. */
const turnOf: unique symbol = Symbol("turn");

interface Lined extends Socket {
  [lineOf]?: Line;
  /** Node's parser of the connection, in none of its types. */
  readonly parser?: { onIncoming: () => number } | null;
}

interface Placed extends IncomingMessage {
  [turnOf]?: Turn;
}

/**
 * All that is written on a connection is written in the turn of what it answers: replies, and refusals of what never becomes a request.
 * One that were written earlier would be taken for the reply to a request before.
 */
interface Line {
  isBusy: boolean;
  waitingLength: number;
  readonly waiting: Turn[];
  /** The request whose turn it is, or was last. */
  current: Turn | undefined;
  /** The request that came last; of an earlier one, nothing more can come. */
  latest: Turn | undefined;
  /** Writes the last reply of the connection and ends it, after the replies to all complete requests. */
  farewell: (() => void) | undefined;
}

function lineOn(socket: Lined): Line {
  return (socket[lineOf] ??= {
    isBusy: false,
    waitingLength: 0,
    waiting: [],
    current: undefined,
    latest: undefined,
    farewell: undefined,
  });
}

/** Answer of a parser's `onIncoming` to a request behind which another protocol begins: it reads no further. */
const nothingMoreToParse = 2;

/**
 * Ends a connection, and the reading of what has come with the request already. Node's parser would make a request and a reply of each
 * of the thousands that fit into one piece, although the connection is gone: 30 ms for 64 KiB, 2 s for 64 connections.
 */
function cutOff(socket: Lined): void {
  socket.destroy();
  if (socket.parser) socket.parser.onIncoming = () => nothingMoreToParse;
}

/** A connection on which nothing more is written. */
function isEnding({ destroyed, writableEnded }: Socket): boolean {
  return destroyed || writableEnded;
}

/**
 * Hands the requests of one connection on one after the other, each in a turn of the event loop: replies go out in that order anyway,
 * and the thousands of requests that fit into one piece of a connection would all begin in one turn otherwise.
 */
export function inTurn(listener: RequestListener): RequestListener {
  return (req: Placed, res) => {
    const socket: Lined = req.socket;
    const line = lineOn(socket);
    // Requests of a connection that is being ended are not answered.
    if (isEnding(socket) || line.farewell !== undefined) return;
    const begin = () => {
      turn.hasBegun = true;
      line.isBusy = true;
      line.current = turn;
      // "close" is emitted once; `once` would allocate two more objects.
      res.on("close", () => {
        // A client that was answered early may owe the rest of its body; that is still waited for within its bound.
        if (req.complete || socket.destroyed) liftRequestTimeout(req);
        else req.once("close", () => liftRequestTimeout(req));
        beginNext(line, socket);
      });
      if (turn.refuse === undefined) listener(req, res);
      else turn.refuse();
    };
    const turn: Turn = { req, res, begin, length: lengthOf(req), hasBegun: false, refuse: undefined };
    req[turnOf] = turn;
    line.latest = turn;
    if (!line.isBusy) return begin();
    line.waitingLength += turn.length;
    if (line.waiting.length >= pipelinedMax || line.waitingLength > waitingLengthMax) return cutOff(socket);
    line.waiting.push(turn);
    return undefined;
  };
}

/**
 * Answers a request by `refuse`, which ends its connection, instead of by its listener: in its turn where that has not come. A reply that
 * is under way is cut off, since an answer in it would be taken for a part of it; behind one that is whole nothing is said.
 */
export function refuseInTurn(req: Placed, refuse: () => void): void {
  const { socket } = req;
  const turn = req[turnOf];
  if (turn !== undefined && !turn.hasBegun) turn.refuse ??= refuse;
  else if (!socket.writable || (turn !== undefined && isUnderWay(turn.res))) socket.destroy();
  else if (turn?.res.writableFinished === true) socket.destroySoon();
  else refuse();
}

/**
 * Ends a connection by `say` for what never becomes a request, behind the replies to all that came whole before it; a failure inside the
 * body of the last request is the answer to that request. Only the first counts. A reply that is being written when it comes is cut off:
 * it may be a stream without an end, of a client that nothing more can be read from. A client that has left waits for no reply at all.
 */
export function endInTurn(socket: Socket, say: () => void, { hasLeft }: { readonly hasLeft: boolean }): void {
  const line = lineOn(socket);
  if (!socket.writable) socket.destroy();
  else if (line.latest !== undefined && !line.latest.req.complete) refuseInTurn(line.latest.req, say);
  else if (line.farewell !== undefined) return;
  else if (line.isBusy && (hasLeft || isOpen(line.current))) socket.destroy();
  else {
    line.farewell = say;
    if (!line.isBusy) say();
  }
}

/** Whether every request that has come on a connection is answered. False before the first one, and where it speaks another protocol. */
export function isAnswered(socket: Lined): boolean {
  const line = socket[lineOf];
  return line !== undefined && !line.isBusy && line.farewell === undefined && Boolean(socket.parser);
}

/** Has the reply to the last request that came on a connection ask for another connection, where its head has not been written. */
export function announceEnd(socket: Lined): void {
  const latest = socket[lineOf]?.latest;
  if (latest !== undefined && !latest.res.headersSent) latest.res.shouldKeepAlive = false;
}

/** For a connection that Node has handed over: it no longer tells replies under way that the connection takes more. */
export function keepDraining(socket: Socket): void {
  socket.on("drain", () => lineOn(socket).current?.res.emit("drain"));
}

function isUnderWay({ headersSent, writableFinished }: ServerResponse): boolean {
  return headersSent && !writableFinished;
}

function isOpen(turn: Turn | undefined): boolean {
  return turn !== undefined && turn.res.headersSent && !turn.res.writableEnded;
}

function beginNext(line: Line, socket: Socket): void {
  line.isBusy = false;
  const next = line.waiting.shift();
  const begin = next?.begin ?? line.farewell;
  if (begin === undefined) return;
  line.waitingLength -= next?.length ?? 0;
  // One that comes meanwhile goes behind those that wait.
  line.isBusy = true;
  // On a connection that is being ended no further reply goes out, and none would ever close.
  setImmediate(() => (isEnding(socket) ? undefined : begin()));
}

function lengthOf({ url = "", rawHeaders, headers }: IncomingMessage): number {
  const head = rawHeaders.reduce((sum, text) => sum + text.length, url.length);
  if (headers["transfer-encoding"] !== undefined) return head + bodyReadAhead;
  return head + Math.min(bodyReadAhead, Number(headers["content-length"] ?? 0));
}
