import { randomInt } from "node:crypto";
import { once } from "node:events";
import { connect, createServer, type Server } from "node:net";
import { setImmediate as nextTurn } from "node:timers/promises";

const loopback = "127.0.0.1";

/**
 * Range of chosen ports: below those that Linux (32,768), macOS and Windows (49,152) give to outgoing connections, one of which
 * could otherwise take the port of a server while it starts again.
 */
const [portMin, portMax] = [10_240, 32_767];
/** Ports of a block, whose first one its process holds. */
const blockSize = 64;

/** Ports found by this process; servers use them later, so none is returned twice. */
const found = new Set<number>();
let block = { next: 0, end: 0 };
/** Claim under way, shared by concurrent searches. */
let claiming: Promise<typeof block> | undefined;
/** Attempts to claim a block, of several hundred blocks, before the search ends. */
const claimsMax = 4_096;

/**
 * A port of the loopback address that is free now: `preferred` if it is, else one below those of outgoing connections. Never one that
 * this process has found before; without `preferred`, neither one that another process finds, even before a server listens on it.
 */
export async function findFreePort(preferred?: number): Promise<number> {
  let port = preferred !== undefined && (await isFree(preferred)) ? preferred : undefined;
  while (port === undefined) {
    if (block.next === block.end) {
      claiming ??= claimBlock().finally(() => (claiming = undefined));
      const claimed = await claiming;
      if (block.next === block.end) block = claimed;
      continue;
    }
    const next = block.next;
    block.next += 1;
    if (!found.has(next) && (await isFree(next))) port = next;
  }
  found.add(port);
  return port;
}

/** As {@link findFreePort}, for several servers. */
export async function findFreePorts(count: number): Promise<number[]> {
  const ports: number[] = [];
  while (ports.length < count) ports.push(await findFreePort());
  return ports;
}

/** Claims ports for this process until it ends, by listening on the first one. */
async function claimBlock(): Promise<typeof block> {
  for (let claims = 0; claims < claimsMax; claims += 1) {
    // Failures to listen arrive before timers and sockets would get a turn.
    await nextTurn();
    const first = portMin + blockSize * randomInt((portMax + 1 - portMin) / blockSize);
    const claim = await listen(first);
    if (claim === undefined) continue;
    claim.maxConnections = 0;
    claim.unref();
    return { next: first + 1, end: first + blockSize };
  }
  throw new Error(`No block of ${blockSize} ports between ${portMin} and ${portMax} is free.`);
}

/** Whether a server accepts connections at a port of the loopback address now. */
export async function isListening(port: number): Promise<boolean> {
  const socket = connect({ port, host: loopback });
  try {
    await once(socket, "connect");
    return true;
  } catch {
    return false;
  } finally {
    socket.destroy();
  }
}

async function isFree(port: number): Promise<boolean> {
  const server = await listen(port);
  if (server === undefined) return false;
  await new Promise((resolve) => server.close(resolve));
  return true;
}

/** Undefined if the port is in use. */
function listen(port: number): Promise<Server | undefined> {
  return new Promise((resolve) => {
    const server = createServer();
    server.once("error", () => resolve(undefined));
    server.listen({ port, host: loopback, exclusive: true }, () => resolve(server));
  });
}
