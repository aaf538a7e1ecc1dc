import type { Server } from "node:http";
import { Server as NetServer } from "node:net";
import { setTimeout as delay, setImmediate as nextTurn } from "node:timers/promises";

export interface StopBounds {
  /** From the stop to the end of every connection. */
  readonly drainMs: number;
  /** How long idle connections are kept. */
  readonly idleMs: number;
}

/** How often a stopping server closes connections that have become idle. */
const idleSweepMs = 50;
/** A turn of the event loop this short leaves no time for connections to come unseen. */
const quietTurnMs = 2;
/** The first one may have begun after connections were looked for. */
const quietTurnsWanted = 2;
/** Longest wait for such turns. */
const quietWaitMs = 250;

/**
 * Closes the port in a quiet moment, lets requests in flight finish, and ends what is left at the end of the drain.
 * The operating system resets connections that nothing has accepted when their port is closed, and their clients cannot know that
 * none of their request was read.
 */
export async function stopServer(server: Server, { drainMs, idleMs }: StopBounds): Promise<void> {
  const force = setTimeout(() => server.closeAllConnections(), drainMs);
  await quietTurn(server);
  // Node's own `close` of an HTTP server ends idle connections at once.
  const closed = new Promise<void>((resolve) => void NetServer.prototype.close.call(server, () => resolve()));
  const over = new AbortController();
  await Promise.race([closed, delay(Math.min(idleMs, drainMs), undefined, { signal: over.signal }).catch(() => {})]);
  over.abort();
  server.close();
  // A connection that was busy when the server was closed would otherwise be kept until its keep-alive time-out.
  const sweep = setInterval(() => server.closeIdleConnections(), idleSweepMs);
  await closed;
  clearTimeout(force);
  clearInterval(sweep);
}

/** Ends after short turns of the event loop in which no connection came, or after the bound: one is accepted in each turn. */
async function quietTurn(server: Server): Promise<void> {
  let quietTurns = 0;
  const onConnection = () => (quietTurns = 0);
  server.on("connection", onConnection);
  const untilMs = performance.now() + quietWaitMs;
  for (let beganMs = performance.now(); quietTurns < quietTurnsWanted && beganMs < untilMs;) {
    quietTurns += 1;
    await nextTurn();
    const nowMs = performance.now();
    if (nowMs - beganMs > quietTurnMs) quietTurns = 0;
    beganMs = nowMs;
  }
  server.off("connection", onConnection);
}
