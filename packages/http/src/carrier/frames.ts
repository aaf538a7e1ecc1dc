import { carrierBounds } from "./bounds.ts";

/** Kinds of frames, as their byte. */
export const frameKinds = {
  /** A request; its head has method, path and headers. */
  call: 1,
  /** A part of a reply, or all of it; a head has status and headers. */
  reply: 2,
  /** The caller no longer waits for the reply. The head is the error that it has sent instead; empty where its client has left. */
  cancel: 3,
  /** The caller has taken bytes of the reply; the head is their number. */
  credit: 4,
  /** No further call should come on this connection. */
  drain: 5,
  /** The caller no longer waits for the reply on a separate connection. The body is the call's name, the head as of `cancel`. */
  end: 6,
} as const;

/** Flags of a reply's frame, as bits. */
export const replyFlags = { head: 1, end: 2, broken: 4 } as const;

/** Frame to send; a text in `body` is sent as UTF-8. Kind and flags take one byte each. */
export interface Frame {
  readonly kind: number;
  readonly flags?: number;
  /** Id of the call, chosen by its caller; 0 for none. */
  readonly id?: number;
  /** JSON text. */
  readonly head?: string;
  readonly body?: Buffer | string | undefined;
}

/** Received frame; absent parts are 0 or empty. `body` may share memory with the connection's chunk. */
export type ReadFrame = Required<Omit<Frame, "body">> & { readonly body: Buffer };

/** Size (4 bytes), kind, flags, id (4) and size of the head (4); the size excludes itself. */
const prefixBytes = 14;
const sizeBytes = 4;
const none = Buffer.alloc(0);

function bytesOf(part: Buffer | string | undefined): number {
  if (part === undefined) return 0;
  return typeof part === "string" ? Buffer.byteLength(part) : part.length;
}

/** Estimate of a frame's size that does not encode its texts. */
export function sizeOf({ head = "", body = "" }: Frame): number {
  return prefixBytes + head.length + body.length;
}

/** Encodes frames into one buffer, so that frames of one turn of the event loop share a write. Layout: see `prefixBytes`. */
export function encodeFrames(frames: readonly Frame[]): Buffer {
  const sizes = frames.map(({ head, body }) => ({ head: bytesOf(head), body: bytesOf(body) }));
  const bytes = Buffer.allocUnsafe(sizes.reduce((sum, { head, body }) => sum + prefixBytes + head + body, 0));
  let at = 0;
  for (const [index, { kind, flags = 0, id = 0, head, body }] of frames.entries()) {
    const size = sizes[index] ?? { head: 0, body: 0 };
    bytes.writeUInt32BE(prefixBytes - sizeBytes + size.head + size.body, at);
    bytes[at + 4] = kind;
    bytes[at + 5] = flags;
    bytes.writeUInt32BE(id, at + 6);
    bytes.writeUInt32BE(size.head, at + 10);
    at += prefixBytes;
    at += write(bytes, at, head, size.head);
    at += write(bytes, at, body, size.body);
  }
  return bytes;
}

// oxlint-disable-next-line max-params -- An object for each part of each frame would cost more than its copy.
function write(bytes: Buffer, at: number, part: Buffer | string | undefined, partBytes: number): number {
  if (part === undefined) return 0;
  if (typeof part !== "string") return part.copy(bytes, at);
  // An ASCII text needs no encoder.
  return bytes.write(part, at, part.length === partBytes ? "latin1" : "utf8");
}

/** Reads frames from a connection's chunks. */
export class FrameReader {
  #pieces: Buffer[] = [];
  #heldBytes = 0;
  #wantedBytes = 0;

  get isMidFrame(): boolean {
    return this.#heldBytes > 0;
  }

  /** @throws RangeError for a frame that exceeds the bound, or is smaller than its head */
  read(chunk: Buffer, onFrame: (frame: ReadFrame) => void): void {
    let bytes = chunk;
    if (this.#heldBytes > 0) {
      this.#pieces.push(chunk);
      this.#heldBytes += chunk.length;
      if (this.#heldBytes < this.#wantedBytes) return;
      bytes = Buffer.concat(this.#pieces);
    }
    const rest = readWhole(bytes, onFrame);
    this.#pieces = rest.length === 0 ? [] : [rest];
    this.#heldBytes = rest.length;
    this.#wantedBytes = rest.length < sizeBytes ? sizeBytes : sizeBytes + frameSizeAt(rest, 0);
  }
}

/** @returns the bytes after the last whole frame */
function readWhole(bytes: Buffer, onFrame: (frame: ReadFrame) => void): Buffer {
  let at = 0;
  while (bytes.length - at >= sizeBytes) {
    const end = at + sizeBytes + frameSizeAt(bytes, at);
    if (bytes.length < end) break;
    const bodyAt = at + prefixBytes + bytes.readUInt32BE(at + 10);
    if (bodyAt > end) throw new RangeError("A frame is smaller than its head.");
    onFrame({
      kind: bytes[at + 4] ?? 0,
      flags: bytes[at + 5] ?? 0,
      id: bytes.readUInt32BE(at + 6),
      head: bytes.toString("utf8", at + prefixBytes, bodyAt),
      body: bodyAt === end ? none : bytes.subarray(bodyAt, end),
    });
    at = end;
  }
  return bytes.subarray(at);
}

function frameSizeAt(bytes: Buffer, at: number): number {
  const size = bytes.readUInt32BE(at);
  if (size >= prefixBytes - sizeBytes && size <= carrierBounds.frameBytesMax) return size;
  throw new RangeError(`A frame of ${size} bytes.`);
}
