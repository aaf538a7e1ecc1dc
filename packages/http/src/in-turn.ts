import type { IncomingMessage, RequestListener, ServerResponse } from "node:http";
import type { Socket } from "node:net";
import { inCheckPhase } from "@gatehouse/async";
import type { GatewayError } from "@gatehouse/errors";
import { isPlainAtRest } from "./plain/plain-connection.ts";
import { recordReplyEnd } from "./reply-end.ts";
import { liftRequestTimeout } from "./request-timeout.ts";

/**
 * Requests of one connection that may wait behind the current one; a client that pipelines more is cut off. Each costs some 12 µs
 * and 3 KB before its token is checked, and those of one read cost it in one turn, on each connection without a credential.
 */
export const pipelinedMax = 64;
/** Characters of the waiting requests' heads, and of body parts read ahead; beyond it the client is cut off too. */
export const waitingLengthMax = 1_048_576;
/** Bytes of a body that Node reads before a consumer takes them. */
const bodyReadAhead = 16_384;

/** Place of one request in its connection's queue. */
interface Turn {
  readonly req: IncomingMessage;
  readonly res: ServerResponse;
  readonly begin: () => void;
  readonly length: number;
  hasBegun: boolean;
  /** Replaces the listener, where the request is refused before its turn. */
  refuse: (() => void) | undefined;
}

/** The connection's queue, stored on it: garbage collection would scan a WeakMap each time. */
const lineOf: unique symbol = Symbol("line");
/** The request's place, stored on it for the same reason. */
const turnOf: unique symbol = Symbol("turn");

interface Lined extends Socket {
  [lineOf]?: Line;
  /** Node's parser of the connection, absent from its types. */
  readonly parser?: { onIncoming: () => number } | null;
}

interface Placed extends IncomingMessage {
  [turnOf]?: Turn;
}

/**
 * Queue of everything written on a connection: replies, and refusals of what never becomes a request. A refusal written early
 * would be taken for the reply to an earlier request.
 */
interface Line {
  isBusy: boolean;
  waitingLength: number;
  readonly waiting: Turn[];
  /** The request whose turn it is, or was last. */
  current: Turn | undefined;
  /** The request that came last; earlier ones receive no more bytes. */
  latest: Turn | undefined;
  /** Writes the connection's last reply and ends it, after the replies to all complete requests. */
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

/** Return value of a parser's `onIncoming` that stops parsing, used by Node when another protocol begins. */
const nothingMoreToParse = 2;

/**
 * Ends a connection and stops parsing what it has received. Node's parser would otherwise make a request and a reply of each of
 * the thousands in one read, although the connection is gone: 30 ms for 64 KiB, 2 s for 64 connections.
 */
function cutOff(socket: Lined): void {
  socket.destroy();
  if (socket.parser) socket.parser.onIncoming = () => nothingMoreToParse;
}

function isEnding({ destroyed, writableEnded }: Socket): boolean {
  return destroyed || writableEnded;
}

/**
 * Starts the requests of one connection one after another, each in a separate turn of the event loop. Replies go out in that
 * order anyway, and thousands of requests in one read would otherwise all begin in one turn.
 */
export function inTurn(listener: RequestListener): RequestListener {
  return (req: Placed, res) => {
    const socket: Lined = req.socket;
    const line = lineOn(socket);
    // Requests of an ending connection are not answered.
    if (isEnding(socket) || line.farewell !== undefined) return;
    const begin = () => {
      turn.hasBegun = true;
      line.isBusy = true;
      line.current = turn;
      // "close" is emitted once; `once` would allocate two more objects.
      res.on("close", () => {
        // The rest of a body may still come after an early answer; its time-out stays.
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

/** Answer that ends a connection. */
interface LastReply {
  readonly say: () => void;
  /** Its error, for the handler of the request that it answers. */
  readonly err: GatewayError;
}

/**
 * Answers a request by a reply that ends its connection, instead of by its listener, and not before its turn. A reply under way is
 * cut off, since the refusal would be taken for a part of it; after a complete reply the refusal is not sent.
 */
export function refuseInTurn(req: Placed, { say, err }: LastReply): void {
  const { socket } = req;
  const turn = req[turnOf];
  if (turn !== undefined && !turn.hasBegun) turn.refuse ??= say;
  else if (!socket.writable || (turn !== undefined && isUnderWay(turn.res))) socket.destroy();
  else if (turn?.res.writableFinished === true) socket.destroySoon();
  else {
    if (turn !== undefined) recordReplyEnd(turn.res, err);
    say();
  }
}

/**
 * Ends a connection by `last` for what never becomes a request, after the replies to all complete requests; for a failure inside
 * the body of the last request, `last` is its reply. Only the first call counts. A reply under way is cut off: it may be an
 * endless stream, and nothing more can be read from the client. If the client has left, no reply is waited for.
 */
export function endInTurn(socket: Socket, last: LastReply, { hasLeft }: { readonly hasLeft: boolean }): void {
  const line = lineOn(socket);
  if (!socket.writable) socket.destroy();
  else if (line.latest !== undefined && !line.latest.req.complete) refuseInTurn(line.latest.req, last);
  else if (line.farewell !== undefined) return;
  else if (line.isBusy && hasLeft) socket.destroy();
  else {
    line.farewell = last.say;
    if (!line.isBusy) last.say();
    // A whole reply may only wait for the end of this turn's reads (`sendJson`).
    else if (isOpen(line.current)) inCheckPhase(() => (isOpen(line.current) ? socket.destroy() : undefined));
  }
}

/** Whether every request of a connection is answered. False before the first one, and after a switch of protocols. */
export function isAnswered(socket: Lined): boolean {
  const line = socket[lineOf];
  if (line === undefined || line.isBusy || line.farewell !== undefined) return false;
  return Boolean(socket.parser) || isPlainAtRest(socket);
}

/** Adds `Connection: close` to the reply to the connection's latest request, where its head has not been written. */
export function announceEnd(socket: Lined): void {
  const latest = socket[lineOf]?.latest;
  if (latest !== undefined && !latest.res.headersSent) latest.res.shouldKeepAlive = false;
}

/** Replaces Node's drain events on a connection that Node has handed over, for replies under way. */
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
  // Requests that arrive meanwhile join the queue.
  line.isBusy = true;
  // On an ending connection no further reply goes out, and none would ever close.
  setImmediate(() => (isEnding(socket) ? undefined : begin()));
}

function lengthOf({ url = "", rawHeaders, headers }: IncomingMessage): number {
  const head = rawHeaders.reduce((sum, text) => sum + text.length, url.length);
  if (headers["transfer-encoding"] !== undefined) return head + bodyReadAhead;
  return head + Math.min(bodyReadAhead, Number(headers["content-length"] ?? 0));
}
