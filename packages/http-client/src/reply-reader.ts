import { ChunkedBody } from "./chunked-body.ts";
import { MalformedReply } from "./client-error.ts";
import { parseReplyHead, parseTrailers, type ReplyFields, type ReplyHead } from "./reply-head.ts";
import { SectionReader } from "./section-reader.ts";

/** Receives one reply. Each function may end the reading by {@link ReplyReader.stop}. */
export interface ReplySink {
  /** The final head; interim ones (1xx) are skipped. */
  onHead(head: ReplyHead): void;
  /** A part of the bytes given to the reader. */
  onBytes(bytes: Buffer): void;
  /** The end of the body; most replies have no trailers. */
  onEnd(trailers: ReplyFields): void;
}

const startOfReply = "HTTP/1.";
const noFields: ReplyFields = Object.freeze(Object.create(null) as Record<string, string>);
const emptyLine = Buffer.from("\r\n");
const nothing = Buffer.alloc(0);

/** Reads the replies of one connection, one for each {@link begin}, from pieces of any size. */
export class ReplyReader {
  readonly #sink: ReplySink;
  readonly #section: SectionReader;
  readonly #chunks = new ChunkedBody();
  #expected: "nothing" | "stopped" | "head" | "bytes" | "chunks" | "trailers" | "close" = "nothing";
  #method = "";
  /** Bytes of a body with a length that have not arrived. */
  #left = 0;

  /** @param headBytesMax largest size of a reply's heads and trailers together */
  constructor(sink: ReplySink, headBytesMax: number) {
    this.#sink = sink;
    this.#section = new SectionReader(headBytesMax);
  }

  /** Expects the reply to a request with this method. */
  begin(method: string): void {
    this.#method = method;
    this.#section.reset();
    this.#expected = "head";
  }

  /** Ignores all further bytes; for a connection that is closed. */
  stop(): void {
    this.#expected = "stopped";
  }

  /** @throws MalformedReply also for bytes that belong to no reply */
  read(bytes: Buffer): void {
    let rest = bytes;
    do rest = this.#readPart(rest);
    while (rest.length > 0);
  }

  /** The peer has closed the connection. @returns whether this is the end of a reply */
  close(): boolean {
    if (this.#expected !== "close") return false;
    this.#end(noFields);
    return true;
  }

  /** @returns the bytes after this part */
  #readPart(bytes: Buffer): Buffer {
    if (this.#expected === "nothing") throw new MalformedReply("The server sent bytes that belong to no reply.");
    switch (this.#expected) {
      case "bytes":
        return this.#readBytes(bytes);
      case "chunks":
        return this.#readChunks(bytes);
      case "head":
        return this.#readHead(bytes);
      case "trailers":
        return this.#readTrailers(bytes);
      case "close":
        this.#sink.onBytes(bytes);
        break;
      case "stopped":
        break;
    }
    return nothing;
  }

  #readHead(bytes: Buffer): Buffer {
    const section = this.#section.read(bytes);
    if (section === undefined) {
      refuseOtherProtocol(this.#section.startOf(startOfReply.length));
      return nothing;
    }
    const head = parseReplyHead(section.text, this.#method);
    const rest = bytes.subarray(section.restAt);
    if (head.status === 101)
      throw new MalformedReply("The server switched to another protocol, which was not asked for.");
    if (head.status >= 200) this.#expectBody(head);
    return rest;
  }

  #expectBody(head: ReplyHead): void {
    const { body } = head;
    this.#chunks.reset();
    this.#left = typeof body === "number" ? body : 0;
    this.#expected = typeof body === "number" ? "bytes" : body === "chunked" ? "chunks" : "close";
    this.#sink.onHead(head);
    if (body === 0 && this.#expected === "bytes") this.#end(noFields);
  }

  #readBytes(bytes: Buffer): Buffer {
    const taken = bytes.length <= this.#left ? bytes : bytes.subarray(0, this.#left);
    this.#left -= taken.length;
    const isLast = this.#left === 0;
    if (taken.length > 0) this.#sink.onBytes(taken);
    if (isLast && this.#expected === "bytes") this.#end(noFields);
    return bytes.subarray(taken.length);
  }

  #readChunks(bytes: Buffer): Buffer {
    const data = this.#chunks.read(bytes);
    const { isOver, restAt } = this.#chunks;
    if (isOver) this.#expected = "trailers";
    if (data.length > 0) this.#sink.onBytes(data);
    return bytes.subarray(restAt);
  }

  #readTrailers(bytes: Buffer): Buffer {
    const { isEmpty } = this.#section;
    if (isEmpty && bytes.length >= emptyLine.length && bytes.indexOf(emptyLine) === 0) {
      this.#section.count(2 * emptyLine.length);
      this.#end(noFields);
      return bytes.subarray(emptyLine.length);
    }
    // The empty line at the end is then a line end after another one in any case.
    if (isEmpty) this.#section.read(emptyLine);
    const section = this.#section.read(bytes);
    if (section === undefined) return nothing;
    this.#end(parseTrailers(section.text, emptyLine.length));
    return bytes.subarray(section.restAt);
  }

  #end(trailers: ReplyFields): void {
    this.#expected = "nothing";
    this.#sink.onEnd(trailers);
  }
}

/** Otherwise a server of another protocol would be waited for until its time is over. */
function refuseOtherProtocol(start: string): void {
  if (!startOfReply.startsWith(start)) throw new MalformedReply("The reply begins with no valid status line.");
}
