import type { Socket } from "node:net";

/** Longest interval between two checks of the connections, milliseconds. */
const lookMsMax = 1_000;
/** Checks per time-out: a connection is ended at most a quarter of it late. */
const looksPerTimeout = 4;

interface SendProgress {
  readonly mark: string;
  /** Time at which the mark was first seen, milliseconds. */
  readonly sinceMs: number;
}

interface SlowReaders {
  watch(socket: Socket): void;
  stop(): void;
}

/**
 * Ends connections whose client does not read the bytes queued for it, even if it goes on sending: an idle time-out would not
 * notice that, and its replies would be held forever. A slow reader is left alone.
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

/** Node's non-public counters of a connection; public ones only change when a whole write is complete. */
interface WriteCounters {
  readonly _bytesDispatched?: number;
  readonly _handle?: { readonly writeQueueSize?: number } | null;
}

/**
 * Progress of sending, as a text that changes with every byte that the system accepts; undefined where nothing is queued.
 * `writableLength` changes only after a whole write, and one of 16 MiB takes a slow reader minutes.
 */
function unsentMark(socket: Socket): string | undefined {
  if (socket.writableLength === 0) return undefined;
  const { _bytesDispatched, _handle } = socket as WriteCounters;
  return `${_bytesDispatched ?? socket.bytesWritten}/${_handle?.writeQueueSize ?? socket.writableLength}`;
}
