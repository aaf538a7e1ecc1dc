import type { OnReadOpts, Socket } from "node:net";
import { guarded } from "@gatehouse/async";

/** Bytes read at a time, as many as Node reads without these options. */
const readBytesMax = 64 * 1_024;

const readsOf = Symbol("readsOf");

interface ReadSocket extends Socket {
  [readsOf]?: SocketReads;
}

const onread: OnReadOpts = {
  // One buffer for all connections: what a read brings is copied before the next one begins.
  buffer: Buffer.allocUnsafeSlow(readBytesMax),
  callback(this: ReadSocket, length: number, bytes: Uint8Array): boolean {
    const reads = this[readsOf];
    if (reads !== undefined) return reads.take(Buffer.from(bytes.subarray(0, length)));
    // A connector passes a connection on before it can be read.
    this.destroy(new Error("Bytes have arrived on a connection that nothing reads."));
    return false;
  },
};

/**
 * Options of `net.connect` and `tls.connect` for connections that {@link SocketReads} reads; no `data` comes on them. Without these,
 * Node allocates 64 KiB for each read, cuts them to what has arrived, and passes it on through a stream, which takes 1.6 of the 8 µs
 * of a small request and its reply. Empty on Windows, where reads of several connections wait for their bytes at once.
 */
export const sharedReads: { readonly onread?: OnReadOpts } = process.platform === "win32" ? {} : { onread };

/** Receives what a connection reads, in order. */
interface ReadListener {
  onBytes(bytes: Buffer): void;
  /** The peer sends nothing more. */
  onEnd(): void;
  onClose(): void;
  /** The connection failed, or the listener did. */
  onFailure(cause: unknown): void;
}

/** Reads of one connection, whether or not it was opened with {@link sharedReads}. Nothing is passed on while they are paused. */
export class SocketReads {
  readonly #socket: Socket;
  readonly #read: (bytes: Buffer) => void;
  #isPaused = false;
  /**
   * Read after a pause: Node begins another read where a pause follows a resumption at once, and TLS passes on all that it has
   * decrypted.
   */
  #held: Buffer | undefined;
  /** Ends that came behind the held bytes. */
  #behind: (() => void)[] = [];

  constructor(socket: Socket, listener: ReadListener) {
    const fail = (cause: unknown) => listener.onFailure(cause);
    const read = guarded((bytes: Buffer) => listener.onBytes(bytes), fail);
    this.#socket = socket;
    this.#read = read;
    (socket as ReadSocket)[readsOf] = this;
    socket.on("data", read);
    const end = guarded(() => listener.onEnd(), fail);
    socket.on(
      "end",
      guarded(() => this.#inOrder(end), fail),
    );
    // Node reports some errors of TLS without a close after them.
    socket.on("error", fail);
    socket.on("close", () => this.#inOrder(() => listener.onClose()));
  }

  pause(): void {
    this.#isPaused = true;
    this.#socket.pause();
  }

  resume(): void {
    this.#isPaused = false;
    if (this.#held === undefined) this.#socket.resume();
    else process.nextTick(() => this.#passOn());
  }

  /** @returns whether more may be read */
  take(bytes: Buffer): boolean {
    if (this.#held !== undefined) this.#held = Buffer.concat([this.#held, bytes]);
    else if (this.#isPaused) this.#held = bytes;
    else this.#read(bytes);
    return !this.#isPaused;
  }

  #inOrder(end: () => void): void {
    if (this.#held === undefined) end();
    else this.#behind.push(end);
  }

  #passOn(): void {
    const held = this.#held;
    if (this.#isPaused || held === undefined) return;
    this.#held = undefined;
    this.#read(held);
    const behind = this.#behind;
    this.#behind = [];
    for (const end of behind) end();
    // Unless it was paused by what it has read.
    if (!this.#isPaused) this.#socket.resume();
  }
}
