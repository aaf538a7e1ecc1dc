import { ByteSink } from "./byte-sink.ts";

/** An event of `text/event-stream`, dispatched at its empty line. */
export interface ServerEvent {
  /** The `event` field; "message" where absent. */
  readonly name: string;
  /** The `data` fields, joined by line feeds. */
  readonly data: Buffer;
}

const lineFeed = 0x0a;
const carriageReturn = 0x0d;
const colonByte = 0x3a;
const space = 0x20;
const nothing = Buffer.alloc(0);
const lineEnd = Buffer.of(lineFeed);
const byteOrderMark = Buffer.from("\uFEFF");
const fieldNameBytesMax = 5;
const nameBytesMax = 256;
/** Characters that a header can carry, since the id is sent back in one. */
const idPattern = /^[\x20-\x7e]*$/;
const retryPattern = /^[0-9]{1,9}$/;
const shortBytesMax = 1_024;

/** Work that each line and each event counts as, bytes, so that a stream of tiny ones is bounded like one of large ones. */
const lineWorkBytes = 16;
const eventWorkBytes = 256;

/** An event or line exceeds its bound, or the stream takes too much work without an answer. */
export class EventTooLarge extends Error {
  override readonly name = "EventTooLarge";
}

/**
 * Parses `text/event-stream` bytes (HTML standard, "Server-sent events"), split anywhere, in linear time and memory: lines may
 * end with LF, CR or CRLF, comments and unknown fields are skipped. Line ends never occur inside a UTF-8 sequence, so bytes are
 * split before they are decoded.
 */
export class EventStreamParser {
  readonly #eventBytesMax: number;
  /** Work since the stream began, or since `forgetWork`. */
  #workBytes = 0;
  readonly #line = new ByteSink();
  readonly #data = new ByteSink();
  /** The event's only line of data so far: most events have one, which is returned without a copy. */
  #onlyData: Buffer | undefined;
  #hasData = false;
  #name = "";
  #skipLineFeed = false;
  #atStart = true;
  /** The bytes being read, and the start of the unread ones. */
  #bytes: Buffer = nothing;
  #start = 0;
  /** Next place of each kind of line end, so that it is not searched for every line. */
  #nextFeed = -1;
  #nextReturn = -1;
  /** Last event id that a header can carry, after which a stream is resumed; empty where there is none. */
  lastEventId = "";
  /** Delay before a stream is resumed, requested by the server, milliseconds. */
  retryMs: number | undefined;

  /** @param eventBytesMax of an incomplete event: its data and the unfinished line. The stream's work is bounded to twice as much. */
  constructor(eventBytesMax: number) {
    this.#eventBytesMax = eventBytesMax;
  }

  get heldBytes(): number {
    return this.#line.length + this.#data.length + (this.#onlyData?.length ?? 0);
  }

  /** Resets the work, after the stream has produced an answer. */
  forgetWork(): void {
    this.#workBytes = 0;
  }

  /** Events completed by these bytes. @throws EventTooLarge */
  push(bytes: Buffer): ServerEvent[] {
    const events: ServerEvent[] = [];
    this.give(bytes);
    for (let event = this.next(); event !== undefined; event = this.next()) events.push(event);
    return events;
  }

  /** Provides bytes for {@link next}, which has read all earlier ones. @throws EventTooLarge */
  give(bytes: Buffer): void {
    this.#work(bytes.length);
    this.#bytes = bytes;
    this.#start = 0;
    this.#nextFeed = -1;
    this.#nextReturn = -1;
  }

  /** The next complete event; undefined at the end of the given bytes. @throws EventTooLarge */
  next(): ServerEvent | undefined {
    const bytes = this.#bytes;
    while (this.#start < bytes.length) {
      if (this.#skipsLineFeed()) continue;
      const start = this.#start;
      if (this.#nextFeed < start) this.#nextFeed = placeOf(bytes, lineFeed, start);
      if (this.#nextReturn < start) this.#nextReturn = placeOf(bytes, carriageReturn, start);
      const end = Math.min(this.#nextFeed, this.#nextReturn);
      if (end === Number.POSITIVE_INFINITY) {
        this.#keep(bytes.subarray(start));
        break;
      }
      this.#skipLineFeed = end === this.#nextReturn;
      this.#start = end + 1;
      const event = this.#endLine(bytes.subarray(start, end));
      if (event !== undefined) return event;
    }
    // Waiting data must not retain the whole read.
    this.#copyData();
    this.#bytes = nothing;
    this.#start = 0;
    return undefined;
  }

  /** Unread bytes, if an event may begin with them; for a reader with a faster path. */
  get unread(): Buffer | undefined {
    if (this.#hasData || this.#name !== "" || this.#line.length > 0) return undefined;
    if (this.#start < this.#bytes.length) this.#skipsLineFeed();
    return this.#start < this.#bytes.length ? this.#bytes.subarray(this.#start) : undefined;
  }

  /** Skips whole events at the beginning of {@link unread} that were read in another way. */
  skip(bytes: number): void {
    this.#start += bytes;
  }

  /** The event at the stream's end without its empty line, if any. */
  end(): ServerEvent | undefined {
    if (this.#line.length > 0) this.#readLine(this.#line.take());
    return this.#takeEvent();
  }

  /** Skips the line feed of a CRLF whose CR has ended the line. @returns whether there was one */
  #skipsLineFeed(): boolean {
    const isOne = this.#skipLineFeed && this.#bytes[this.#start] === lineFeed;
    this.#skipLineFeed = false;
    if (isOne) this.#start += 1;
    return isOne;
  }

  #keep(bytes: Buffer): void {
    this.#checkRoom(bytes.length);
    this.#line.append(bytes);
  }

  #checkRoom(more: number): void {
    if (this.heldBytes + more <= this.#eventBytesMax) return;
    throw new EventTooLarge(`an event of more than ${this.#eventBytesMax} bytes`);
  }

  #work(bytes: number): void {
    this.#workBytes += bytes;
    if (this.#workBytes > this.#eventBytesMax * 2) throw new EventTooLarge("an event in too many small pieces");
  }

  #endLine(end: Buffer): ServerEvent | undefined {
    this.#work(lineWorkBytes);
    let line = end;
    if (this.#line.length > 0) {
      this.#keep(end);
      line = this.#line.take();
    }
    if (line.length === 0) return this.#takeEvent();
    this.#readLine(line);
    return undefined;
  }

  #readLine(given: Buffer): void {
    const line = this.#atStart && given.indexOf(byteOrderMark) === 0 ? given.subarray(byteOrderMark.length) : given;
    this.#atStart = false;
    const colon = colonOf(line);
    if (colon === 0 || (colon === -1 && line.length > fieldNameBytesMax)) return;
    const field = line.toString("latin1", 0, colon === -1 ? line.length : colon);
    const valueStart = colon + (line[colon + 1] === space ? 2 : 1);
    this.#readField(field, colon === -1 ? nothing : line.subarray(valueStart));
  }

  #readField(field: string, value: Buffer): void {
    if (field === "data") {
      this.#checkRoom(value.length + 1);
      if (this.#hasData) {
        this.#copyData();
        this.#data.append(lineEnd);
        this.#data.append(value);
      } else this.#onlyData = value;
      this.#hasData = true;
    } else if (field === "event") this.#name = value.toString("utf8", 0, nameBytesMax);
    else if (field === "id" && isIn(idPattern, value)) this.lastEventId = value.toString("latin1");
    else if (field === "retry" && isIn(retryPattern, value)) this.retryMs = Number(value.toString("latin1"));
  }

  #copyData(): void {
    if (this.#onlyData === undefined) return;
    this.#data.append(this.#onlyData);
    this.#onlyData = undefined;
  }

  #takeEvent(): ServerEvent | undefined {
    const name = this.#name;
    const hasData = this.#hasData;
    const onlyData = this.#onlyData;
    this.#name = "";
    this.#hasData = false;
    this.#onlyData = undefined;
    if (!hasData) return undefined;
    this.#work(eventWorkBytes);
    return { name: name === "" ? "message" : name, data: onlyData ?? this.#data.take() };
  }
}

function colonOf(line: Buffer): number {
  for (let at = 0; at <= fieldNameBytesMax; at += 1) if (line[at] === colonByte) return at;
  return -1;
}

function isIn(pattern: RegExp, value: Buffer): boolean {
  return value.length <= shortBytesMax && pattern.test(value.toString("latin1"));
}

function placeOf(bytes: Buffer, byte: number, start: number): number {
  const at = bytes.indexOf(byte, start);
  return at === -1 ? Number.POSITIVE_INFINITY : at;
}
