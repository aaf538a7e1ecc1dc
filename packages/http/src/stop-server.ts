import type { Server } from "node:http";
import { Server as NetServer, type Socket } from "node:net";
import { setImmediate as nextTurn } from "node:timers/promises";
import { guarded } from "@gatehouse/async";
import { isAnswered } from "./in-turn.ts";

/** Times of a server's stop, milliseconds. */
export interface StopBounds {
  /** From the stop to the end of every connection. */
  readonly drainMs: number;
  /** Time for which a connection is kept that is idle. */
  readonly idleMs: number;
  /** The open connections of requests. */
  readonly sockets: ReadonlySet<Socket>;
  /** Whether another process listens on the port's socket too, and takes what waits in it. */
  readonly isShared: boolean;
  /** Ends every connection. */
  readonly endAll: () => void;
}

/** Interval at which a stopping server closes connections that are idle, and after the drain any that has come meanwhile. */
const idleSweepMs = 50;
/** A turn of the event loop this short leaves no time for connections to come unseen. */
const quietTurnMs = 2;
/** The first one may have begun after connections were looked for. */
const quietTurnsWanted = 2;
/** Longest wait for such turns; after it, a turn without a new connection suffices. */
const quietWaitMs = 250;
/**
 * Longest wait for any turn without a new connection, within the drain: those that came before the stop may be many. Less than the
 * second after which clients repeat their first packets: many then come at once, more than one of them is answered before the queue
 * counts as full, and those that it then has no place for are reset when the port is closed.
 */
const emptyWaitMs = 900;

/**
 * Closes the port in a quiet moment, lets requests in flight finish, and ends what is left at the end of the drain.
 * The operating system resets connections that nothing has accepted when their port is closed, and their clients cannot know that
 * none of their request was read. So the port first lets one connection wait at most: further ones are not there before it is closed,
 * and are refused then, which their clients may take for "nothing was sent".
 */
export async function stopServer(
  server: Server,
  { drainMs, idleMs, sockets, isShared, endAll }: StopBounds,
): Promise<void> {
  const drainEndMs = performance.now() + drainMs;
  const force = setTimeout(endAll, drainMs);
  if (!isShared) letOneWait(server);
  await quietTurn(server, Math.min(emptyWaitMs, drainMs));
  // Node's own `close` of an HTTP server ends idle connections at once, whose clients may be about to send.
  const closed = new Promise<void>((resolve) => void NetServer.prototype.close.call(server, () => resolve()));
  const idle = new IdleConnections(sockets);
  const look = () => {
    if (performance.now() >= drainEndMs) return endAll();
    idle.observe();
    return void readWaiting().then(() => idle.end(idleMs));
  };
  look();
  // A connection that was accepted after the end of the drain would be kept without any bound.
  const sweep = setInterval(look, idleSweepMs);
  await closed;
  clearTimeout(force);
  clearInterval(sweep);
  // Ends Node's own looks at connections.
  server.close();
}

/** Connections whose requests are all answered, with the time since they were first seen so. */
class IdleConnections {
  readonly #sockets: ReadonlySet<Socket>;
  #idle = new Map<Socket, { readonly sinceMs: number; readonly bytesRead: number }>();

  constructor(sockets: ReadonlySet<Socket>) {
    this.#sockets = sockets;
  }

  observe(): void {
    const nowMs = performance.now();
    const still = [...this.#sockets].filter((socket) => isAnswered(socket));
    const seen = (socket: Socket) => ({ sinceMs: nowMs, bytesRead: socket.bytesRead });
    this.#idle = new Map(still.map((socket) => [socket, this.#known(socket) ?? seen(socket)]));
  }

  /** Ends connections that have been idle for `idleMs` and still are. */
  end(idleMs: number): void {
    const nowMs = performance.now();
    for (const socket of this.#idle.keys()) {
      const known = this.#known(socket);
      if (known !== undefined && isAnswered(socket) && nowMs - known.sinceMs >= idleMs) socket.destroy();
    }
  }

  /** Undefined where more has come since: the beginning of a request. */
  #known(socket: Socket) {
    const known = this.#idle.get(socket);
    return known?.bytesRead === socket.bytesRead ? known : undefined;
  }
}

/**
 * Lets requests that have come on idle connections be read, so that these are idle no longer. In a turn of the event loop timers run
 * before sockets are read: after a turn that was held up, a timer would end connections whose requests are there already.
 */
async function readWaiting(): Promise<void> {
  await nextTurn();
}

/**
 * Lets one connection wait to be accepted. `listen(2)` may be repeated, and changes the bound alone; Linux drops the first packet
 * of what is beyond it, and clients repeat that after a second.
 */
function letOneWait(server: Server): void {
  // Node has no public name for the handle. If it is missing, waiting for a quiet moment is the only measure.
  (server as { readonly _handle?: { listen?: (waitingMax: number) => number } })._handle?.listen?.(0);
}

/** Ends after short turns of the event loop in which no connection came, or after the bounds: one is accepted in each turn. */
async function quietTurn(server: Server, waitMsMax: number): Promise<void> {
  let quietTurns = 0;
  let emptyTurns = 0;
  const onConnection = guarded(
    () => (quietTurns = emptyTurns = 0),
    () => {},
  );
  server.on("connection", onConnection);
  const startedMs = performance.now();
  for (
    let beganMs = startedMs;
    beganMs - startedMs < waitMsMax && !isQuiet(quietTurns, emptyTurns, beganMs - startedMs);
  ) {
    quietTurns += 1;
    emptyTurns += 1;
    await nextTurn();
    const nowMs = performance.now();
    if (nowMs - beganMs > quietTurnMs) quietTurns = 0;
    beganMs = nowMs;
  }
  server.off("connection", onConnection);
}

function isQuiet(quietTurns: number, emptyTurns: number, waitedMs: number): boolean {
  if (quietTurns >= quietTurnsWanted) return true;
  return waitedMs >= quietWaitMs && emptyTurns >= quietTurnsWanted;
}
