import type { Server } from "node:http";
import { Server as NetServer } from "node:net";
import { setTimeout as delay, setImmediate as nextTurn } from "node:timers/promises";
import { guarded } from "@gatehouse/async";

/** Times of a server's stop, milliseconds. */
export interface StopBounds {
  /** From the stop to the end of every connection. */
  readonly drainMs: number;
  /** Time for which idle connections are kept. */
  readonly idleMs: number;
  /** Whether another process listens on the port's socket too, and takes what waits in it. */
  readonly isShared: boolean;
  /** Ends every connection. */
  readonly endAll: () => void;
}

/** Interval at which a stopping server closes connections that have become idle, and after the drain any that has come meanwhile. */
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
export async function stopServer(server: Server, { drainMs, idleMs, isShared, endAll }: StopBounds): Promise<void> {
  const drainEndMs = performance.now() + drainMs;
  const force = setTimeout(endAll, drainMs);
  if (!isShared) letOneWait(server);
  await quietTurn(server, Math.min(emptyWaitMs, drainMs));
  // Node's own `close` of an HTTP server ends idle connections at once.
  const closed = new Promise<void>((resolve) => void NetServer.prototype.close.call(server, () => resolve()));
  const over = new AbortController();
  const idleLeftMs = Math.max(0, Math.min(idleMs, drainEndMs - performance.now()));
  await Promise.race([closed, delay(idleLeftMs, undefined, { signal: over.signal }).catch(() => {})]);
  over.abort();
  await readWaiting();
  server.close();
  // A connection that was busy when the server was closed would otherwise be kept until its keep-alive time-out; one that was accepted
  // after the end of the drain, without any bound: a closed server no longer looks at its time for a head.
  const sweep = setInterval(() => {
    if (performance.now() >= drainEndMs) endAll();
    else void readWaiting().then(() => server.closeIdleConnections());
  }, idleSweepMs);
  await closed;
  clearTimeout(force);
  clearInterval(sweep);
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
  // Node has no other name for it. Where it is missing, the quiet moment has to do.
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
