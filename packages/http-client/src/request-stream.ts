import type { Socket } from "node:net";
import type { Readable } from "node:stream";
import { guarded } from "@gatehouse/async";

interface RequestStreamEnds {
  readonly onSent: () => void;
  /** The server has stopped reading, or reads again: `isStalled` has changed. */
  readonly onStall: () => void;
  readonly onFailure: (cause: unknown) => void;
}

const chunkEnd = "\r\n";
const lastChunk = "0\r\n\r\n";

/**
 * Writes the body of a request as it arrives, at the speed of the server; as chunks where its length is unknown. Its call ends
 * where the body fails.
 */
export class RequestStream {
  readonly #body: Readable;
  readonly #socket: Socket;
  readonly #contentLength: number | undefined;
  readonly #ends: RequestStreamEnds;
  #bytes = 0;
  #isOver = false;
  #isStalled = false;
  readonly #onDrain = () => {
    this.#stall(false);
    this.#body.resume();
  };

  constructor(body: Readable, contentLength: number | undefined, socket: Socket, ends: RequestStreamEnds) {
    this.#body = body;
    this.#contentLength = contentLength;
    this.#socket = socket;
    this.#ends = ends;
    const fail = (cause: unknown) => this.#fail(cause);
    if (body.readableEnded) {
      process.nextTick(guarded(() => this.#end(), fail));
      return;
    }
    socket.on("drain", this.#onDrain);
    body.on(
      "end",
      guarded(() => this.#end(), fail),
    );
    body.on(
      "data",
      guarded((chunk: Uint8Array | string) => this.#write(chunk), fail),
    );
  }

  /** Whether bytes of the body are still to be sent. */
  get isActive(): boolean {
    return !this.#isOver;
  }

  /** Whether the server has stopped reading. */
  get isStalled(): boolean {
    return this.#isStalled;
  }

  /** Sends no more. The body is destroyed, so that its source does not wait for its reader. */
  stop(): void {
    if (this.#isOver) return;
    this.#isOver = true;
    this.#socket.off("drain", this.#onDrain);
    this.#body.destroy();
  }

  #write(chunk: Uint8Array | string): void {
    if (this.#isOver) return;
    const bytes = Buffer.byteLength(chunk);
    if (bytes === 0) return;
    this.#bytes += bytes;
    // More bytes than announced would be the server's next request.
    if (this.#bytes > (this.#contentLength ?? Number.POSITIVE_INFINITY)) throw wrongLength();
    if (!(this.#contentLength === undefined ? this.#writeChunk(chunk, bytes) : this.#socket.write(chunk))) {
      this.#body.pause();
      this.#stall(true);
    }
  }

  #writeChunk(chunk: Uint8Array | string, bytes: number): boolean {
    const socket = this.#socket;
    socket.cork();
    socket.write(`${bytes.toString(16)}\r\n`, "latin1");
    socket.write(chunk);
    const isTaken = socket.write(chunkEnd, "latin1");
    socket.uncork();
    return isTaken;
  }

  #stall(isStalled: boolean): void {
    if (this.#isStalled === isStalled) return;
    this.#isStalled = isStalled;
    this.#ends.onStall();
  }

  #end(): void {
    if (this.#isOver) return;
    if (this.#contentLength === undefined) this.#socket.write(lastChunk, "latin1");
    else if (this.#bytes !== this.#contentLength) throw wrongLength();
    this.#isOver = true;
    this.#socket.off("drain", this.#onDrain);
    this.#ends.onSent();
  }

  #fail(cause: unknown): void {
    if (this.#isOver) return;
    this.stop();
    this.#ends.onFailure(cause);
  }
}

function wrongLength(): Error {
  return new Error("The length of a request is not that of its body.");
}
