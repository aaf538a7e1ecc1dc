import type { Socket } from "node:net";

/** Longest rest between two looks at the connections, milliseconds. */
const lookMsMax = 1_000;
/** Looks in one time-out: a connection is ended at most a quarter of it late. */
const looksPerTimeout = 4;

/** State of a connection that has bytes to send. */
interface SendProgress {
  readonly mark: string;
  /** Time at which the mark was first seen, milliseconds. */
  readonly sinceMs: number;
}

interface SlowReaders {
  /** Watches a connection until it closes. */
  watch(socket: Socket): void;
  stop(): void;
}

/**
 * Ends connections whose client takes nothing of the bytes that wait for it, whatever else it does: one that goes on sending looks
 * alive to an ordinary idle time-out, and would hold its replies without end. A reader that is slow but reads is left alone.
 */
export function watchSlowReaders(timeoutMs: number, onEnded: () => void = () => {}): SlowReaders {
  const progressOf = new Map<Socket, SendProgress | undefined>();
  const everyMs = Math.max(1, Math.min(lookMsMax, timeoutMs / looksPerTimeout));
  /** Runs while there are connections. */
  let timer: NodeJS.Timeout | undefined;
  const rest = () => {
    clearInterval(timer);
    timer = undefined;
  };
  const look = () => {
    const nowMs = performance.now();
    for (const [socket, before] of progressOf) {
      const mark = unsentMark(socket);
      if (mark === undefined) {
        if (before !== undefined) progressOf.set(socket, undefined);
      } else if (before?.mark !== mark) progressOf.set(socket, { mark, sinceMs: nowMs });
      else if (nowMs - before.sinceMs >= timeoutMs) {
        progressOf.delete(socket);
        onEnded();
        socket.destroy();
      }
    }
    if (progressOf.size === 0) rest();
  };
  return {
    watch(socket) {
      progressOf.set(socket, undefined);
      timer ??= setInterval(look, everyMs).unref();
      socket.once("close", () => progressOf.delete(socket));
    },
    stop: rest,
  };
}

/** Node's own counters of a connection. They are not public, but without them a write is only seen when it is whole. */
interface WriteCounters {
  readonly _bytesDispatched?: number;
  readonly _handle?: { readonly writeQueueSize?: number } | null;
}

/**
 * Progress of sending, as a text that changes with every byte that the system takes; undefined where nothing waits.
 * `writableLength` changes only when a whole write is through, and one of 16 MiB takes a slow reader minutes.
 */
function unsentMark(socket: Socket): string | undefined {
  if (socket.writableLength === 0) return undefined;
  const { _bytesDispatched, _handle } = socket as WriteCounters;
  return `${_bytesDispatched ?? socket.bytesWritten}/${_handle?.writeQueueSize ?? socket.writableLength}`;
}
