import type { Server } from "node:http";
import { Server as NetServer, type Socket } from "node:net";
import { setImmediate as nextTurn } from "node:timers/promises";
import { guarded } from "@gatehouse/async";
import { isAnswered } from "./in-turn.ts";

/** Times of a server's stop, milliseconds. */
export interface StopBounds {
  /** From the stop to the end of every connection. */
  readonly drainMs: number;
  /** Time for which an idle connection is kept. */
  readonly idleMs: number;
  readonly sockets: ReadonlySet<Socket>;
  /** Whether another process listens on the port's socket too, and accepts waiting connections. */
  readonly isShared: boolean;
  readonly endAll: () => void;
}

/** Interval at which a stopping server closes idle connections, and after the drain any new one. */
const idleSweepMs = 50;
/** Longest turn of the event loop in which no connection can arrive unseen. */
const quietTurnMs = 2;
/** Two, since the first turn may have begun after the check for connections. */
const quietTurnsWanted = 2;
/** Longest wait for such turns; after it, a turn without a new connection suffices. */
const quietWaitMs = 250;
/**
 * Longest wait for any turn without a new connection, within the drain: many may have arrived before the stop. Below 1 s, after
 * which clients repeat dropped SYNs: those arrive together, overfill the queue, and are reset when the port is closed.
 */
const emptyWaitMs = 900;

/**
 * Closes the port in a quiet moment, lets requests in flight finish, and ends the rest at the end of the drain. Closing a port
 * resets its unaccepted connections, and their clients cannot know that their request was not read. So the backlog is first
 * reduced to one: further clients only connect after the port is closed, and a refused connection tells them that nothing was
 * sent.
 */
export async function stopServer(
  server: Server,
  { drainMs, idleMs, sockets, isShared, endAll }: StopBounds,
): Promise<void> {
  const drainEndMs = performance.now() + drainMs;
  const force = setTimeout(endAll, drainMs);
  if (!isShared) letOneWait(server);
  await quietTurn(server, Math.min(emptyWaitMs, drainMs));
  // `close` of an HTTP server ends idle connections at once, whose clients may be about to send.
  const closed = new Promise<void>((resolve) => void NetServer.prototype.close.call(server, () => resolve()));
  const idle = new IdleConnections(sockets);
  const look = () => {
    if (performance.now() >= drainEndMs) return endAll();
    idle.observe();
    return void readWaiting().then(() => idle.end(idleMs));
  };
  look();
  // A connection accepted after the end of the drain would otherwise never be ended.
  const sweep = setInterval(look, idleSweepMs);
  await closed;
  clearTimeout(force);
  clearInterval(sweep);
  // Stops Node's own checks of connections.
  server.close();
}

/** Connections whose requests are all answered, with the time since they were first seen idle. */
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

  /** Ends connections that have been idle for `idleMs`. */
  end(idleMs: number): void {
    const nowMs = performance.now();
    for (const socket of this.#idle.keys()) {
      const known = this.#known(socket);
      if (known !== undefined && isAnswered(socket) && nowMs - known.sinceMs >= idleMs) socket.destroy();
    }
  }

  /** Undefined where bytes of a new request have arrived since. */
  #known(socket: Socket) {
    const known = this.#idle.get(socket);
    return known?.bytesRead === socket.bytesRead ? known : undefined;
  }
}

/**
 * Gives requests that have arrived on idle connections a turn to be read. Timers run before sockets are read: after a blocked
 * turn, a timer would end connections whose requests have already arrived.
 */
async function readWaiting(): Promise<void> {
  await nextTurn();
}

/**
 * Reduces the backlog to one connection. `listen` may be repeated, and then only changes the backlog (listen(2)); Linux drops the
 * first packet of further connections, and clients repeat it after a second.
 */
function letOneWait(server: Server): void {
  // Node has no public name for the handle. If it is missing, waiting for a quiet moment is the only measure.
  (server as { readonly _handle?: { listen?: (waitingMax: number) => number } })._handle?.listen?.(0);
}

/** Resolves after short turns of the event loop without a new connection, or at the bounds; each turn accepts one connection. */
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
